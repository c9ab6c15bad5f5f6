internal import Events
internal import Hashing
internal import Secrets

/// The text of a token: `muni_` and 32 random bytes in base64url. Only its SHA-256 is ever kept.
enum TokenSecret {
    static let prefix = "muni_"
    static let byteCount = 32
    /// 43 letters stand for 32 bytes.
    static let textBytes = prefix.utf8.count + 43

    static func random() -> String { prefix + Base64URL.encode(Secrets.randomBytes(byteCount)) }

    /// Whether a text has the form of a token, so that it is worth looking for.
    static func isWellFormed(_ text: String) -> Bool { text.utf8.count == textBytes && text.utf8.starts(with: prefix.utf8) }

    /// What is kept of it. A fast hash is enough, since nobody can try out 2²⁵⁶ texts.
    static func digest(_ text: String) -> Digest { Digest(of: text.utf8Span.span) }
}
