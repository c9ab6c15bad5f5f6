internal import Events
internal import Hashing
internal import Secrets

/// The text of a token: `muni_` and 32 random bytes in base64url. Only its SHA-256 is stored.
enum TokenSecret {
    static let prefix = "muni_"
    static let byteCount = 32
    /// 32 bytes are 43 characters in base64url.
    static let textBytes = prefix.utf8.count + 43

    static func random() -> String { prefix + Base64URL.encode(Secrets.randomBytes(byteCount)) }

    /// Whether a text has the form of a token. Other texts need no lookup.
    static func isWellFormed(_ text: String) -> Bool { text.utf8.count == textBytes && text.utf8.starts(with: prefix.utf8) }

    /// Returns the hash that is stored. A fast hash is enough, since 2²⁵⁶ secrets cannot be tried.
    static func digest(_ text: String) -> Digest { Digest(of: text.utf8Span.span) }
}
