public import Permissions

/// Saying who has access. The current user must be a specified user of the object (CONFORMANCE F5).
extension SharedObjects {
    /// Makes an object public, so that everyone who is signed in may read it, or private, so that its specified users alone may.
    ///
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` or `notAuthenticated`; ``StoreError`` or `LogError`.
    @discardableResult
    public func setPublic(_ id: String, _ isPublic: Bool) async throws -> Receipt {
        let object = name(of: id)
        return try await submit(
            isPublic
                ? [.grant(.everyone, on: object, SharedObjects.publicPrivileges)]
                : [.revoke(.everyone, on: object), .revoke(.anonymous, on: object)])
    }

    /// Makes somebody a specified user of an object. Nothing changes for one who is that already.
    ///
    /// - Parameters:
    ///   - user: a user, a thing or a role that the store knows.
    ///   - id: the object's.
    /// - Throws: `Refusal`: `unknownPrincipal`, `unknownObject`, `noPrivilege`, `notAuthenticated`, or `malformed` for `everyone`
    ///   and `anonymous`; ``StoreError`` or `LogError`.
    @discardableResult
    public func addUser(_ user: Name, to id: String) async throws -> Receipt {
        if currentUser != nil, let problem = SharedObjects.problem(ofUser: user) { throw problem }
        return try await submit([.grant(user, on: name(of: id), SharedObjects.specifiedUserPrivileges)])
    }

    /// Takes an object from a specified user, who can read on while it is public. Whoever may do this can do it to themselves.
    ///
    /// - Parameters:
    ///   - user: a specified user of the object.
    ///   - id: the object's.
    /// - Throws: `Refusal`: `notThere` for somebody who is no specified user, `unknownPrincipal`, `unknownObject`, `noPrivilege`,
    ///   `notAuthenticated`, or `malformed` for `everyone` and `anonymous`; ``StoreError`` or `LogError`.
    @discardableResult
    public func removeUser(_ user: Name, from id: String) async throws -> Receipt {
        if currentUser != nil, let problem = SharedObjects.problem(ofUser: user) { throw problem }
        return try await submit([.revoke(user, on: name(of: id), strict: true)])
    }

    /// Why somebody cannot be a specified user; nil where they can. A store would take them: with everyone for a specified user, a
    /// public object would be everyone's to edit (CONFORMANCE F4).
    static func problem(ofUser user: Name) -> Refusal? {
        guard user == .everyone || user == .anonymous else { return nil }
        return Refusal(.malformed, "`\(user)` is no specified user: make the object public, or name a user, a thing or a role")
    }
}
