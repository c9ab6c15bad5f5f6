internal import Synchronization

/// Stores a session in memory.
public final class InMemorySessionStore: SessionStore {
    private let session: Mutex<StoredSession?>

    /// - Parameter session: the initial session.
    public init(_ session: StoredSession? = nil) { self.session = Mutex(session) }

    public func load() -> StoredSession? { session.withLock { $0 } }
    public func save(_ session: StoredSession?) { self.session.withLock { $0 = session } }
}
