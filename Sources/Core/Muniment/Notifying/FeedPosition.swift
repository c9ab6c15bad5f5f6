public import Events
internal import Synchronization

/// The position of a feed of notices, readable by other tasks. A service uses it to tell a client where it can resume, even while
/// no notice is delivered.
public final class FeedPosition: Sendable {
    private let feed: ChangeFeed
    /// The id of the feed's present or last wait.
    private let waiter = Atomic<UInt64>(0)

    init(_ feed: ChangeFeed) { self.feed = feed }

    /// The last processed revision: the feed has delivered all notices up to it. Nil while it does not wait. It can be later than
    /// the revision of the last notice.
    public var passed: Revision? { feed.passed(by: waiter.load(ordering: .acquiring)) }

    func begin(as waiter: UInt64) { self.waiter.store(waiter, ordering: .releasing) }
}
