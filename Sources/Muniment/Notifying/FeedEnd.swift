/// Why a feed came to its end. What was found before that was delivered first.
public enum FeedEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store was closed. The feed can go on behind the last revision that was delivered in full when it is open again.
    case storeClosed
    /// The store cannot be read.
    case unreadable(why: String)

    public var description: String {
        switch self {
        case .storeClosed: "the store was closed: open it, and go on behind the last revision that was delivered in full"
        case .unreadable(let why):
            "the store cannot be read (\(why)): mend that, and go on behind the last revision that was delivered in full"
        }
    }
}
