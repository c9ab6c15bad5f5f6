public import Primitives

/// The number of an account within its data directory, in order of creation from 1. It is internal and never part of a response.
public struct AccountID: Hashable, Comparable, Sendable {
    public let number: UInt64

    public init(_ number: UInt64) { self.number = number }

    public static func < (left: AccountID, right: AccountID) -> Bool { left.number < right.number }
}

/// The account of a user (CONFORMANCE I2 to I6).
///
/// Permission logs contain only its ``principal``, which has no personal data.
public struct Account: Hashable, Sendable {
    public let id: AccountID
    /// `user:` followed by 26 random letters and digits.
    public let principal: Name
    public let createdAt: Instant
    /// The verified email; nil if the account has none. An unverified email is never stored.
    public internal(set) var email: EmailAddress?
    public internal(set) var profile: Profile
    /// The linked identities in the order they were linked: at least one, and at most one per provider.
    public internal(set) var identities: [LinkedIdentity]

    /// Returns the identity of a provider; nil if the account has none.
    public func identity(_ provider: ProviderID) -> LinkedIdentity? { identities.first { $0.provider == provider } }
}

/// The profile that a user sets.
public struct Profile: Hashable, Sendable {
    /// At most ``limitBytes`` bytes.
    public var displayName: String?
    /// The address of a picture, `https` or `http`, at most ``addressLimitBytes`` bytes.
    public var picture: String?

    public static let limitBytes = 256
    public static let addressLimitBytes = 2_048

    public init(displayName: String? = nil, picture: String? = nil) {
        self.displayName = displayName
        self.picture = picture
    }
}

/// An identity of a provider that is linked to an account.
public struct LinkedIdentity: Hashable, Sendable {
    public let provider: ProviderID
    /// The unique key within the provider, compared byte for byte: the ``EmailAddress`` for a password, issuer and subject for
    /// OpenID Connect. Two accounts never have the same key.
    public var key: IdentityKey
    /// A label for the user, such as their email at the provider; never compared.
    public var label: String?
    /// The stored secret of the provider, such as the hash of a password (PHC string); nil if the provider stores nothing.
    public var secret: String?
    public let linkedAt: Instant
}

/// An email address in lowercase. Addresses are compared in this form, so that one mailbox cannot have two accounts.
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// RFC 5321, section 4.5.3.1.3: a path has 256 bytes, and two of them are angle brackets.
    public static let limitBytes = 254

    /// - Returns: nil if the address is invalid. A valid address has one `@` between a name and a domain, no blanks or control
    ///   characters, and at most ``limitBytes`` bytes. It is ASCII only, because similar letters would address different mailboxes.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count <= EmailAddress.limitBytes, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count) else { return nil }
        // These characters would start a second address, a comment or a quoted name in the header of a mail.
        guard !bytes.contains(where: { "<>()[],;:\\\"".utf8.contains($0) }) else { return nil }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 63 && $0.utf8.allSatisfy(EmailAddress.isOfHost) }) else {
            return nil
        }
        self.text = text.lowercased()
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    public var description: String { text }
}
