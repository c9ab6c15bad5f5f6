internal import EventLog
public import Events
public import Notices
public import Permissions
internal import Projections

/// Being told what is shared and what is taken away.
extension Store {
    /// Every notice for somebody behind one revision and up to another, sorted by revision, kind and object.
    ///
    /// Derived from the difference between the projections at each revision and the one before; nothing is stored for it
    /// (CONFORMANCE E6). Linear in the events between the two, and in the objects that they touched and the subscriber can meet.
    ///
    /// - Parameters:
    ///   - subscriber: a user or thing, known or not; a role, `everyone` or `anonymous`.
    ///   - revision: the last revision that the subscriber knows of.
    ///   - last: the last revision to tell of.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name, and for one that is nobody's; ``StoreError/noSuchRevision(_:head:)``.
    public func notices(for subscriber: Name, after revision: Revision, through last: Revision) throws -> [Notice] {
        var notices: [Notice] = []
        try forEachAccessStep(of: subscriber, after: revision, through: last) { commit, step, reader in
            try step.forEachNotice { kind, wasAccessible in
                notices.append(try reader.notice(kind, of: step, at: commit.revision, wasAccessible: wasAccessible))
            }
        }
        notices.sort()
        for index in notices.indices where index + 1 == notices.count || notices[index].revision != notices[index + 1].revision {
            notices[index] = notices[index].last
        }
        return notices
    }

    /// The notices for somebody as a sequence that waits for the next one: each exactly once, from any revision there ever was, and
    /// then live, without a gap or a repeat where the one goes over into the other.
    ///
    /// Nothing is kept for those who take notices: each takes what it has not seen from the history, so that one that is slow, or
    /// comes back after months, misses nothing and holds nobody up. Revisions come in order; the notices of one come in an order
    /// that is the same every time, and the last of them says so (``Notices/Notice/completesRevision``). The sequence ends by throwing a
    /// ``FeedEnd``, and without an error when its task is cancelled (CONFORMANCE F9–F13).
    ///
    /// Beginning costs nothing. Catching up is linear in the events behind `revision`; each commit costs what it touched and the
    /// subscriber can meet. A subscriber that waits costs nothing at commits that do not concern it.
    ///
    /// - Parameters:
    ///   - subscriber: a user or thing, known or not; a role, `everyone` or `anonymous`.
    ///   - revision: the last revision that the subscriber has handled; nil for the head.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name, and for one that is nobody's; ``StoreError/noSuchRevision(_:head:)``.
    public func notices(for subscriber: Name, after revision: Revision? = nil) throws -> NoticeFeed {
        try checkSubscriber(subscriber)
        let head = try withReader { $0.state.revision }
        if let revision, revision > head { throw StoreError.noSuchRevision(revision, head: head) }
        return NoticeFeed(store: self, start: NoticeSubscriber(subscriber, after: revision ?? head))
    }

    /// Hands out how somebody's access to objects changed with each commit of a span, in order of the commits.
    func forEachAccessStep(
        of subscriber: Name, after revision: Revision, through last: Revision,
        _ body: (Commit, AccessStep, IndexReader) throws -> Void
    ) throws {
        try checkSubscriber(subscriber)
        try withReader { reader in
            for asked in [revision, last] where asked > reader.state.revision {
                throw StoreError.noSuchRevision(asked, head: reader.state.revision)
            }
            guard revision < last else { return }
            var viewpoint = Viewpoint(subscriber)
            try log.read { log in
                try log.forEachCommit(from: revision.next, to: last) { commit, _ in
                    guard var walk = try AccessWalk(commit, for: &viewpoint, reader) else { return }
                    while try walk.goOn(4096, reader, { try body(commit, $0, reader) }) {}
                }
            }
        }
    }

    private func checkSubscriber(_ name: Name) throws {
        if let problem = name.problem { throw problem }
        guard name.isSubject else {
            throw Refusal(.malformed, "`\(name)` can be told nothing: name a user, a thing, a role, `everyone` or `anonymous`")
        }
    }

    /// Lets a subscriber go on. Where it cannot, that is its end.
    func look(_ subscriber: inout NoticeSubscriber) -> Result<NoticeSubscriber.Sight, FeedEnd> {
        let start = subscriber
        let looked = look { (reader) throws in
            var next = start
            let sight = try next.look(reader, log)
            return (next, sight)
        }
        return looked.flatMap { next, sight in
            subscriber = next
            if case .nothing = sight, let failure = writer?.failure {
                return .failure(.unreadable(why: StoreError.behindTheLog(why: failure).description))
            }
            return .success(sight)
        }
    }

    /// Whom a commit concerns that takes notices; nil where that can be anybody.
    func concern(of commit: Commit) -> Set<UInt64>? {
        (try? feed.looking { try withReader { try Concern.subjects(of: commit, $0) } }) ?? nil
    }
}
