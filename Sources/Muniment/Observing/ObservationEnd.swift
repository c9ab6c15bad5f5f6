public import Events

/// Why an observation came to its end. What was changed before that was delivered first.
public enum ObservationEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// At this revision the caller may not read the object, even if it may again later.
    case accessEnded(at: Revision)
    /// The object was deleted, by itself or with one above it. One of its name that is created later is another object.
    case objectDeleted(at: Revision)
    /// The store was closed. Observing can go on from the last revision that was delivered when it is open again.
    case storeClosed
    /// The store cannot be read.
    case unreadable(why: String)

    public var description: String {
        switch self {
        case .accessEnded(let revision):
            "the caller may not read the object at revision \(revision): once it may again, observe from a revision where it does"
        case .objectDeleted(let revision): "the object was deleted at revision \(revision): observe another one"
        case .storeClosed: "the store was closed: open it, and observe since the last revision that was delivered"
        case .unreadable(let why): "the store cannot be read (\(why)): mend that, and observe since the last revision delivered"
        }
    }
}
