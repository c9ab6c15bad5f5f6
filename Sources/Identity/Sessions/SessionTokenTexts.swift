internal import Events
internal import Hashing
internal import Secrets

/// Makes and reads the texts of tokens.
///
/// A token says whose it is, so that one look finds the session, and nothing has to be kept of tokens that were used. A refresh token
/// has a code in it as well, which only this service can make: one that has the code and is not the last of its session was used
/// before, while made-up ones end nobody's session.
struct SessionTokenTexts: Sendable {
    /// ``MasterKey/sessions``.
    let key: [UInt8]

    private static let accessPrefix = "muna_"
    private static let refreshPrefix = "munr_"
    private static let numberBytes = 8
    private static let secretBytes = 32
    private static let codeBytes = 16

    /// The tokens of a sign-in: nobody can guess them.
    func random(for session: SessionID) -> SessionTokens {
        tokens(session, access: Secrets.randomBytes(Self.secretBytes), refresh: Secrets.randomBytes(Self.secretBytes))
    }

    /// The tokens that are given for a refresh token: the same for the same nonce, so that a request whose answer was lost can be sent
    /// again; without the key nobody can tell them from the ones before.
    func next(for session: SessionID, behind refresh: String, nonce: String) -> SessionTokens {
        func secret(_ purpose: String) -> [UInt8] {
            var message = ByteWriter()
            for text in [purpose, refresh, nonce] { message.text(text) }
            return MAC.sha256(message.bytes, key: key)
        }
        return tokens(session, access: secret("access"), refresh: secret("refresh"))
    }

    /// The session that an access token says to be of; nil for a text that is none. Constant time.
    func session(access text: String) -> SessionID? {
        Self.bytes(text, Self.accessPrefix, count: Self.numberBytes + Self.secretBytes).map(Self.number)
    }

    /// The session that a refresh token was given out for; nil for one that was not given out here. Constant time.
    func session(refresh text: String) -> SessionID? {
        let count = Self.numberBytes + Self.secretBytes
        guard let bytes = Self.bytes(text, Self.refreshPrefix, count: count + Self.codeBytes) else { return nil }
        guard Secrets.areEqual(code(Array(bytes[..<count])), Array(bytes[count...])) else { return nil }
        return Self.number(bytes)
    }

    /// What is kept of a token.
    static func hash(_ text: String) -> Digest { Digest(of: Array(text.utf8).span) }

    static func hashes(_ tokens: SessionTokens) -> SessionHashes {
        SessionHashes(access: hash(tokens.access), refresh: hash(tokens.refresh))
    }

    private func tokens(_ session: SessionID, access: [UInt8], refresh: [UInt8]) -> SessionTokens {
        let number = (0..<Self.numberBytes).map { UInt8(truncatingIfNeeded: session.number >> UInt64(56 - 8 * $0)) }
        return SessionTokens(
            access: Self.accessPrefix + Base64URL.encode(number + access),
            refresh: Self.refreshPrefix + Base64URL.encode(number + refresh + code(number + refresh)))
    }

    private func code(_ bytes: [UInt8]) -> [UInt8] {
        Array(MAC.sha256(Array("refresh token".utf8) + bytes, key: key).prefix(Self.codeBytes))
    }

    private static func bytes(_ text: String, _ prefix: String, count: Int) -> [UInt8]? {
        guard text.utf8.count == prefix.utf8.count + (count * 4 + 2) / 3, text.utf8.starts(with: prefix.utf8) else { return nil }
        guard let bytes = Base64URL.decode(text.utf8.dropFirst(prefix.utf8.count)), bytes.count == count else { return nil }
        return bytes
    }

    private static func number(_ bytes: [UInt8]) -> SessionID {
        SessionID(bytes.prefix(numberBytes).reduce(0) { $0 << 8 | UInt64($1) })
    }
}
