public import Muniment
internal import Notices

/// Live notices for a user about shared objects (``SharedObjects/notices(after:)``).
///
/// Each iteration begins at the start of the sequence.
public struct SharedObjectNotices: AsyncSequence, Sendable {
    public typealias Element = SharedObjectNotice
    public typealias Failure = NoticeFeedError

    let feed: NoticeFeed
    let className: String

    public func makeAsyncIterator() -> Iterator { Iterator(feed: feed.makeAsyncIterator(), className: className) }

    public struct Iterator: AsyncIteratorProtocol {
        private var feed: NoticeFeed.Iterator
        private let className: String
        /// The remaining notices of a revision. The last element is the next notice.
        private var pending: [SharedObjectNotice] = []

        init(feed: NoticeFeed.Iterator, className: String) {
            self.feed = feed
            self.className = className
        }

        /// Waits for the next notice and returns it. Nil after the task is cancelled, and after the end.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(NoticeFeedError)
            -> SharedObjectNotice?
        {
            while true {
                if let notice = pending.popLast() { return notice }
                guard let revision = try await nextRevision() else { return nil }
                pending = SharedObjectNotice.grouping(revision, class: className).reversed()
            }
        }

        /// Returns all notices of the next revision that has any.
        private mutating func nextRevision(isolation actor: isolated (any Actor)? = #isolation) async throws(NoticeFeedError)
            -> [Notice]?
        {
            var notices: [Notice] = []
            while let notice = try await feed.next() {
                notices.append(notice)
                if notice.completesRevision { return notices }
            }
            return nil
        }
    }
}
