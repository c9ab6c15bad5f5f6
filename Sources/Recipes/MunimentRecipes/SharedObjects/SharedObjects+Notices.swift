public import Events
internal import Muniment
internal import Notices
internal import Permissions

/// Notices about objects that are shared, made public, or made inaccessible.
extension SharedObjects {
    /// Returns live notices about the current user's access to these objects: objects that were made public, made private, shared
    /// with the user, unshared, made inaccessible or deleted (CONFORMANCE F9 to F13).
    ///
    /// The store keeps no state for the user: a client that returns after months continues after the last revision it handled. The
    /// sequence belongs to the user that created it. For changes of privileges alone, use ``Muniment/Store/notices(for:after:)``.
    ///
    /// - Parameter revision: the last revision that the client knows; nil for the head. With the revision of an earlier fetch, no
    ///   change is missed.
    /// - Throws: `Refusal`: `notAuthenticated`; ``Muniment/StoreError``.
    public func notices(after revision: Revision? = nil) throws -> SharedObjectNotices {
        SharedObjectNotices(feed: try store.notices(for: signedIn(), after: revision), className: className)
    }

    /// Returns the notices of a span of past revisions, sorted by revision and kind.
    ///
    /// - Parameters:
    ///   - revision: the last revision before the span.
    ///   - last: the last revision of the span.
    /// - Throws: `Refusal`: `notAuthenticated`; ``Muniment/StoreError``.
    public func notices(after revision: Revision, through last: Revision) throws -> [SharedObjectNotice] {
        var grouped: [SharedObjectNotice] = []
        var ofRevision: [Notice] = []
        for notice in try store.notices(for: signedIn(), after: revision, through: last) {
            ofRevision.append(notice)
            guard notice.completesRevision else { continue }
            grouped += SharedObjectNotice.grouping(ofRevision, class: className)
            ofRevision = []
        }
        return grouped
    }
}
