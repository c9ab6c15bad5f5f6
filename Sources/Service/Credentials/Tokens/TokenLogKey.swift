internal import Files
internal import Secrets

/// The key of the codes in a shared log of tokens. The nodes have it, and the database does not.
///
/// It is in a file of the data directory that only its owner can read: the word `muniment-token-log-key-1` and 32 random bytes.
struct TokenLogKey: Sendable {
    private let bytes: [UInt8]

    private static let byteCount = 32
    private static let word = "muniment-token-log-key-1 "

    private init(_ secret: [UInt8]) { bytes = MAC.sha256(Array("muniment token log lines 1".utf8), key: secret) }

    /// Returns the code of the content of a line: 32 bytes.
    func code(of content: [UInt8]) -> [UInt8] { MAC.sha256(content, key: bytes) }

    /// Reads the key; nil if the file does not exist.
    ///
    /// - Throws: ``TokenLogError/keyMalformed(path:)``, `ExposedFileError` for a file that others can read, or `FileError`.
    static func read(_ path: String) throws -> TokenLogKey? {
        guard try exists(path) else { return nil }
        try requirePrivateFile(path)
        let text = try readFile(path)
        guard text.starts(with: word.utf8), text.last == UInt8(ascii: "\n"),
            let secret = Base64URL.decode(text.dropFirst(word.utf8.count).dropLast()), secret.count == byteCount
        else { throw TokenLogError.keyMalformed(path: path) }
        return TokenLogKey(secret)
    }

    /// Reads the key, or makes one if the file does not exist.
    static func readOrMake(_ path: String) throws -> TokenLogKey {
        if let key = try read(path) { return key }
        // Another process of this machine may make it at the same time.
        _ = try createFile(path, with: random())
        guard let key = try read(path) else { throw TokenLogError.keyMalformed(path: path) }
        return key
    }

    /// Makes a new key in place of the present one.
    static func replace(_ path: String) throws -> TokenLogKey {
        try replaceFile(path, with: random(), isShared: true)
        return try readOrMake(path)
    }

    private static func random() -> [UInt8] { Array((word + Base64URL.encode(Secrets.randomBytes(byteCount)) + "\n").utf8) }
}
