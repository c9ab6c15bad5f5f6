public import Events

/// The number of a session within its data directory: nothing secret.
public struct SessionID: Hashable, Comparable, Sendable {
    public let number: UInt64

    public init(_ number: UInt64) { self.number = number }

    public static func < (left: SessionID, right: SessionID) -> Bool { left.number < right.number }
}

/// One device on which a person is signed in.
public struct Session: Hashable, Sendable {
    public let id: SessionID
    public let account: AccountID
    /// What the client calls the device, at most ``deviceLimitBytes`` bytes.
    public let device: String?
    public let createdAt: Instant
    /// By which provider the person last showed who they are here.
    public internal(set) var provider: ProviderID
    /// When that was: `auth_time`.
    public internal(set) var authenticatedAt: Instant
    /// When tokens were last given out for it.
    public internal(set) var refreshedAt: Instant
    /// From when on the access token is good for nothing.
    public internal(set) var accessEnds: Instant
    /// From when on the session is over, unless it is refreshed before.
    public internal(set) var idleEnds: Instant
    /// From when on it is over whatever happens.
    public let ends: Instant

    public static let deviceLimitBytes = 128

    public init(
        id: SessionID, account: AccountID, device: String?, createdAt: Instant, provider: ProviderID, authenticatedAt: Instant,
        refreshedAt: Instant, accessEnds: Instant, idleEnds: Instant, ends: Instant
    ) {
        self.id = id
        self.account = account
        self.device = device
        self.createdAt = createdAt
        self.provider = provider
        self.authenticatedAt = authenticatedAt
        self.refreshedAt = refreshedAt
        self.accessEnds = accessEnds
        self.idleEnds = idleEnds
        self.ends = ends
    }
}

/// What a client is given for a session: nothing of it is kept here but hashes.
public struct SessionTokens: Hashable, Sendable {
    /// `muna_` and 32 bytes in base64url: acts as the account's principal until ``Session/accessEnds``.
    public let access: String
    /// `munr_` and 32 bytes in base64url: good once, for new tokens.
    public let refresh: String

    public init(access: String, refresh: String) {
        self.access = access
        self.refresh = refresh
    }
}

/// Why a session is over.
public enum SessionEnd: UInt8, Hashable, Sendable, CaseIterable {
    /// The person signed out there.
    case signedOut = 1
    /// The person ended it from another device.
    case revoked = 2
    /// Its refresh token was used twice: one of the two who have it is a thief.
    case reused = 3
    /// A way in, the email or the password was changed elsewhere.
    case credentialsChanged = 4
    /// Its time was over when somebody came with it, or when the log was gone through.
    case ended = 5
    /// An administrator ended it.
    case administrator = 6
    case accountDeleted = 7
}
