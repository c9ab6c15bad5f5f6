public import Primitives

/// The name of a sign-in method: `password`, or an OpenID provider as the operator named it.
public struct ProviderID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let text: String

    public static let password = ProviderID(unchecked: "password")
    private init(unchecked text: String) { self.text = text }

    /// Accepts lowercase letters, digits and `-`, at most 32 characters, starting with a letter; returns nil for any other text.
    public init?(_ text: String) {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard let first = text.utf8.first, letters.contains(first), text.utf8.count <= 32 else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard text.utf8.allSatisfy({ letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-") }) else { return nil }
        self.text = text
    }

    public var description: String { text }

    public static func < (left: ProviderID, right: ProviderID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

/// The identity of a user within a provider. Compared byte for byte.
public struct IdentityKey: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    public init(_ email: EmailAddress) { bytes = Array(email.text.utf8) }
}

/// A method that proves the identity of a user (CONFORMANCE I2). Accounts depend only on this protocol, so a new provider needs no
/// other change.
///
/// All functions may block, and are called on threads that may block.
public protocol IdentityProvider: Sendable {
    var id: ProviderID { get }

    /// If several providers are possible, the one with the lowest number is preferred.
    var priority: Int { get }

    /// Starts a flow that is needed before there is evidence, such as a redirect to another site; returns nil if the provider needs
    /// none.
    ///
    /// - Parameters:
    ///   - request: the request, in the format of the provider.
    ///   - now: the current time.
    /// - Returns: the response for the caller.
    func begin(_ request: JSONObject, at now: Instant) throws(ProviderError) -> JSONObject?

    /// Returns the identity that the evidence claims, before it is proven. Attempts are counted against it, whether or not it
    /// exists. Nil if only the proof shows the identity.
    func claimedKey(_ evidence: JSONObject) -> IdentityKey?

    /// Proves an identity.
    ///
    /// Neither the response nor its time must show whether the identity exists.
    ///
    /// - Parameters:
    ///   - evidence: the evidence, in the format of the provider.
    ///   - purpose: the purpose; a new password has other rules than an existing one.
    ///   - now: the current time.
    ///   - secretOf: returns the stored secret of an identity; nil if the identity does not exist.
    func authenticate(
        _ evidence: JSONObject, for purpose: AuthenticationPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
    ) throws(ProviderError) -> VerifiedIdentity
}

extension IdentityProvider {
    public func claimedKey(_ evidence: JSONObject) -> IdentityKey? { nil }
}

/// The purpose of a proof.
public enum AuthenticationPurpose: Hashable, Sendable {
    /// Sign-in.
    case recognition
    /// Reauthentication of the signed-in user before a sensitive change: it must be this identity, and a current authentication.
    case reauthentication(of: LinkedIdentity)
    /// Sign-up or linking: the identity becomes part of an account.
    case enrolment
}

/// An identity that a provider has proven.
public struct VerifiedIdentity: Sendable {
    public var key: IdentityKey
    /// A label of the identity for the user.
    public var label: String?
    /// The secret to store; nil to keep the stored one.
    public var secret: String?
    /// The email of the identity, and whether the provider has verified it.
    public var email: (address: EmailAddress, isVerified: Bool)?
    public var profile: Profile
    /// When the user authenticated. At an OpenID provider, this can be earlier than now, and is `0001-01-01T00:00:00Z` if the provider
    /// does not report it.
    public var authenticatedAt: Instant

    public init(
        key: IdentityKey, label: String? = nil, secret: String? = nil, email: (address: EmailAddress, isVerified: Bool)? = nil,
        profile: Profile = Profile(), authenticatedAt: Instant
    ) {
        self.key = key
        self.label = label
        self.secret = secret
        self.email = email
        self.profile = profile
        self.authenticatedAt = authenticatedAt
    }

    /// The address of the identity, if its ownership is unproven. Until it is, the proof identifies no user.
    public var unverifiedAddress: EmailAddress? {
        guard let email, !email.isVerified, key == IdentityKey(email.address) else { return nil }
        return email.address
    }

    /// The address that the provider has verified; nil for any other, which is never stored.
    public var verifiedAddress: EmailAddress? { email.flatMap { $0.isVerified ? $0.address : nil } }
}

/// The reason why a proof failed.
public enum ProviderError: Error, Hashable, Sendable {
    /// The evidence is invalid; the text says why.
    case malformed(String)
    /// The evidence is wrong. The reason is not disclosed.
    case wrong
    /// A new secret is too short, too long or too easily guessed; the text states the rule.
    case unfit(String)
    /// A required external service does not respond correctly; the text is for the operator.
    case unavailable(String)
    /// Too many concurrent proofs.
    case busy
}
