public import Events
public import Permissions

/// Permissions that stand on several objects at once: changing one changes what it gives on all of them, in one event
/// (CONFORMANCE R11).
extension Roles {
    /// Makes a permission for a role and puts it on the objects of some levels, in one transaction. On none it gives nothing.
    ///
    /// - Parameters:
    ///   - permission: a name that no permission has yet.
    ///   - role: a role, a user or thing as the role of its own, `everyone` or `anonymous`.
    ///   - privileges: what it gives.
    ///   - levels: where it stands at first.
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

    /// Changes what a permission gives and to whom, wherever it stands, in one event.
    ///
    /// - Parameters:
    ///   - permission: one that is there.
    ///   - role: whom it is for from now on.
    ///   - privileges: all that it gives from now on.
    /// - Throws: `Refusal`: `unknownPermission`, `noPrivilege` without update on it or setPermissions on one of its objects,
    ///   `aboveOwnLevel`, `unknownPrincipal`.
    @discardableResult
    public func redefine(_ permission: Name, for role: Name, _ privileges: Privileges) async throws -> Receipt {
        try await commit([.changePermission(permission, subject: role, try names(of: privileges))])
    }

    /// Puts a permission on the objects of some levels, all or none. Where it stands already it stays.
    ///
    /// - Parameters:
    ///   - permission: one that is there.
    ///   - levels: where it stands from now on, too.
    /// - Throws: `Refusal`: `unknownPermission`, `unknownObject`, `noPrivilege` without setPermissions there, `aboveOwnLevel`.
    @discardableResult
    public func attach(_ permission: Name, at levels: PermissionLevel...) async throws -> Receipt {
        try await commit(levels.map { .attachPermission(permission, to: $0.name) })
    }

    /// Takes a permission off the objects of some levels, all or none.
    ///
    /// - Parameters:
    ///   - permission: one that is there.
    ///   - levels: where it stands no more.
    /// - Throws: `Refusal`: `unknownPermission`, `unknownObject`, `noPrivilege` without setPermissions there.
    @discardableResult
    public func detach(_ permission: Name, from levels: PermissionLevel...) async throws -> Receipt {
        try await commit(levels.map { .detachPermission(permission, from: $0.name) })
    }
}
