public import Primitives

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
