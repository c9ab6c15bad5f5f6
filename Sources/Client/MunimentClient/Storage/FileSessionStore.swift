internal import Files
internal import Primitives

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
