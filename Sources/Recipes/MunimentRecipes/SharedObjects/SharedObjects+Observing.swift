public import Events
public import Muniment

/// Observes the value of an object.
extension SharedObjects {
    /// Returns every future change at a path in the value of an object that the current user may read: a changed value, and the
    /// children that were added, changed and removed (CONFORMANCE F14).
    ///
    /// To receive one kind of change, use `for try await case .childAdded(let name, let value) in changes.map(\.kind)`. An observer
    /// ends with its task or its loop. It always observes as the user that created it. If that user loses read access to the
    /// object, the observation ends with ``Muniment/ObservationError/accessEnded(at:)``.
    ///
    /// - Parameters:
    ///   - path: names between slashes, `"address/city"`; empty for the whole value.
    ///   - id: the object's id.
    ///   - since: the revision to begin after; nil for the head. With the revision of an earlier fetch, no change is missed.
    /// - Throws: `Refusal`: `notAuthenticated`, `unknownObject` or `noPrivilege`; ``Muniment/StoreError``.
    public func observe(_ path: JSONPath = [], of id: String, since: Revision? = nil) throws -> ObservedChangeSequence {
        try store.observe(name(of: id), at: path, as: signedIn(), since: since)
    }
}
