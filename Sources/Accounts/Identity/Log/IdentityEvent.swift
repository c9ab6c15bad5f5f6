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
    case sessionEnded(SessionID, SessionEndReason)
    /// The account's key is destroyed, so its personal data can no longer be read.
    case accountDeleted(AccountID)
}

/// The stored hashes of a session's tokens.
struct SessionHashes: Hashable, Sendable {
    let access: Digest
    let refresh: Digest
}

/// Limits on the contents of an event. Callers check them earlier, with an error message for the user.
extension IdentityEvent {
    /// The maximum size in bytes of an identity's key: the issuer and the subject of OpenID Connect.
    static let keyLimitBytes = 4_096
    /// The maximum size in bytes of an identity's label.
    static let labelLimitBytes = 512
    /// The maximum size in bytes of a provider's stored secret.
    static let secretLimitBytes = 2_048

    /// The field that exceeds its limit; nil if all fields are within their limits.
    var excess: String? {
        switch self {
        case .accountOpened(_, let principal, let profile):
            principal.kind == .caller && principal.isWellFormed
                ? Self.excess(of: profile) : "`\(principal.excerpt)` is not the name of a user"
        case .profileChanged(_, let profile): Self.excess(of: profile)
        case .identityLinked(_, let identity): Self.excess(of: identity.key, identity.secret, identity.label)
        case .secretChanged(_, _, let key, let secret): Self.excess(of: key, secret, nil)
        case .sessionBegun(let session, _):
            (session.device?.utf8.count ?? 0) > Session.deviceLimitBytes ? "the name of the device is too long" : nil
        case .emailSet, .identityUnlinked, .sessionRefreshed, .sessionReauthenticated, .sessionEnded, .accountDeleted: nil
        }
    }

    private static func excess(of profile: Profile) -> String? {
        if (profile.displayName?.utf8.count ?? 0) > Profile.limitBytes { return "the name of the person is too long" }
        if (profile.picture?.utf8.count ?? 0) > Profile.addressLimitBytes { return "the address of the picture is too long" }
        return nil
    }

    private static func excess(of key: IdentityKey, _ secret: String?, _ label: String?) -> String? {
        if key.bytes.count > keyLimitBytes { return "the key of the identity is too long" }
        if (secret?.utf8.count ?? 0) > secretLimitBytes { return "the secret of the identity is too long" }
        if (label?.utf8.count ?? 0) > labelLimitBytes { return "the label of the identity is too long" }
        return nil
    }
}
