internal import Files
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

/// Stores a session in memory.
public final class InMemorySessionStore: SessionStore {
    private let session: Mutex<StoredSession?>

    /// - Parameter session: the initial session.
    public init(_ session: StoredSession? = nil) { self.session = Mutex(session) }

    public func load() -> StoredSession? { session.withLock { $0 } }
    public func save(_ session: StoredSession?) { self.session.withLock { $0 = session } }
}

/// Stores a session in a file that only its owner can read (mode 0600).
public struct FileSessionStore: SessionStore {
    public let path: String

    private static let format = "muniment-session/1"
    private static let limitBytes = 4_096

    /// - Parameter path: the path of the file, in an existing folder. Only one process at a time may use it.
    public init(path: String) { self.path = path }

    /// - Throws: ``SessionFileError`` if the file contains no session, or the error of the file system.
    public func load() throws -> StoredSession? {
        guard try exists(path) else { return nil }
        guard case .object(let members)? = try? JSONText.decode(readFile(path), limit: FileSessionStore.limitBytes),
            members.text("format") == FileSessionStore.format, let refresh = members.text("refresh"),
            let ends = members.instant("ends")
        else { throw SessionFileError(path: path) }
        return StoredSession(refresh: refresh, ends: ends, nonce: members.text("nonce"))
    }

    /// - Throws: the error of the file system. The file then keeps its previous content.
    public func save(_ session: StoredSession?) throws {
        guard let session else {
            if try exists(path) {
                try removeFile(path)
                try syncFolder(of: path)
            }
            return
        }
        var members: JSONObject = [
            "format": .string(FileSessionStore.format), "refresh": .string(session.refresh), "ends": .string("\(session.ends)"),
        ]
        if let nonce = session.nonce { members["nonce"] = .string(nonce) }
        try replaceFile(path, with: JSONText.encode(.object(members)))
    }
}

/// The file contains no valid session.
public struct SessionFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String

    public var description: String { "`\(path)` does not contain a session; remove it, and sign in again" }
}
