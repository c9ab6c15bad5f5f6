internal import Dispatch
package import Events
internal import Projections

/// Looking at what is new, and waiting for it.
extension Store {
    /// How often a reader that is overtaken tries again.
    private static let attempts = 64
    /// How often a store that was opened for reading looks for commits of another process, while somebody waits for them.
    private static let followingInterval = DispatchTimeInterval.milliseconds(20)
    private static let followingQueue = DispatchQueue(label: "muniment.follower")

    /// Lets an observer go on. Where it cannot, that is its end.
    func look(_ observer: inout Observer) -> Observer.Sight {
        let start = observer
        let looked = look { (reader) throws in
            var next = start
            let sight = try next.look(reader, log)
            return (next, sight)
        }
        switch looked {
        case .success((let next, let sight)):
            observer = next
            if case .nothing = sight, let failure = writer?.failure {
                return .end(.unreadable(why: StoreError.behindTheLog(why: failure).description))
            }
            return sight
        case .failure(.storeClosed): return .end(.storeClosed)
        case .failure(.unreadable(let why)): return .end(.unreadable(why: why))
        }
    }

    /// Reads as one that may be overtaken by a writer of another process, and then tries again.
    func look<R>(_ body: (IndexReader) throws -> R) -> Result<R, FeedEnd> {
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

    /// Waits until there is a commit behind a revision that touches one of some things, or the store is closed, or the task is
    /// cancelled. It can return without one.
    func waitForCommits(
        behind revision: Revision, touching things: Set<UInt64>, isolation: isolated (any Actor)? = #isolation
    ) async {
        await feed.wait(behind: revision, for: .touching(things)) { [self] in followLater() }
    }

    /// Waits until there is a commit behind a revision that concerns one of some subjects, in the same way; answers that commit
    /// where it is known that none before it does.
    func waitForCommit(
        behind revision: Revision, concerning subjects: Set<UInt64>, telling position: FeedPosition,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Commit? {
        await feed.wait(behind: revision, for: .concerning(subjects), telling: position) { [self] in followLater() }
    }

    /// Waits until there is a commit behind a revision, or the store is closed, or the task is cancelled. It can return without one.
    ///
    /// - Parameter revision: the last revision that the caller has seen.
    package func waitForCommit(behind revision: Revision, isolation: isolated (any Actor)? = #isolation) async {
        await feed.wait(behind: revision, for: .anything) { [self] in followLater() }
    }

    /// How many of those who observe wait at this moment, for tests of who is woken.
    package var waitingObservers: Int { feed.waitingCount }

    /// Looks for commits of another process in a moment, and again for as long as somebody waits.
    private func followLater() {
        guard writer == nil else { return }
        Self.followingQueue.asyncAfter(deadline: .now() + Self.followingInterval) { [weak self] in
            guard let self, feed.isAwaited() else { return }
            do {
                let head = try feed.looking { try withReader { $0.state.revision } }
                if let head { feed.tell(head) }
            } catch StoreError.overtaken {
                // The next look is soon.
            } catch {
                // Those who wait meet the same, and say so.
                feed.wakeAll()
            }
            followLater()
        }
    }
}
