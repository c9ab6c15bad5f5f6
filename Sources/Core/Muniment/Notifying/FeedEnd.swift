/// The reason a feed ended. All earlier notices were delivered before.
public enum FeedEnd: Error, Hashable, Sendable, CustomStringConvertible {
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
