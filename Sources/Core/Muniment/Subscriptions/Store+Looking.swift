internal import Dispatch
package import Events
internal import Projections

/// Reading new commits, and waiting for them.
extension Store {
    /// The number of attempts of a reader that is overtaken by a writer.
    private static let attempts = 64
    /// The interval between checks for commits of another process, in a store opened for reading with waiters.
    private static let followingInterval = DispatchTimeInterval.milliseconds(20)
    private static let followingQueue = DispatchQueue(label: "muniment.follower")

    /// Advances an observer. If that fails, the observation ends.
    func look(_ observer: inout Observer) -> Observer.AdvanceResult {
        let looked = advance(&observer) { (found: Observer.AdvanceResult) in
            if case .nothing = found { true } else { false }
        } by: {
            try $0.look($1, log)
        }
        switch looked {
        case .success(let found): return found
        case .failure(.storeClosed): return .end(.storeClosed)
        case .failure(.unreadable(let why)): return .end(.unreadable(why: why))
        }
    }

    /// Advances an observer, a subscriber or a replica. After a failure it is as it was.
    ///
    /// - Parameters:
    ///   - position: the observer, the subscriber or the replica.
    ///   - isLast: returns whether nothing follows up to the head.
    ///   - body: advances it.
    func advance<Position, Found>(
        _ position: inout Position, isLast: (Found) -> Bool, by body: (inout Position, IndexReader) throws -> Found
    ) -> Result<Found, NoticeFeedError> {
        // A failed look, and one that a writer has overtaken, is dropped with all it has changed.
        let start = position
        let looked = look { (reader) throws in
            position = start
            return try body(&position, reader)
        }
        if case .failure = looked { position = start }
        return looked.flatMap { found in
            guard isLast(found), let failure = writer?.failure else { return .success(found) }
            return .failure(.unreadable(why: StoreError.behindTheLog(why: failure).description))
        }
    }

    /// Calls `body` with a reader, and repeats it if a writer of another process has overtaken the reader.
    func look<R>(_ body: (IndexReader) throws -> R) -> Result<R, NoticeFeedError> {
        for _ in 0..<Self.attempts {
            do {
                guard let result = try feed.looking({ try withReader(body) }) else { return .failure(.storeClosed) }
                return .success(result)
            } catch StoreError.overtaken {
                continue
            } catch StoreError.closed {
                return .failure(.storeClosed)
            } catch {
                return .failure(.unreadable(why: "\(error)"))
            }
        }
        return .failure(.unreadable(why: StoreError.overtaken(path: folder.path).description))
    }

    /// Waits for a commit after a revision that touches one of some entities, until the store is closed or the task is cancelled.
    /// It can also return without such a commit.
    ///
    /// - Parameters:
    ///   - revision: the last revision that the caller has processed.
    ///   - entities: the numbers of the entities.
    ///   - position: receives the position of the caller while it waits.
    ///   - isolation: the actor of the caller.
    func waitForCommits(
        after revision: Revision, touching entities: Set<UInt64>, telling position: FeedPosition,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        await feed.wait(after: revision, for: .touching, entities, telling: position) { [self] in followLater() }
    }

    /// Waits in the same way for a commit that may affect one of some subjects. Returns what is
    /// known of that commit.
    ///
    /// - Parameters:
    ///   - revision: the last revision that the caller has processed.
    ///   - subjects: the subjects.
    ///   - readsValues: whether the caller also receives what these subjects may read.
    ///   - position: receives the position of the caller while it waits.
    ///   - isolation: the actor of the caller.
    func waitForCommit(
        after revision: Revision, affecting subjects: Set<UInt64>, readsValues: Bool = false, telling position: FeedPosition,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Wakening {
        await feed.wait(
            after: revision, for: readsValues ? .affectingValues : .affecting, subjects, telling: position
        ) { [self] in followLater() }
    }

    /// Waits for a commit after a revision, until the store is closed or the task is cancelled. It can also return without one.
    ///
    /// - Parameter revision: the last revision that the caller has processed.
    /// - Returns: false if no commit can follow in this store: it is closed, or its index has stopped following the log.
    @discardableResult
    package func waitForCommit(after revision: Revision, isolation: isolated (any Actor)? = #isolation) async -> Bool {
        await feed.wait(after: revision, for: .anything) { [self] in followLater() }
        return feed.isTelling
    }

    /// The number of present waiters, for tests of the wake-up rules.
    package var waitingObservers: Int { feed.waitingCount }

    /// Checks for commits of another process after an interval, and repeats this as long as a waiter exists.
    private func followLater() {
        guard writer == nil else { return }
        Self.followingQueue.asyncAfter(deadline: .now() + Self.followingInterval) { [weak self] in
            guard let self, feed.isAwaited() else { return }
            do {
                let head = try feed.looking { try withReader { $0.state.revision } }
                if let head { feed.tell(head) }
            } catch StoreError.overtaken {
                // The next check follows soon.
            } catch {
                // The waiters meet the same error and report it.
                feed.wakeAll()
            }
            followLater()
        }
    }
}
