internal import Synchronization

/// A session that is over with the process, or with whoever holds this.
public final class InMemorySessionStore: SessionStore {
    private let session: Mutex<StoredSession?>

    /// - Parameter session: what is kept already.
    public init(_ session: StoredSession? = nil) { self.session = Mutex(session) }

    public func load() -> StoredSession? { session.withLock { $0 } }
    public func save(_ session: StoredSession?) { self.session.withLock { $0 = session } }
}
