public import Events

/// What a way of signing in is called: `password`, or what the operator calls an OpenID provider.
public struct ProviderID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let text: String

    public static let password = ProviderID(unchecked: "password")
    private init(unchecked text: String) { self.text = text }

    /// Small letters, digits and `-`, at most 32, the first one a letter; nil for any other text.
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

/// What one person is within a provider. Compared byte for byte.
public struct IdentityKey: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    public init(_ email: EmailAddress) { bytes = Array(email.text.utf8) }
}

/// A way of showing who one is (CONFORMANCE I2). Accounts know providers by this alone, so a further one changes nothing else.
///
/// All of it may block, and is called where that does no harm.
public protocol IdentityProvider: Sendable {
    var id: ProviderID { get }

    /// Which provider a person is asked for first, where several will do: the lower number.
    var priority: Int { get }

    /// What has to be done before there is anything to prove, such as going to another site; nil where nothing has.
    ///
    /// - Parameters:
    ///   - request: what the caller says about it, provider by provider.
    ///   - now: what time it is.
    /// - Returns: what the caller is told.
    func begin(_ request: JSONObject, at now: Instant) throws(ProviderProblem) -> JSONObject?

    /// Whom evidence claims to be from, before anything is proved: tries are counted against it, whether there is such an identity
    /// or not. Nil where that shows only in the proof.
    func claimedKey(_ evidence: JSONObject) -> IdentityKey?

    /// Finds out who somebody is.
    ///
    /// Whether there is such an identity must show neither in the answer nor in the time it takes.
    ///
    /// - Parameters:
    ///   - evidence: what the caller shows, provider by provider.
    ///   - purpose: what for; a password that is new is measured by other rules than one that is to be recognised.
    ///   - now: what time it is.
    ///   - secretOf: the secret that is kept of an identity; nil where there is no such identity.
    func prove(
        _ evidence: JSONObject, for purpose: ProofPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
    ) throws(ProviderProblem) -> Proof
}

extension IdentityProvider {
    public func claimedKey(_ evidence: JSONObject) -> IdentityKey? { nil }
}

/// What somebody shows who they are for.
public enum ProofPurpose: Hashable, Sendable {
    /// To be recognised: signing in.
    case recognition
    /// To be recognised again as somebody who is signed in, before something sensitive: it has to be this identity, and now.
    case reauthentication(of: LinkedIdentity)
    /// To become a way into an account: signing up and linking.
    case enrolment
}

/// Who somebody is, as a provider has found out.
public struct Proof: Hashable, Sendable {
    public var key: IdentityKey
    /// What the person knows the identity by.
    public var label: String?
    /// What is to be kept from now on; nil to leave what is kept.
    public var secret: String?
    /// The email that comes with it, and whether the provider vouches that it is the person's.
    public var email: (address: EmailAddress, isVerified: Bool)?
    public var profile: Profile
    /// When the person showed who they are: not before this for those who come by way of another site.
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

    public static func == (left: Proof, right: Proof) -> Bool {
        left.key == right.key && left.label == right.label && left.secret == right.secret && left.profile == right.profile
            && left.email?.address == right.email?.address && left.email?.isVerified == right.email?.isVerified
            && left.authenticatedAt == right.authenticatedAt
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// The address that the identity itself is, where nobody has shown yet that it is theirs: such a proof proves nobody until then.
    public var unshownAddress: EmailAddress? {
        guard let email, !email.isVerified, key == IdentityKey(email.address) else { return nil }
        return email.address
    }

    /// The address that the provider vouches for; nil for any other, which is nowhere kept.
    public var shownAddress: EmailAddress? { email.flatMap { $0.isVerified ? $0.address : nil } }
}

/// Why nobody was proved.
public enum ProviderProblem: Error, Hashable, Sendable {
    /// The evidence is none that this provider reads; the sentence says what is missing or wrong.
    case malformed(String)
    /// It does not show what it should. Nothing is said about why.
    case wrong
    /// A new secret that is too easily guessed, too short or too long; the sentence says what would do.
    case unfit(String)
    /// Another service that is needed does not answer as it should; the sentence is for the operator.
    case unavailable(String)
    /// Too many are being proved already.
    case busy
}
