public import Events
internal import Permissions

/// What a token allows, and for how long. Its secret is nowhere but with whoever was given it.
public struct Token: Hashable, Sendable {
    /// What it is called where it is listed, ended or written about: `t1`, `t2` and so on. Nothing secret.
    public let id: String
    /// The stores that it is good for.
    public let stores: StoreScope
    /// What may be done with it there.
    public let right: Right
    /// From when on it is good for nothing; nil for no end.
    public let until: Instant?
    /// When it was made.
    public let createdAt: Instant
    /// When it was taken back; nil where it was not.
    public var revokedAt: Instant?
    /// What somebody wrote about it, to know it by.
    public let comment: String?

    /// Whether it is good for anything at a moment.
    public func isGood(at instant: Instant) -> Bool {
        if case nil = revokedAt { until.map { instant < $0 } ?? true } else { false }
    }
}

/// Stores of a data directory.
public enum StoreScope: Hashable, Sendable {
    /// Every store, those made later included.
    case all
    case named([String])

    /// Whether a store is among them.
    public func includes(_ store: String) -> Bool {
        switch self {
        case .all: true
        case .named(let names): names.contains { ExactText($0) == ExactText(store) }
        }
    }

    /// Whether a text is the name of a store: small letters, digits, `_` and `-`, at most 63, the first one a letter or a digit.
    public static func isStoreName(_ text: String) -> Bool {
        let bytes = text.utf8
        let isAlphanumeric = { (byte: UInt8) in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard let first = bytes.first, isAlphanumeric(first), bytes.count <= 63 else { return false }
        return bytes.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }
}

/// What may be done with a credential.
public enum Right: Hashable, Sendable {
    /// Acting as one principal: a user, a thing or `anonymous`.
    case act(as: Name)
    /// Asking about anyone, and changing nothing.
    case ask
    /// Everything: acting as anybody, asking about anyone, and looking after the store.
    case administer
}
