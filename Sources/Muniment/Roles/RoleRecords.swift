public import Permissions

/// A role as it is recorded.
public struct RoleRecord: Hashable, Sendable {
    public let name: Name
    /// Direct members, sorted: users, things, roles, `everyone`.
    public let members: [Name]
}

/// A user or thing as it is recorded.
public struct UserRecord: Hashable, Sendable {
    public let name: Name
    /// The roles that it is a direct member of, sorted, as far as the caller may read them.
    public let roles: [Name]
}

/// A permission as it is recorded.
public struct PermissionRecord: Hashable, Sendable {
    public let name: Name
    /// The role, user or thing that it is for.
    public let subject: Name
    /// What it gives, sorted.
    public let privileges: [String]
    /// What it stands on, sorted, as far as the caller may read it.
    public let objects: [Name]
}
