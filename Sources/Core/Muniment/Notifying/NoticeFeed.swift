public import Events
public import Notices

/// The notices of a subscriber about gained and lost access (``Store/notices(for:after:)``).
///
/// Each iteration is a separate feed, and begins at the start of the sequence.
public struct NoticeFeed: AsyncSequence, Sendable {
    public typealias Element = Notice
    public typealias Failure = FeedEnd

    let store: Store
    let start: NoticeSubscriber

    /// The revision before the first one of the feed.
    public var after: Revision { start.revision }

    public func makeAsyncIterator() -> Iterator { Iterator(store: store, subscriber: start) }

    /// One feed. The store keeps state for it only while it waits.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let store: Store
        private var subscriber: NoticeSubscriber
        /// Notices that were found and not delivered yet.
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
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(FeedEnd) -> Notice? {
            while !hasEnded, !Task.isCancelled {
                if let notice = found.popFirst() { return notice }
                // A look is a bounded amount of work. Other feeds on the same thread run between two looks.
                if hasLooked { await Task.yield() }
                hasLooked = true
                switch store.look(&subscriber) {
                case .success(.notices(let notices)): found = notices[...]
                case .success(.more): break
                case .success(.nothing(let concerns)):
                    hasLooked = false
                    if let commit = await store.waitForCommit(behind: subscriber.revision, concerning: concerns, telling: position)
                    {
                        subscriber.hand(commit)
                    }
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
