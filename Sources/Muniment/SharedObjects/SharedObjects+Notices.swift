public import Events
internal import Notices
internal import Permissions

/// Being told what is shared, made public, and taken away.
extension SharedObjects {
    /// What happens to the current user's access to these objects, as it happens: which were made public, made private, shared with
    /// the user, unshared, made inaccessible or deleted (CONFORMANCE F9 to F13).
    ///
    /// Nothing is kept for the user: whoever comes back after months goes on behind the last revision handled. It goes on as the user
    /// whom it was made for. What changes in privileges alone ``Store/notices(for:after:)`` tells.
    ///
    /// - Parameter revision: the last revision that is known already; nil for the head. With the revision of an earlier fetching
    ///   nothing is missed.
    /// - Throws: `Refusal`: `notAuthenticated`; ``StoreError``.
    public func notices(after revision: Revision? = nil) throws -> ObjectNotices {
        ObjectNotices(feed: try store.notices(for: signedIn(), after: revision), className: className)
    }

    /// The same for a span of revisions that is over; sorted by revision and kind.
    ///
    /// - Parameters:
    ///   - revision: the last revision before the span.
    ///   - last: the last revision of the span.
    /// - Throws: `Refusal`: `notAuthenticated`; ``StoreError``.
    public func notices(after revision: Revision, through last: Revision) throws -> [ObjectsNotice] {
        var grouped: [ObjectsNotice] = []
        var ofRevision: [Notice] = []
        for notice in try store.notices(for: signedIn(), after: revision, through: last) {
            ofRevision.append(notice)
            guard notice.completesRevision else { continue }
            grouped += ObjectsNotice.grouping(ofRevision, class: className)
            ofRevision = []
        }
        return grouped
    }
}
