public import Primitives

/// The signed-in user, as the service knows them.
public struct AuthUser: Hashable, Sendable {
    /// The user's principal in the stores. It contains no personal data.
    public let principal: Name
    /// The verified email; nil if it does not exist.
    public let email: String?
    public let displayName: String?
    /// The address of a picture.
    public let picture: String?
    public let createdAt: Instant
    /// The linked identities, the preferred one first.
    public let providers: [IdentityProviderUserInfo]
}

/// An identity linked to an account.
public struct IdentityProviderUserInfo: Hashable, Sendable {
    public let providerID: IdentityProviderID
    /// A label for the user, such as their email at the provider; nil if the provider gave none.
    public let label: String?
    public let linkedAt: Instant
    /// The provider with the lowest number is preferred.
    public let priority: Int

    /// The label, if it is an address.
    public var email: String? { label.flatMap { $0.contains("@") ? $0 : nil } }
}

/// Whether a user is signed in (CONFORMANCE I1).
public enum AuthenticationState: Hashable, Sendable {
    /// There is a stored session, and the service has not yet confirmed it.
    case notDetermined
    case authenticated(AuthUser)
    case notAuthenticated

    /// The signed-in user; nil if unknown or signed out.
    public var user: AuthUser? { if case .authenticated(let user) = self { user } else { nil } }
}

/// The name of a sign-in method: ``email``, or an OpenID provider as the operator of the service named it.
public struct IdentityProviderID: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let text: String

    /// Email and password.
    public static let email = IdentityProviderID("password")

    public init(_ text: String) { self.text = text }
    public init(stringLiteral text: String) { self.text = text }

    public var description: String { text }

    public static func < (left: IdentityProviderID, right: IdentityProviderID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

/// A session: one signed-in device of the user.
public struct AuthSession: Hashable, Sendable, Identifiable {
    public let id: UInt64
    /// The device name given at sign-in.
    public let device: String?
    public let createdAt: Instant
    public let refreshedAt: Instant
    /// When the user last authenticated in the session.
    public let authenticatedAt: Instant
    /// The provider of that authentication.
    public let provider: IdentityProviderID
    /// When the session ends at the latest.
    public let ends: Instant
    /// Whether it is the session of the caller.
    public let isCurrent: Bool
}

/// A code that was sent to an address. The code and this value together prove that the user owns the address.
public struct SentCode: Hashable, Sendable {
    /// When the code expires.
    public let ends: Instant
    let attempt: String
}

/// The result of a sign-up.
public enum SignUpResult: Hashable, Sendable {
    case signedIn(AuthUser)
    /// A code was sent to the address; pass it to ``AuthManager/verify(_:)`` to sign in. Only that call shows whether the address
    /// already has an account.
    case verificationSent(SentCode)
}
