public import Events
public import Muniment
internal import Permissions

/// The privileges of roles at a level.
extension Roles {
    /// Returns the permissions at a level, one for each role, expiry and shared permission. Empty if the caller may not read the
    /// object of the level (CONFORMANCE R14, R19).
    ///
    /// - Parameters:
    ///   - level: the store, a class or an object; if it does not exist, the result is empty.
    ///   - moment: the moment of the query; now by default.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name. Linear in the number of entries.
    public func permissions(at level: PermissionLevel, _ moment: Moment = .now) throws -> [EntryDescription] {
        try store.read(at: moment) { snapshot in
            guard try snapshot.check(caller, ["read"], on: level.name).isAllowed else { return [] }
            return try snapshot.entries(on: level.name)
        }
    }

    /// Adds and removes privileges of a role at a level. Other privileges of the role do not change. The role needs no earlier
    /// permission there. One transaction.
    ///
    /// - Parameters:
    ///   - role: a role; a user or thing as its own role; `everyone` or `anonymous`.
    ///   - level: the level to change.
    ///   - allowed: the privileges to add; at most those of the caller there (CONFORMANCE R9).
    ///   - denied: the privileges to remove. A privilege in both sets is allowed.
    /// - Throws: `Refusal`: `noPrivilege` without setPermissions there, `aboveOwnLevel`, `unknownObject`, `unknownPrincipal`.
    @discardableResult
    public func change(
        _ role: Name, at level: PermissionLevel, allow allowed: Privileges = [], deny denied: Privileges = []
    ) async throws -> Receipt {
        let (gained, lost) = try store.read { ($0.names(allowed), $0.names(denied.subtracting(allowed))) }
        var changes: [Change] = []
        if !lost.isEmpty { changes.append(.revoke(role, on: level.name, lost)) }
        if !gained.isEmpty { changes.append(.grant(role, on: level.name, gained)) }
        return try await commit(changes)
    }

    /// Replaces all privileges of a role's own entry at a level. An empty set removes the entry.
    ///
    /// - Parameters:
    ///   - privileges: the privileges; the new ones are at most those of the caller there (CONFORMANCE R9). Bits without a name in
    ///     the store are ignored.
    ///   - role: a role; a user or thing as its own role; `everyone` or `anonymous`.
    ///   - level: the level to change.
    /// - Throws: `Refusal`: `noPrivilege` without setPermissions there, `aboveOwnLevel`, `unknownObject`, `unknownPrincipal`.
    @discardableResult
    public func set(_ privileges: Privileges, for role: Name, at level: PermissionLevel) async throws -> Receipt {
        try await commit([.setAccess(role, on: level.name, try names(of: privileges))])
    }

    func names(of privileges: Privileges) throws -> [String] { try store.read { $0.names(privileges) } }
}
