internal import EventLog
public import Events
public import Notices
internal import Permissions
internal import Projections

extension Store {
    /// Returns every notice for a subscriber after one revision and up to another, sorted by revision, kind and object.
    ///
    /// Derived from the differences between consecutive revisions; no notices are stored (CONFORMANCE E6). Linear in the events
    /// between the two, and in the affected objects that are relevant to the subscriber.
    ///
    /// - Parameters:
    ///   - subscriber: a user or thing, known or not; a role, `everyone` or `anonymous`.
    ///   - revision: the last revision that the subscriber has handled.
    ///   - last: the last revision to include.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name, and for a name that is not a subject's;
    ///   ``StoreError/noSuchRevision(_:head:)``.
    public func notices(for subscriber: Name, after revision: Revision, through last: Revision) throws -> [Notice] {
        try notices(for: subscriber, after: revision, through: last, stoppingAt: .max).notices
    }

    /// Returns the notices of whole revisions until the limit is reached, and the last revision that the list covers.
    ///
    /// - Parameter count: after the revision that brings the number of notices to this, no more commits are read.
    package func notices(
        for subscriber: Name, after revision: Revision, through last: Revision, stoppingAt count: Int
    ) throws -> (notices: [Notice], end: Revision) {
        var notices: [Notice] = []
        let end = try forEachAccessStep(of: subscriber, after: revision, through: last) {
            notices.count >= count
        } _: { commit, step, reader in
            try step.forEachNotice { kind, wasAccessible in
                notices.append(try reader.notice(kind, of: step, at: commit.revision, wasAccessible: wasAccessible))
            }
        }
        notices.sort()
        for index in notices.indices where index + 1 == notices.count || notices[index].revision != notices[index + 1].revision {
            notices[index] = notices[index].last
        }
        return (notices, end)
    }

    /// Returns the notices for a subscriber as a sequence that waits for the next one. Each notice is delivered exactly once,
    /// from any past revision on, and then live, without a gap or a duplicate in between.
    ///
    /// The store keeps no state for subscribers: each reads the notices that it has not handled from the history. A slow
    /// subscriber, or one that returns after months, misses nothing and delays no other subscriber.
    ///
    /// - Revisions are in order. The notices of one revision have a reproducible order, and the last one is marked
    ///   (``Notices/Notice/completesRevision``).
    /// - The sequence ends by throwing a ``NoticeFeedError``, and without an error when its task is cancelled (CONFORMANCE F9–F13).
    ///
    /// Starting costs nothing. Catching up is linear in the events after `revision`; each commit costs its affected objects that
    /// are relevant to the subscriber. A waiting subscriber costs nothing for commits that do not affect it.
    ///
    /// - Parameters:
    ///   - subscriber: a user or thing, known or not; a role, `everyone` or `anonymous`.
    ///   - revision: the last revision that the subscriber has handled; nil for the head.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name, and for a name that is not a subject's;
    ///   ``StoreError/noSuchRevision(_:head:)``.
    public func notices(for subscriber: Name, after revision: Revision? = nil) throws -> NoticeFeed {
        try checkSubscriber(subscriber)
        return try withReader { reader in
            if let revision { try reader.requireRevision(revision) }
            return NoticeFeed(store: self, start: NoticeSubscriber(subscriber, after: revision ?? reader.state.revision))
        }
    }

    /// Calls `body` with each change of a subject's access to objects in a span, in order of the commits.
    ///
    /// - Parameter isEnough: called after each commit; true stops after it.
    /// - Returns: the last revision that was processed.
    @discardableResult func forEachAccessStep(
        of subscriber: Name, after revision: Revision, through last: Revision, until isEnough: () -> Bool = { false },
        _ body: (Commit, ObjectAccessChange, IndexReader) throws -> Void
    ) throws -> Revision {
        try checkSubscriber(subscriber)
        return try withReader { reader in
            for asked in [revision, last] { try reader.requireRevision(asked) }
            guard revision < last else { return last }
            var named = NamedSubscriber(subscriber)
            do {
                try log.read { log in
                    try log.forEachCommit(from: revision.next, to: last) { commit, _ in
                        if var walk = try AccessWalk(commit, for: &named, reader) {
                            while try walk.resume(
                                4096, reader,
                                {
                                    try Cancellation.checkCurrent()
                                    try body(commit, $0, reader)
                                })
                            {}
                        }
                        if commit.revision < last, isEnough() { throw EnoughStepsError(end: commit.revision) }
                    }
                }
            } catch let enough as EnoughStepsError { return enough.end }
            return last
        }
    }

    private func checkSubscriber(_ name: Name) throws {
        if let problem = name.problem { throw problem }
        guard name.isSubject else {
            throw Refusal(.malformed, "`\(name)` cannot receive notices: name a user, a thing, a role, `everyone` or `anonymous`")
        }
    }

    /// Advances a subscriber. If that fails, its feed ends.
    func look(_ subscriber: inout NoticeSubscriber) -> Result<NoticeSubscriber.AdvanceResult, NoticeFeedError> {
        advance(&subscriber) {
            if case .nothing = $0 { true } else { false }
        } by: {
            try $0.look($1, log)
        }
    }

    /// Returns the subscribers a commit may affect; nil if it may affect any.
    func affectedSubscribers(of commit: Commit, readsValues: Bool) -> Set<UInt64>? {
        (try? feed.looking { try withReader { try AffectedSubscribers.subjects(of: commit, readsValues: readsValues, $0) } }) ?? nil
    }
}

private struct EnoughStepsError: Error {
    let end: Revision
}
