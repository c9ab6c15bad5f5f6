public import Events
internal import Permissions

/// Reading objects.
extension SharedObjects {
    /// Whether there is an object of this id, which whoever is signed in may ask; says nothing about what is in it
    /// (CONFORMANCE F7).
    ///
    /// - Throws: `Refusal`: `notAuthenticated`, `malformed` or `tooLarge`; ``StoreError``.
    public func exists(_ id: String) throws -> Bool {
        _ = try signedIn()
        let object = name(of: id)
        if let problem = object.problem { throw problem }
        return try store.read { try $0.exists(object) }
    }

    /// The value of an object that the current user may read.
    ///
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` or `notAuthenticated`; ``StoreError``.
    public func fetch(_ id: String) throws -> JSONValue {
        let user = try signedIn()
        return try store.read { try $0.value(of: name(of: id), as: user) }
    }

    /// All public objects, one by one: those that a signed-in user reads who is named nowhere (CONFORMANCE F8).
    ///
    /// Finding them is linear in the number of public objects, not in the number of objects.
    ///
    /// - Throws: `Refusal`: `notAuthenticated`, `unknownClass`, or `noPrivilege` where the current user may not query the class;
    ///   ``StoreError``.
    public func fetchAllPublic() throws -> FetchedObjects {
        let user = try signedIn()
        return try store.read { try FetchedObjects($0.publicObjects(class: className, as: user), from: $0, in: store) }
    }

    /// All objects that are shared with the current user, one by one: those that this user would also read if they were not public
    /// (CONFORMANCE F8), their own among them. Everything is shared with an administrator.
    ///
    /// Finding them is linear in the number of objects that the user is named on, directly or by a role, not in the number of
    /// objects.
    ///
    /// - Throws: `Refusal`: `notAuthenticated`, `unknownClass`, or `noPrivilege` where the current user may not query the class;
    ///   ``StoreError``.
    public func fetchAllSharedWithMe() throws -> FetchedObjects {
        let user = try signedIn()
        return try store.read { try FetchedObjects($0.sharedObjects(class: className, with: user), from: $0, in: store) }
    }
}
