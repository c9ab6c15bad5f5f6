import Events
import Muniment
import Permissions
import Wire

/// Revisions of spans that begin and end at revisions, times or days.
extension Store {
    /// Returns the revisions of a span; none if no commit was made in it.
    ///
    /// - Parameters:
    ///   - first: the first moment; nil for the creation of the store.
    ///   - last: the last moment; nil for the head.
    /// - Throws: ``UsageError`` if the span ends before its start; ``StoreError/noSuchRevision(_:head:)``.
    func revisions(from first: Moment?, to last: Moment?) throws -> Range<UInt64> {
        let head = try head.revision
        for case .revision(let revision)? in [last, first] where revision > head {
            throw StoreError.noSuchRevision(revision, head: head)
        }
        let begin = try first.map(firstRevision) ?? 0
        let end = try last.map(revisionAfter) ?? head.rawValue + 1
        switch (first, last) {
        case (.revision(let first)?, .revision(let last)?) where first > last:
            throw UsageError(SpanError(from: first, to: last).description)
        case (.time(let first)?, .time(let last)?) where first > last:
            throw UsageError("the span ends at \(last), before its start \(first); swap the two")
        default: return begin..<max(begin, end)
        }
    }

    /// Returns the revisions of a span that changed an object, a subject or a role.
    ///
    /// - Throws: `Refusal` with `unknownObject` for a name that the store never had.
    func revisions(of name: Name, in span: Range<UInt64>) throws -> [UInt64] {
        try revisions(of: name, after: nil, through: .open).map(\.rawValue).filter(span.contains)
    }

    /// Returns consecutive commits.
    ///
    /// - Parameter name: returns only the events about this name; nil for all events.
    func commits(_ revisions: AnyRandomAccessCollection<UInt64>, about name: Name?) throws -> [CommitDescription] {
        guard let first = revisions.first, let last = revisions.last else { return [] }
        var commits: [CommitDescription] = []
        try log(from: Revision(first), to: Revision(last)) { commit in
            commits.append(try name.map { try CommitDescription(commit, about: $0) } ?? CommitDescription(commit))
        }
        return commits
    }

    private func firstRevision(_ moment: Moment) throws -> UInt64 {
        guard case .time(let instant) = moment else { return try read(at: moment) { $0.revision.rawValue } }
        return try revisionAfter(.time(instant.advanced(byMicroseconds: -1)))
    }

    private func revisionAfter(_ moment: Moment) throws -> UInt64 {
        if case .time(let instant) = moment, try instant < time(of: .genesis) { return 0 }
        return try read(at: moment) { $0.revision.rawValue + 1 }
    }
}
