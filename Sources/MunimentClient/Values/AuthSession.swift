public import Events

/// One device on which the person is signed in.
public struct AuthSession: Hashable, Sendable, Identifiable {
    public let id: UInt64
    /// What the device called itself when it signed in.
    public let device: String?
    public let createdAt: Instant
    public let refreshedAt: Instant
    /// When the person last showed who they are there.
    public let authenticatedAt: Instant
    /// By which provider that was.
    public let provider: IdentityProviderID
    /// When the session is over whatever happens.
    public let ends: Instant
    /// Whether it is the one that asks.
    public let isCurrent: Bool
}

/// A code is on its way to an address: it and this together show that the address is the person's.
public struct SentCode: Hashable, Sendable {
    /// From when on the code is good for nothing.
    public let ends: Instant
    let attempt: String
}

/// What comes of signing up.
public enum SignUpResult: Hashable, Sendable {
    case signedIn(AuthUser)
    /// A code was sent to the address: ``AuthManager/verify(_:)`` with it signs in. Whether the address has an account already shows
    /// only then.
    case verificationSent(SentCode)
}
