/// Stores a session in a file that only its owner can read (mode 0600).
public struct FileSessionStore: SessionStore {
    public let path: String

    /// - Parameter path: the path of the file, in an existing folder. Only one process at a time may use it.
    public init(path: String) { self.path = path }

    /// - Throws: ``SessionFileError`` if the file contains no session, or the error of the file system.
    public func load() throws -> StoredSession? {
        guard let bytes = try PrivateFile.read(path, limitBytes: StoredSession.limitBytes) else { return nil }
        guard let session = StoredSession(encoded: bytes) else { throw SessionFileError(path: path) }
        return session
    }

    /// - Throws: the error of the file system. The file then keeps its previous content.
    public func save(_ session: StoredSession?) throws {
        guard let session else { return try PrivateFile.remove(path) }
        try PrivateFile.replace(path, with: session.encoded)
    }
}

/// The file contains no valid session.
public struct SessionFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String

    public var description: String { "`\(path)` does not contain a session; remove it, and sign in again" }
}
