/// A user or thing was registered in the store.
public struct PrincipalRegistered: Hashable, Sendable {
    public var principal: Introduction<PrincipalID>

    public init(principal: Introduction<PrincipalID>) { self.principal = principal }
}

/// A role was created, or created again under the name of a deleted role.
public struct RoleCreated: Hashable, Sendable {
    public var role: Introduction<PrincipalID>

    public init(role: Introduction<PrincipalID>) { self.role = role }
}

/// A role was deleted, with its memberships in both directions, its entries, and the permissions with this role as their subject.
public struct RoleDeleted: Hashable, Sendable {
    public var role: PrincipalID

    public init(role: PrincipalID) { self.role = role }
}

/// A principal became a member of a role.
public struct MemberAdded: Hashable, Sendable {
    public var role: PrincipalID
    public var member: PrincipalID

    public init(role: PrincipalID, member: PrincipalID) {
        self.role = role
        self.member = member
    }
}

/// A member was removed from a role.
public struct MemberRemoved: Hashable, Sendable {
    public var role: PrincipalID
    public var member: PrincipalID

    public init(role: PrincipalID, member: PrincipalID) {
        self.role = role
        self.member = member
    }
}
