public import Events
public import Muniment
internal import Permissions

/// Permissions that are attached to several objects. One event changes their privileges on all of these objects (CONFORMANCE R11).
extension Roles {
    /// Creates a permission for a role and attaches it to the objects of some levels, in one transaction. Without levels it gives
    /// nothing.
    ///
    /// - Parameters:
    ///   - permission: a name that no permission has yet.
    ///   - role: a role; a user or thing as its own role; `everyone` or `anonymous`.
    ///   - privileges: the privileges that it gives.
    ///   - levels: the levels to attach it to.
    /// - Throws: `Refusal`: `alreadyExists`, `noPrivilege` without create on the class of permissions or setPermissions on one of
    ///   the objects, `aboveOwnLevel`, `unknownPrincipal`, `unknownObject`.
    @discardableResult
    public func define(
        _ permission: Name, for role: Name, _ privileges: Privileges, at levels: PermissionLevel...
    ) async throws -> Receipt {
        try await commit(
            [.definePermission(permission, subject: role, try names(of: privileges))]
                + levels.map { .attachPermission(permission, to: $0.name) })
    }

    /// Replaces the privileges and the role of a permission on all of its objects, in one event.
    ///
    /// - Parameters:
    ///   - permission: an existing permission.
    ///   - role: the new role.
    ///   - privileges: all privileges that it gives afterwards.
    /// - Throws: `Refusal`: `unknownPermission`, `noPrivilege` without update on it or setPermissions on one of its objects,
    ///   `aboveOwnLevel`, `unknownPrincipal`.
    @discardableResult
    public func redefine(_ permission: Name, for role: Name, _ privileges: Privileges) async throws -> Receipt {
        try await commit([.changePermission(permission, subject: role, try names(of: privileges))])
    }

    /// Attaches a permission to the objects of some levels, all or none. Existing attachments remain.
    ///
    /// - Parameters:
    ///   - permission: an existing permission.
    ///   - levels: the levels to attach it to.
    /// - Throws: `Refusal`: `unknownPermission`, `unknownObject`, `noPrivilege` without setPermissions there, `aboveOwnLevel`.
    @discardableResult
    public func attach(_ permission: Name, at levels: PermissionLevel...) async throws -> Receipt {
        try await commit(levels.map { .attachPermission(permission, to: $0.name) })
    }

    /// Detaches a permission from the objects of some levels, all or none.
    ///
    /// - Parameters:
    ///   - permission: an existing permission.
    ///   - levels: the levels to detach it from.
    /// - Throws: `Refusal`: `unknownPermission`, `unknownObject`, `noPrivilege` without setPermissions there.
    @discardableResult
    public func detach(_ permission: Name, from levels: PermissionLevel...) async throws -> Receipt {
        try await commit(levels.map { .detachPermission(permission, from: $0.name) })
    }
}
