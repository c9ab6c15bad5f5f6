internal import Hashing
internal import Primitives

/// A change of accounts, as an event. In the log, its personal data is sealed with the account's key.
enum IdentityEvent: Hashable, Sendable {
    /// A new account. Its email and its identity follow in the same commit.
    case accountOpened(AccountID, principal: Name, profile: Profile)
    /// The user verified this address; nil if the account gave up its email.
    case emailSet(AccountID, EmailAddress?)
    case profileChanged(AccountID, Profile)
    case identityLinked(AccountID, LinkedIdentity)
    case identityUnlinked(AccountID, ProviderID)
    /// The stored secret of an identity changed: a new password, or the same one with a stronger hash.
    case secretChanged(AccountID, ProviderID, key: IdentityKey, secret: String?)
    case sessionBegun(Session, SessionHashes)
    /// New tokens were issued. The nonce of the client is stored as a hash.
    case sessionRefreshed(SessionID, SessionHashes, nonce: Digest, accessEnds: Instant, idleEnds: Instant)
    /// The user reauthenticated; the session continues with new tokens.
    case sessionReauthenticated(
        SessionID, SessionHashes, ProviderID, authenticatedAt: Instant, accessEnds: Instant, idleEnds: Instant)
    case sessionEnded(SessionID, SessionEnd)
    /// The account's key is destroyed, so its personal data can no longer be read.
    case accountDeleted(AccountID)
}

/// The stored hashes of a session's tokens.
struct SessionHashes: Hashable, Sendable {
    let access: Digest
    let refresh: Digest
}
