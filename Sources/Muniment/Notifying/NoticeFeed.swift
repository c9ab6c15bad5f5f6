public import Events
public import Notices

/// What somebody is told of the access that it wins and loses (``Store/notices(for:after:)``).
///
/// Each iteration is a feed of its own, and begins where the sequence does.
public struct NoticeFeed: AsyncSequence, Sendable {
    public typealias Element = Notice
    public typealias Failure = FeedEnd

    let store: Store
    let start: NoticeSubscriber

    /// The revision behind which it begins.
    public var after: Revision { start.revision }

    public func makeAsyncIterator() -> Iterator { Iterator(store: store, subscriber: start) }

    /// One feed. Nothing is kept for it outside of itself but while it waits.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let store: Store
        private var subscriber: NoticeSubscriber
        /// Notices that are found and not delivered yet.
        private var found: ArraySlice<Notice> = []
        private var hasEnded = false
        /// Where the feed is, for others.
        public let position: FeedPosition

        init(store: Store, subscriber: NoticeSubscriber) {
            self.store = store
            position = FeedPosition(store.feed)
            self.subscriber = subscriber
        }

        /// The revision up to which everything was found; what of it was not delivered yet comes next. Behind revisions that bring
        /// nothing it moves on by itself.
        public var revision: Revision { subscriber.revision }

        /// The next notice; waits for it. Nil once the task is cancelled, and after the end.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(FeedEnd) -> Notice? {
            while !hasEnded, !Task.isCancelled {
                if let notice = found.popFirst() { return notice }
                switch store.look(&subscriber) {
                case .success(.notices(let notices)):
                    found = notices[...]
                    if notices.isEmpty { await Task.yield() }
                case .success(.more): await Task.yield()
                case .success(.nothing(let concerns)):
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
