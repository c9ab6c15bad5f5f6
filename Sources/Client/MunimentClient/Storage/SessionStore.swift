public import Primitives

/// The stored part of a session: enough to continue it, without personal data.
public struct StoredSession: Hashable, Sendable {
    /// The refresh token. It can be used once. Secret.
    public let refresh: String
    /// When the refresh token expires.
    public let ends: Instant
    /// The nonce of the refresh in progress. A repetition with the same nonce returns the same tokens. Secret.
    public let nonce: String?

    /// - Parameters:
    ///   - refresh: the refresh token.
    ///   - ends: when it expires.
    ///   - nonce: the nonce of the refresh in progress.
    public init(refresh: String, ends: Instant, nonce: String? = nil) {
        self.refresh = refresh
        self.ends = ends
        self.nonce = nonce
    }
}

extension StoredSession: CustomStringConvertible, CustomDebugStringConvertible {
    /// Does not contain the secrets.
    public var description: String { "a session until \(ends)" }
    public var debugDescription: String { description }
}

/// Stores the session of a device between two starts of the process.
public protocol SessionStore: Sendable {
    /// Returns the stored session; nil if it does not exist.
    func load() throws -> StoredSession?

    /// Replaces the stored session; nil deletes it. The change is durable on return.
    func save(_ session: StoredSession?) throws
}
