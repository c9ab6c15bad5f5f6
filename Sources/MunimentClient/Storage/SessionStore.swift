public import Events

/// What a device keeps of a session: enough to go on with it, and nothing about the person.
public struct StoredSession: Hashable, Sendable {
    /// Good once, for new tokens. Secret.
    public let refresh: String
    /// From when on it is good for nothing.
    public let ends: Instant
    /// What the refresh that is on its way was sent with: sent with it again, it gives the same tokens again. Secret.
    public let nonce: String?

    /// - Parameters:
    ///   - refresh: the refresh token.
    ///   - ends: from when on it is good for nothing.
    ///   - nonce: what the refresh that is on its way was sent with.
    public init(refresh: String, ends: Instant, nonce: String? = nil) {
        self.refresh = refresh
        self.ends = ends
        self.nonce = nonce
    }
}

extension StoredSession: CustomStringConvertible, CustomDebugStringConvertible {
    /// Without what is secret in it.
    public var description: String { "a session until \(ends)" }
    public var debugDescription: String { description }
}

/// Where a device keeps its session between two starts.
public protocol SessionStore: Sendable {
    /// What was kept last; nil where nothing is.
    func load() throws -> StoredSession?

    /// Keeps a session in place of the last one; nil to keep none. On return it outlives the process.
    func save(_ session: StoredSession?) throws
}
