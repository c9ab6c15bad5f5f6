internal import Files
internal import Secrets

/// The key that all keys of accounts are sealed by, in a file of its own that nobody but its owner may read.
///
/// Whoever has a copy of the accounts and not of this file can read nothing that is personal in them. What is used are keys made
/// from it, one a purpose.
struct MasterKey: Sendable {
    /// Seals the keys of accounts.
    let wrapping: SealingKey
    /// What the tokens of sessions are made and checked with.
    let sessions: [UInt8]

    private static let byteCount = 32
    private static let word = "muniment-master-key-1 "

    init(_ bytes: [UInt8]) {
        func derived(_ purpose: String) -> [UInt8] { MAC.sha256(Array(purpose.utf8), key: bytes) }
        guard let wrapping = SealingKey(derived("muniment account keys 1")) else {
            preconditionFailure("HMAC-SHA-256 has as many bytes as a key")
        }
        self.wrapping = wrapping
        sessions = derived("muniment sessions 1")
    }

    /// Reads the key, or makes one where there are no accounts yet.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - isNeeded: whether there are accounts that only the right key opens.
    /// - Throws: ``AccountBookError`` for a file that is missing, exposed or no key; `FileError`.
    static func load(path: String, isNeeded: Bool) throws -> MasterKey {
        if try !exists(path) {
            guard !isNeeded else { throw AccountBookError.masterKeyMissing(path: path) }
            let text = word + Base64URL.encode(Secrets.randomBytes(byteCount)) + "\n"
            _ = try createFile(path, with: Array(text.utf8))
        }
        if let mode = fileMode(path), mode & 0o077 != 0 {
            throw AccountBookError.masterKeyExposed(path: path, mode: mode & 0o777)
        }
        let text = try readFile(path)
        guard text.starts(with: word.utf8), text.last == UInt8(ascii: "\n"),
            let bytes = Base64URL.decode(text.dropFirst(word.utf8.count).dropLast()), bytes.count == byteCount
        else { throw AccountBookError.masterKeyMalformed(path: path) }
        return MasterKey(bytes)
    }
}
