public import Primitives

/// The number of a session within its data directory. Not secret.
public struct SessionID: Hashable, Comparable, Sendable {
    public let number: UInt64

    public init(_ number: UInt64) { self.number = number }

    public static func < (left: SessionID, right: SessionID) -> Bool { left.number < right.number }
}

/// A session: one signed-in device of a user.
public struct Session: Hashable, Sendable {
    public let id: SessionID
    public let account: AccountID
    /// The device name of the client, at most ``deviceLimitBytes`` bytes.
    public internal(set) var device: String?
    public let createdAt: Instant
    /// The provider of the last authentication in this session.
    public internal(set) var provider: ProviderID
    /// The time of that authentication: `auth_time`.
    public internal(set) var authenticatedAt: Instant
    /// When tokens were last issued for the session.
    public internal(set) var refreshedAt: Instant
    /// When the access token expires.
    public internal(set) var accessEnds: Instant
    /// When the session expires unless it is refreshed.
    public internal(set) var idleEnds: Instant
    /// When the session expires at the latest.
    public let ends: Instant

    public static let deviceLimitBytes = 128
}

/// The tokens of a session for the client. The service stores only hashes of them.
public struct SessionTokens: Hashable, Sendable {
    /// `muna_` and 32 bytes in base64url: authenticates the account's principal until ``Session/accessEnds``.
    public let access: String
    /// `munr_` and 32 bytes in base64url: can be used once to get new tokens.
    public let refresh: String
}

/// The reason why a session ended.
public enum SessionEndReason: UInt8, Hashable, Sendable, CaseIterable {
    /// The user signed out in the session.
    case signedOut = 1
    /// The user ended it from another device.
    case revoked = 2
    /// Its refresh token was used twice, so it may be stolen.
    case reused = 3
    /// An identity, the email or the password was changed in another session.
    case credentialsChanged = 4
    /// The session had expired when a token was used, or when the log was read.
    case ended = 5
    case administrator = 6
    case accountDeleted = 7
}
