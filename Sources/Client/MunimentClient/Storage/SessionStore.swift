public import Primitives
internal import Synchronization

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

extension StoredSession: CustomStringConvertible {
    /// Does not contain the secrets.
    public var description: String { "a session until \(ends)" }
}

extension StoredSession {
    private static let format = "muniment-session/1"
    static let limitBytes = 4_096

    /// The session as JSON.
    var encoded: [UInt8] {
        get throws {
            var members: JSONObject = [
                "format": .string(StoredSession.format), "refresh": .string(refresh), "ends": .string("\(ends)"),
            ]
            if let nonce { members["nonce"] = .string(nonce) }
            return try JSONText.encode(.object(members))
        }
    }

    /// Returns nil if the bytes are not an encoded session.
    init?(encoded bytes: [UInt8]) {
        guard case .object(let members)? = try? JSONText.decode(bytes, limit: StoredSession.limitBytes),
            members.text("format") == StoredSession.format, let refresh = members.text("refresh"),
            let ends = try? members["ends"]?.readInstant()
        else { return nil }
        self.init(refresh: refresh, ends: ends, nonce: members.text("nonce"))
    }
}

/// Stores the session of a device between two starts of the process.
public protocol SessionStore: Sendable {
    /// Returns the stored session; nil if it does not exist.
    func load() throws -> StoredSession?

    /// Replaces the stored session; nil deletes it. The change is durable on return.
    func save(_ session: StoredSession?) throws
}

/// Stores a session in memory.
public final class InMemorySessionStore: SessionStore {
    private let session: Mutex<StoredSession?>

    /// - Parameter session: the initial session.
    public init(_ session: StoredSession? = nil) { self.session = Mutex(session) }

    public func load() -> StoredSession? { session.withLock { $0 } }
    public func save(_ session: StoredSession?) { self.session.withLock { $0 = session } }
}
