public import Events
internal import Synchronization

/// Where a feed of notices is, for others than the one that takes from it: a service tells a client how far it may go on from, also
/// while nothing concerns it.
public final class FeedPosition: Sendable {
    private let feed: ChangeFeed
    /// As which waiter the feed waits, or waited last.
    private let waiter = Atomic<UInt64>(0)

    init(_ feed: ChangeFeed) { self.feed = feed }

    /// The revision up to which the feed has brought everything there is; nil while it does not wait. It can be behind the revision of
    /// the last notice.
    public var passed: Revision? { feed.passed(by: waiter.load(ordering: .acquiring)) }

    func begin(as waiter: UInt64) { self.waiter.store(waiter, ordering: .releasing) }
}
