/// A member of a role.
public struct RoleMember: Hashable, Sendable {
    public var role: PrincipalID
    public var member: PrincipalID

    public init(role: PrincipalID, member: PrincipalID) {
        self.role = role
        self.member = member
    }
}
