internal import EventLog
public import Events
internal import Hashing

/// The steps of a replica (``Store/replica(of:classes:after:containing:)``), in portions of a bounded size.
///
/// Each iteration is a separate feed, and begins at the start of the sequence.
public struct ReplicaFeed: AsyncSequence, Sendable {
    public typealias Element = [ReplicaPart]
    public typealias Failure = NoticeFeedError

    let store: Store
    let start: ReplicaSubscriber

    /// The revision of the replica, or of the fill that the feed begins with.
    public var revision: Revision { start.revision }

    /// Whether the feed begins with a fill: the replica is new or has other classes, or the history does not contain its position.
    public var isFilling: Bool { start.isFilling }

    public func makeAsyncIterator() -> Iterator { Iterator(store: store, subscriber: start) }

    /// Returns the position of a complete replica at a revision that the feed has passed.
    public func position(at revision: Revision) throws -> ReplicaPosition {
        let hash = try store.users.during { try store.log.read { try $0.hash(of: revision) } }
        return ReplicaPosition(revision: revision, hash: ReplicaPosition.text(of: hash), digest: start.digest)
    }

    /// One feed. The store keeps state for it only while it waits.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let store: Store
        private var subscriber: ReplicaSubscriber
        private var awaited = Awaited.nothing
        /// The position of the feed, for other tasks. It has passed a revision only if the replica is complete there.
        public let position: FeedPosition

        private enum Awaited {
            case nothing
            /// A look is a bounded amount of work. Other feeds on the same thread run between two looks.
            case turn
            case commit(affecting: Set<UInt64>)
            /// The next commit, which records an end of access.
            case recordedEnd(head: Revision)
            /// The feed has ended.
            case end
        }

        init(store: Store, subscriber: ReplicaSubscriber) {
            self.store = store
            self.subscriber = subscriber
            position = FeedPosition(store.feed)
        }

        /// Waits for the next parts and returns them. Returns nil after the task was cancelled, and after the end.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(NoticeFeedError)
            -> [ReplicaPart]?
        {
            while true {
                await wait()
                guard let parts = try look() else { return nil }
                if !parts.isEmpty { return parts }
            }
        }

        /// Waits until ``look()`` may find parts.
        public mutating func wait(isolation actor: isolated (any Actor)? = #isolation) async {
            switch awaited {
            case .nothing, .end: break
            case .turn: await Task.yield()
            case .commit(let subjects):
                subscriber.take(
                    await store.waitForCommit(
                        after: subscriber.revision, affecting: subjects, readsValues: true, telling: position))
            case .recordedEnd(let head): await store.waitForCommit(after: head)
            }
        }

        /// Returns the next parts without waiting, possibly none. Returns nil after the task was cancelled, and after the end.
        public mutating func look() throws(NoticeFeedError) -> [ReplicaPart]? {
            if case .end = awaited { return nil }
            guard !Task.isCancelled else {
                awaited = .end
                return nil
            }
            switch store.look(&subscriber) {
            case .success(.parts(let parts, let subjects)):
                awaited = subjects.map { .commit(affecting: $0) } ?? .turn
                return parts
            case .success(.nothing(let subjects)): awaited = .commit(affecting: subjects)
            case .success(.unsettled(let head)): awaited = .recordedEnd(head: head)
            case .failure(let end):
                awaited = .end
                throw end
            }
            return []
        }
    }
}
