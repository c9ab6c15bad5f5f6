internal import Files
internal import Secrets

/// The key that seals the keys of all accounts. It is in a separate file that only its owner can read.
///
/// A copy of the accounts without this file reveals no personal data. The key is not used directly; a separate key is derived for
/// each purpose.
struct MasterKey: Sendable {
    /// Seals the keys of accounts.
    let wrapping: EncryptionKey
    /// The key that makes and checks session tokens.
    let sessions: [UInt8]

    private static let byteCount = 32
    private static let word = "muniment-master-key-1 "

    init(_ bytes: [UInt8]) {
        func derived(_ purpose: String) -> [UInt8] { MAC.sha256(Array(purpose.utf8), key: bytes) }
        guard let wrapping = EncryptionKey(derived("muniment account keys 1")) else {
            preconditionFailure("HMAC-SHA-256 has as many bytes as a key")
        }
        self.wrapping = wrapping
        sessions = derived("muniment sessions 1")
    }

    /// Reads the key, or creates it if no account exists.
    ///
    /// - Parameter isNeeded: whether accounts exist that need the original key.
    /// - Throws: ``AccountDatabaseError`` if the file is missing, readable by others or malformed; `FileError`.
    static func load(path: String, isNeeded: Bool) throws -> MasterKey {
        if try !exists(path) {
            guard !isNeeded else { throw AccountDatabaseError.masterKeyMissing(path: path) }
            let text = word + Base64URL.encode(Secrets.randomBytes(byteCount)) + "\n"
            _ = try createFile(path, with: Array(text.utf8))
        }
        if let mode = fileMode(path), mode & 0o077 != 0 {
            throw AccountDatabaseError.masterKeyExposed(path: path, mode: mode & 0o777)
        }
        let text = try readFile(path)
        guard text.starts(with: word.utf8), text.last == UInt8(ascii: "\n"),
            let bytes = Base64URL.decode(text.dropFirst(word.utf8.count).dropLast()), bytes.count == byteCount
        else { throw AccountDatabaseError.masterKeyMalformed(path: path) }
        return MasterKey(bytes)
    }
}
