public import Events

/// The reason an observation ended. All earlier changes were delivered before.
public enum ObservationEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// The caller may not read the object at this revision, even if it may again later.
    case accessEnded(at: Revision)
    /// The object was deleted, directly or with an object above it. A later object of the same name is a different object.
    case objectDeleted(at: Revision)
    /// The store was closed. After reopening it, observing can continue from the last delivered revision.
    case storeClosed
    /// The store cannot be read.
    case unreadable(why: String)

    public var description: String {
        switch self {
        case .accessEnded(let revision):
            "the caller may not read the object at revision \(revision): observe from a later revision with read access"
        case .objectDeleted(let revision): "the object was deleted at revision \(revision): observe another one"
        case .storeClosed: "the store was closed: open it, and observe since the last revision that was delivered"
        case .unreadable(let why): "the store cannot be read (\(why)): repair it, and observe since the last revision delivered"
        }
    }
}
