internal import Hashing
internal import Primitives
internal import Secrets

/// Creates and parses the texts of tokens.
///
/// A token contains the number of its session, so one look-up finds the session, and used tokens need not be stored. A refresh
/// token also contains an authentication code that only this service can create. A token with a valid code that is not the last one
/// of its session was used before. An invented token has no valid code and ends no session.
struct SessionTokenCoder: Sendable {
    /// ``MasterKey/sessions``.
    let key: [UInt8]

    private static let accessPrefix = "muna_"
    private static let refreshPrefix = "munr_"
    private static let numberBytes = 8
    private static let secretBytes = 32
    private static let codeBytes = 16

    /// Returns random tokens for a sign-in.
    func random(for session: SessionID) -> SessionTokens {
        tokens(session, access: Secrets.randomBytes(Self.secretBytes), refresh: Secrets.randomBytes(Self.secretBytes))
    }

    /// Returns the tokens that replace a refresh token. They are the same for the same nonce, so that a request with a lost
    /// response can be repeated. Without the key they cannot be derived from the previous tokens.
    func next(for session: SessionID, after refresh: String, nonce: String) -> SessionTokens {
        func secret(_ purpose: String) -> [UInt8] {
            var message = ByteWriter()
            for text in [purpose, refresh, nonce] { message.text(text) }
            return MAC.sha256(message.bytes, key: key)
        }
        return tokens(session, access: secret("access"), refresh: secret("refresh"))
    }

    /// Returns the session number in an access token; nil if the text is malformed. Constant time.
    func session(access text: String) -> SessionID? {
        Self.bytes(text, Self.accessPrefix, count: Self.numberBytes + Self.secretBytes).map(Self.number)
    }

    /// Returns the session of a refresh token; nil if this service did not issue the token. Constant time.
    func session(refresh text: String) -> SessionID? {
        let count = Self.numberBytes + Self.secretBytes
        guard let bytes = Self.bytes(text, Self.refreshPrefix, count: count + Self.codeBytes) else { return nil }
        guard Secrets.areEqual(code(Array(bytes[..<count])), Array(bytes[count...])) else { return nil }
        return Self.number(bytes)
    }

    /// Returns the stored hash of a token.
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
