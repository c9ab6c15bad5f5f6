public import Events

/// Observing what is inside an object.
extension SharedObjects {
    /// Every change at a path in the value of an object that the current user may read, from now on: that the value there is another
    /// one, and which of its children were added, changed and removed (CONFORMANCE F14).
    ///
    /// One kind of change alone is `for try await case .childAdded(let name, let value) in changes.map(\.kind)`. An observer is removed
    /// by ending its task or leaving its loop. It goes on observing as the user whom it was made for; when that user may not
    /// read the object any more it is told so, by ``ObservationEnd/accessEnded(at:)``, and gets nothing more.
    ///
    /// - Parameters:
    ///   - path: names between slashes, `"address/city"`; nothing for the whole value.
    ///   - id: the object's.
    ///   - since: a revision behind which to begin; nil for the head. With the revision of an earlier fetching nothing is missed.
    /// - Throws: `Refusal`: `notAuthenticated`, `unknownObject` or `noPrivilege`; ``StoreError``.
    public func observe(_ path: JSONPath = [], of id: String, since: Revision? = nil) throws -> ObservedChanges {
        try store.observe(name(of: id), at: path, as: signedIn(), since: since)
    }
}
