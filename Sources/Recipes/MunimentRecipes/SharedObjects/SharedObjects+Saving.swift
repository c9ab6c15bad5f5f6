public import Events
public import Muniment
internal import Permissions

/// Saves objects.
extension SharedObjects {
    /// Saves a new object and sets its access, in one transaction (CONFORMANCE F2). The current user is always a specified user.
    ///
    /// - Parameters:
    ///   - value: at most 1 MiB as JSON, 64 levels deep, with 1,024 links.
    ///   - id: at most 512 bytes, and not the id of another object.
    ///   - isPublic: whether everyone who is signed in may read it.
    ///   - users: specified users besides the current one: users, things or roles that the store knows. At most 9,997.
    /// - Throws: ``SaveError`` with all problems, and then nothing is saved; ``Muniment/StoreError`` or `LogError` if the store cannot
    ///   write.
    @discardableResult
    public func save(_ value: JSONValue, id: String, isPublic: Bool = false, users: Set<Name> = []) async throws -> Receipt {
        let object = name(of: id)
        let saver = currentUser
        let others = users.subtracting([saver].compactMap { $0 }).sorted()
        if let saver, others.contains(where: { SharedObjects.problem(ofUser: $0) != nil }) {
            throw SaveError(errors: try all([], value, object, others, saver))
        }
        var changes: [Change] = [.createObject(object, value: value)]
        for user in [saver ?? .anonymous] + others {
            changes.append(.grant(user, on: object, SharedObjects.specifiedUserPrivileges))
        }
        if isPublic { changes.append(.grant(.everyone, on: object, SharedObjects.publicPrivileges)) }
        do { return try await submit(changes) } catch let refusal as Refusal {
            guard let saver, refusal.code != .notAuthenticated else { throw SaveError(errors: [refusal]) }
            throw SaveError(errors: try all([refusal], value, object, others, saver))
        }
    }

    /// Returns the refusal of a store with all further problems.
    private func all(
        _ known: [Refusal], _ value: JSONValue, _ object: Name, _ users: [Name], _ saver: Name
    ) throws -> [Refusal] {
        let found = try store.read {
            try $0.obstacles(toSaving: value, as: object, class: className, users: users, by: saver)
        }
        // Concurrent commits may have solved some problems. The store's own refusal remains valid.
        return (known + found.filter { !known.contains($0) }).sorted { $0.change ?? 0 < $1.change ?? 0 }
    }

    /// Replaces the value of an existing object (CONFORMANCE F3). The current user must be a specified user of it.
    ///
    /// - Parameters:
    ///   - id: the object's id.
    ///   - value: at most 1 MiB as JSON, 64 levels deep, with 1,024 links.
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege`, `notAuthenticated`, `malformed` or `tooLarge`; ``Muniment/StoreError`` or
    ///   `LogError`.
    @discardableResult
    public func overwrite(_ id: String, with value: JSONValue) async throws -> Receipt {
        try await submit([.writeObject(name(of: id), .value(value))])
    }
}
