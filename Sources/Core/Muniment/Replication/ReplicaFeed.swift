internal import EventLog
public import Events
internal import Hashing

/// The steps of a replica (``Store/replica(of:classes:after:)``), in portions of a bounded size.
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
        return ReplicaPosition(revision: revision, hash: hash, digest: start.digest)
    }

    /// One feed. The store keeps state for it only while it waits.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let store: Store
        private var subscriber: ReplicaSubscriber
        /// Whether the subscriber has advanced since the feed last let others run.
        private var hasLooked = false
        private var hasEnded = false
        /// The position of the feed, for other tasks. It has passed a revision only if the replica is complete there.
        public let position: FeedPosition

        init(store: Store, subscriber: ReplicaSubscriber) {
            self.store = store
            self.subscriber = subscriber
            position = FeedPosition(store.feed)
        }

        /// Waits for the next parts and returns them. Returns nil after the task was cancelled, and after the end.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(NoticeFeedError)
            -> [ReplicaPart]?
        {
            while !hasEnded, !Task.isCancelled {
                // A look is a bounded amount of work. Other feeds on the same thread run between two looks.
                if hasLooked { await Task.yield() }
                hasLooked = true
                switch store.look(&subscriber) {
                case .success(.parts(let parts)): if !parts.isEmpty { return parts }
                case .success(.unsettled(let head)): await store.waitForCommit(after: head)
                case .success(.nothing(let subjects)):
                    hasLooked = false
                    subscriber.take(
                        await store.waitForCommit(
                            after: subscriber.revision, affecting: subjects, readsValues: true, telling: position))
                case .failure(let end):
                    hasEnded = true
                    throw end
                }
            }
            hasEnded = true
            return nil
        }
    }
}
