internal import Events
internal import Hashing
internal import Permissions

/// Something that happened to accounts. In the log, what is personal in it is sealed with the account's own key.
enum IdentityEvent: Hashable, Sendable {
    /// Somebody has an account now. Its email and its way in follow in the same commit.
    case accountOpened(AccountID, principal: Name, profile: Profile)
    /// The person has shown this address to be its own; nil where it was given up.
    case emailSet(AccountID, EmailAddress?)
    case profileChanged(AccountID, Profile)
    case identityLinked(AccountID, LinkedIdentity)
    case identityUnlinked(AccountID, ProviderID)
    /// What is kept to recognise the person by is another: a new password, or the same one hashed by stronger settings.
    case secretChanged(AccountID, ProviderID, key: IdentityKey, secret: String?)
    case sessionBegun(Session, SessionHashes)
    /// New tokens were given out. The nonce is that of the client that asked, as a hash.
    case sessionRefreshed(SessionID, SessionHashes, nonce: Digest, accessEnds: Instant, idleEnds: Instant)
    /// The person has shown anew who they are; the session goes on with new tokens.
    case sessionReauthenticated(
        SessionID, SessionHashes, ProviderID, authenticatedAt: Instant, accessEnds: Instant, idleEnds: Instant)
    case sessionEnded(SessionID, SessionEnd)
    /// Its key is destroyed: nobody can read any more what was personal about it.
    case accountDeleted(AccountID)
}

/// What is kept of a session's tokens.
struct SessionHashes: Hashable, Sendable {
    let access: Digest
    let refresh: Digest
}
