internal import Events
internal import Files

/// A session in a file that its owner alone may read (mode 0600).
public struct FileSessionStore: SessionStore {
    public let path: String

    private static let format = "muniment-session/1"
    private static let limitBytes = 4_096

    /// - Parameter path: of the file, in a folder that there is. One process at a time may use it.
    public init(path: String) { self.path = path }

    /// - Throws: ``SessionFileError`` for a file that holds none, or the error of the file system.
    public func load() throws -> StoredSession? {
        guard try exists(path) else { return nil }
        guard case .object(let members)? = try? JSONText.decode(readFile(path), limit: FileSessionStore.limitBytes),
            members.text("format") == FileSessionStore.format, let refresh = members.text("refresh"),
            let ends = members.instant("ends")
        else { throw SessionFileError(path: path) }
        return StoredSession(refresh: refresh, ends: ends, nonce: members.text("nonce"))
    }

    /// - Throws: the error of the file system. What was kept before is then kept still.
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

/// A file that holds no session.
public struct SessionFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String

    public var description: String { "`\(path)` holds no session; remove it, and sign in again" }
}
