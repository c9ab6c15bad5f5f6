public import Events
public import Notices
internal import Synchronization

/// The notices of a subscriber about gained and lost access (``Store/notices(for:after:)``).
///
/// Each iteration is a separate feed, and begins at the start of the sequence.
public struct NoticeFeed: AsyncSequence, Sendable {
    public typealias Element = Notice
    public typealias Failure = NoticeFeedError

    let store: Store
    let start: NoticeSubscriber

    /// The revision before the first one of the feed.
    public var after: Revision { start.revision }

    public func makeAsyncIterator() -> Iterator { Iterator(store: store, subscriber: start) }

    /// One feed. The store keeps state for it only while it waits.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let store: Store
        private var subscriber: NoticeSubscriber
        private var found: ArraySlice<Notice> = []
        /// Whether the subscriber has advanced since the feed last let others run.
        private var hasLooked = false
        private var hasEnded = false
        /// The position of the feed, for other tasks.
        public let position: FeedPosition

        init(store: Store, subscriber: NoticeSubscriber) {
            self.store = store
            position = FeedPosition(store.feed)
            self.subscriber = subscriber
        }

        /// The last examined revision: all notices up to it were found, and the undelivered ones are next. It also advances over
        /// revisions without notices.
        public var revision: Revision { subscriber.revision }

        /// Waits for the next notice and returns it. Returns nil after the task was cancelled, and after the end.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(NoticeFeedError) -> Notice? {
            while !hasEnded, !Task.isCancelled {
                if let notice = found.popFirst() { return notice }
                // A look is a bounded amount of work. Other feeds on the same thread run between two looks.
                if hasLooked { await Task.yield() }
                hasLooked = true
                switch store.look(&subscriber) {
                case .success(.notices(let notices)): found = notices[...]
                case .success(.more): break
                case .success(.nothing(let subjects)):
                    hasLooked = false
                    subscriber.take(
                        await store.waitForCommit(after: subscriber.revision, affecting: subjects, telling: position))
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

/// The position of a feed, readable by other tasks. A service uses it to tell a client where it can resume, even while nothing is
/// delivered.
public final class FeedPosition: Sendable {
    private let feed: CommitSignal
    /// The id of the feed's present or last wait.
    private let waiter = Atomic<UInt64>(0)

    init(_ feed: CommitSignal) { self.feed = feed }

    /// The last processed revision: the feed has delivered everything up to it. Nil while it does not wait. It can be later than the
    /// revision of the last delivery.
    public var passed: Revision? { feed.passed(by: waiter.load(ordering: .acquiring)) }

    func begin(as waiter: UInt64) { self.waiter.store(waiter, ordering: .releasing) }
}

/// The reason a feed ended. All earlier notices were delivered before.
public enum NoticeFeedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store was closed. After reopening it, the feed can continue after the last revision that was delivered in full.
    case storeClosed
    /// The store cannot be read.
    case unreadable(why: String)

    public var description: String {
        switch self {
        case .storeClosed: "the store was closed: open it, and continue after the last revision that was delivered in full"
        case .unreadable(let why):
            "the store cannot be read (\(why)): repair it, and continue after the last revision that was delivered in full"
        }
    }
}
