public import Events
public import Permissions

/// What roles have at a level.
extension Roles {
    /// The permissions at a level, one for each role, end and shared permission; empty where the caller may not read the object
    /// that the level is (CONFORMANCE R14, R19).
    ///
    /// - Parameters:
    ///   - level: the store, a class or an object; where there is none, the answer is empty.
    ///   - moment: when; without it, now.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name. Linear in the number of entries.
    public func permissions(at level: PermissionLevel, _ moment: Moment = .now) throws -> [EntryDescription] {
        try store.read(at: moment) { snapshot in
            guard try snapshot.check(caller, ["read"], on: level.name).isAllowed else { return [] }
            return try snapshot.entries(on: level.name)
        }
    }

    /// Sets and clears some privileges of a role at a level, and leaves its others as they are, whether or not the role had a
    /// permission there before. One transaction.
    ///
    /// - Parameters:
    ///   - role: a role, a user or thing as the role of its own, `everyone` or `anonymous`.
    ///   - level: where.
    ///   - allowed: what the role has there from now on; at most what the caller has there (CONFORMANCE R9).
    ///   - denied: what it has there no more. What is in both is allowed.
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

    /// Makes these privileges all that a role has at a level by an entry of its own; none takes the entry away.
    ///
    /// - Parameters:
    ///   - privileges: what is new among them at most what the caller has there (CONFORMANCE R9). Bits that the store gave no
    ///     name are left out.
    ///   - role: a role, a user or thing as the role of its own, `everyone` or `anonymous`.
    ///   - level: where.
    /// - Throws: `Refusal`: `noPrivilege` without setPermissions there, `aboveOwnLevel`, `unknownObject`, `unknownPrincipal`.
    @discardableResult
    public func set(_ privileges: Privileges, for role: Name, at level: PermissionLevel) async throws -> Receipt {
        try await commit([.setAccess(role, on: level.name, try names(of: privileges))])
    }

    func names(of privileges: Privileges) throws -> [String] { try store.read { $0.names(privileges) } }
}
