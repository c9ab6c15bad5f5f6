public import Events
internal import Hashing
internal import Permissions
internal import Secrets

/// The permissions and lifetime of a token. The service does not keep the token's secret.
public struct Token: Hashable, Sendable {
    /// The token's id in lists, commands and logs: `t1`, `t2` and so on. It is not secret.
    public let id: String
    /// The stores that accept the token.
    public let stores: StoreScope
    /// The right that the token gives in these stores.
    public let right: Right
    /// When the token expires; nil if it does not expire.
    public let until: Instant?
    /// When the token was created.
    public let createdAt: Instant
    /// When the token was revoked; nil if it was not revoked.
    public var revokedAt: Instant?
    /// A comment to recognize the token by.
    public let comment: String?

    /// Whether a token is valid.
    public enum State: String, CaseIterable, Sendable {
        case good
        /// Its time has passed.
        case ended
        case revoked
    }

    /// Returns the state at an instant.
    public func state(at instant: Instant) -> State {
        if case _? = revokedAt { return .revoked }
        return until.map { instant < $0 } ?? true ? .good : .ended
    }

    /// Whether the token is valid at an instant.
    public func isValid(at instant: Instant) -> Bool { state(at: instant) == .good }
}

/// A token whose secret was presented. ``TokenRegistry/isValid(_:at:)`` tells later whether it is still valid.
public struct AuthenticatedToken: Sendable {
    public let token: Token
    let digest: Digest
    /// The index of the token among the tokens of the file.
    let place: Int
}

/// A set of stores of a data directory.
public enum StoreScope: Hashable, Sendable {
    /// Every store, including stores that are created later.
    case all
    case named([String])

    /// Whether the set contains a store.
    public func includes(_ store: String) -> Bool {
        switch self {
        case .all: true
        case .named(let names): names.contains { ExactText($0) == ExactText(store) }
        }
    }

    /// The names; `*` for every store.
    public var names: [String] {
        switch self {
        case .all: ["*"]
        case .named(let names): names
        }
    }

    /// Whether a text is a valid store name: 1 to 63 lowercase letters, digits, `_` and `-`, starting with a letter or a digit.
    public static func isStoreName(_ text: String) -> Bool {
        let bytes = text.utf8
        let isAlphanumeric = { (byte: UInt8) in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard let first = bytes.first, isAlphanumeric(first), bytes.count <= 63 else { return false }
        return bytes.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }
}

/// The right that a credential gives.
public enum Right: Hashable, Sendable {
    /// Act as one principal: a user, a thing or `anonymous`.
    case act(as: Name)
    /// Query the access of all principals, and change nothing.
    case ask
    /// Read the metrics of the service, and why it is not ready. Nothing else.
    case observe
    /// Act as any principal, query the access of all principals, and administer the store.
    case administer
}

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
