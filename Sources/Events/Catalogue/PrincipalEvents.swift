/// A user or thing became known to the store.
public struct PrincipalRegistered: Hashable, Sendable {
    public var principal: Introduction<PrincipalID>

    public init(principal: Introduction<PrincipalID>) { self.principal = principal }
}

/// A role was created, or created again under a name that had been deleted.
public struct RoleCreated: Hashable, Sendable {
    public var role: Introduction<PrincipalID>

    public init(role: Introduction<PrincipalID>) { self.role = role }
}

/// A role was deleted, and with it its memberships in both directions, its entries, and the permissions made for it.
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

/// A principal is no longer a member of a role.
public struct MemberRemoved: Hashable, Sendable {
    public var role: PrincipalID
    public var member: PrincipalID

    public init(role: PrincipalID, member: PrincipalID) {
        self.role = role
        self.member = member
    }
}
