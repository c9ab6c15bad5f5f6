public import Events
internal import Muniment
internal import Permissions

/// Reads objects.
extension SharedObjects {
    /// Returns whether an object with this id exists. Every signed-in user may ask this. The result says nothing about the object's
    /// contents (CONFORMANCE F7).
    ///
    /// - Throws: `Refusal`: `notAuthenticated`, `malformed` or `tooLarge`; ``Muniment/StoreError``.
    public func exists(_ id: String) throws -> Bool {
        _ = try signedIn()
        let object = name(of: id)
        if let problem = object.problem { throw problem }
        return try store.read { try $0.exists(object) }
    }

    /// Returns the value of an object that the current user may read.
    ///
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` or `notAuthenticated`; ``Muniment/StoreError``.
    public func fetch(_ id: String) throws -> JSONValue {
        let user = try signedIn()
        return try store.read { try $0.value(of: name(of: id), as: user) }
    }

    /// Returns all public objects, one by one: the objects that a signed-in user without any entries may read (CONFORMANCE F8).
    ///
    /// Finding them is linear in the number of public objects, not in the number of objects.
    ///
    /// - Throws: `Refusal`: `notAuthenticated`, `unknownClass`; `noPrivilege` if the current user may not query the class;
    ///   ``Muniment/StoreError``.
    public func fetchAllPublic() throws -> FetchedObjectSequence {
        let user = try signedIn()
        return try store.read { try FetchedObjectSequence($0.publicObjects(class: className, as: user), from: $0, in: store) }
    }

    /// Returns all objects that are shared with the current user, one by one: the objects that this user could also read if they
    /// were not public (CONFORMANCE F8), including the user's own objects. All objects are shared with an administrator.
    ///
    /// Finding them is linear in the number of objects that name the user, directly or by a role, not in the number of objects.
    ///
    /// - Throws: `Refusal`: `notAuthenticated`, `unknownClass`; `noPrivilege` if the current user may not query the class;
    ///   ``Muniment/StoreError``.
    public func fetchAllSharedWithMe() throws -> FetchedObjectSequence {
        let user = try signedIn()
        return try store.read { try FetchedObjectSequence($0.sharedObjects(class: className, with: user), from: $0, in: store) }
    }
}
