public import Muniment
public import Permissions

/// Changes who has access. The current user must be a specified user of the object (CONFORMANCE F5).
extension SharedObjects {
    /// Makes an object public, so that everyone who is signed in may read it, or private, so that only its specified users may.
    ///
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` or `notAuthenticated`; ``Muniment/StoreError`` or `LogError`.
    @discardableResult
    public func setPublic(_ id: String, _ isPublic: Bool) async throws -> Receipt {
        let object = name(of: id)
        return try await submit(
            isPublic
                ? [.grant(.everyone, on: object, SharedObjects.publicPrivileges)]
                : [.revoke(.everyone, on: object), .revoke(.anonymous, on: object)])
    }

    /// Makes a user a specified user of an object. Changes nothing if the user already is one.
    ///
    /// - Parameters:
    ///   - user: a user, a thing or a role that the store knows.
    ///   - id: the object's id.
    /// - Throws: `Refusal`: `unknownPrincipal`, `unknownObject`, `noPrivilege`, `notAuthenticated`, or `malformed` for `everyone`
    ///   and `anonymous`; ``Muniment/StoreError`` or `LogError`.
    @discardableResult
    public func addUser(_ user: Name, to id: String) async throws -> Receipt {
        if currentUser != nil, let problem = SharedObjects.problem(ofUser: user) { throw problem }
        return try await submit([.grant(user, on: name(of: id), SharedObjects.specifiedUserPrivileges)])
    }

    /// Removes a specified user of an object. The user can still read the object while it is public. Specified users can remove
    /// themselves.
    ///
    /// - Parameters:
    ///   - user: a specified user of the object.
    ///   - id: the object's id.
    /// - Throws: `Refusal`: `notThere` for a user that is not a specified user, `unknownPrincipal`, `unknownObject`, `noPrivilege`,
    ///   `notAuthenticated`, or `malformed` for `everyone` and `anonymous`; ``Muniment/StoreError`` or `LogError`.
    @discardableResult
    public func removeUser(_ user: Name, from id: String) async throws -> Receipt {
        if currentUser != nil, let problem = SharedObjects.problem(ofUser: user) { throw problem }
        return try await submit([.revoke(user, on: name(of: id), strict: true)])
    }

    /// Returns why a subject cannot be a specified user; nil if it can. The store would accept `everyone`, but then all users could
    /// edit a public object (CONFORMANCE F4).
    static func problem(ofUser user: Name) -> Refusal? {
        guard user == .everyone || user == .anonymous else { return nil }
        return Refusal(.malformed, "`\(user)` is not a specific user: make the object public, or name a user, a thing or a role")
    }
}
