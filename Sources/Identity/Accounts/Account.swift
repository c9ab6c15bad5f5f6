public import Events
public import Permissions

/// The number of an account within its data directory: in order of creation from 1, and never told to anybody outside.
public struct AccountID: Hashable, Comparable, Sendable {
    public let number: UInt64

    public init(_ number: UInt64) { self.number = number }

    public static func < (left: AccountID, right: AccountID) -> Bool { left.number < right.number }
}

/// A person who can sign in (CONFORMANCE I2 to I6).
///
/// Permission logs know its ``principal`` alone, which says nothing about the person.
public struct Account: Hashable, Sendable {
    public let id: AccountID
    /// `user:` and 26 random letters and digits.
    public let principal: Name
    public let createdAt: Instant
    /// The address that the person has shown to be its own; nil where there is none. One that was not shown is never kept.
    public internal(set) var email: EmailAddress?
    public internal(set) var profile: Profile
    /// The ways in, in the order in which they were linked; never empty, and at most one a provider.
    public internal(set) var identities: [LinkedIdentity]

    public init(
        id: AccountID, principal: Name, createdAt: Instant, email: EmailAddress?, profile: Profile, identities: [LinkedIdentity]
    ) {
        self.id = id
        self.principal = principal
        self.createdAt = createdAt
        self.email = email
        self.profile = profile
        self.identities = identities
    }

    /// Its way in by a provider; nil where it has none.
    public func identity(_ provider: ProviderID) -> LinkedIdentity? { identities.first { $0.provider == provider } }
}

/// What a person says of themselves.
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

/// One way into an account: what a provider knows the person by.
public struct LinkedIdentity: Hashable, Sendable {
    public let provider: ProviderID
    /// What is unique within the provider, exactly as compared: the ``EmailAddress`` for a password, issuer and subject for OpenID
    /// Connect. Two accounts never have the same.
    public var key: IdentityKey
    /// What the person knows it by, such as its email at the provider; never compared.
    public var label: String?
    /// What the provider keeps to prove the person by, such as the hash of a password (PHC string); nil where it keeps nothing.
    public var secret: String?
    public let linkedAt: Instant

    public init(provider: ProviderID, key: IdentityKey, label: String? = nil, secret: String? = nil, linkedAt: Instant) {
        self.provider = provider
        self.key = key
        self.label = label
        self.secret = secret
        self.linkedAt = linkedAt
    }
}
