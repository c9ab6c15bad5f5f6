internal import Muniment
public import Permissions

/// The record of a role.
public struct RoleRecord: Hashable, Sendable {
    public let name: Name
    /// Direct members, sorted: users, things, roles, `everyone`.
    public let members: [Name]
}

/// The record of a user or thing.
public struct UserRecord: Hashable, Sendable {
    public let name: Name
    /// The roles that it is a direct member of, sorted, limited to those that the caller may read.
    public let roles: [Name]
}

/// The record of a permission.
public struct PermissionRecord: Hashable, Sendable {
    public let name: Name
    /// The role, user or thing that gets the privileges.
    public let subject: Name
    /// The privileges that it gives, sorted.
    public let privileges: [String]
    /// The objects that it is attached to, sorted, limited to those that the caller may read.
    public let objects: [Name]
}
