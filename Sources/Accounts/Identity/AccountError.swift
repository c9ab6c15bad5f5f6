/// The reason why an account operation failed (CONFORMANCE I3).
public enum AccountError: Error, Hashable, Sendable {
    /// The request is invalid; the text says why and how to correct it.
    case malformed(String)
    /// The email is unknown, or the password or the provider's code is wrong. All cases have the same text and take the same time.
    case wrongCredentials
    /// An attempt or its code is wrong, used or expired. The caller must start again.
    case wrongCode
    /// Too many attempts. The next attempt is accepted after this number of seconds.
    case tooManyAttempts(retryAfterSeconds: Int)
    /// The user with this new identity already has an account. They can sign in by one of these providers. If `link` is passed with
    /// that sign-in, the identity is linked; nil if the identity cannot be linked. Only the proven user gets this error.
    case accountExists(providers: [ProviderID], link: String?)
    /// A provider identified a user who has no account.
    case noAccount
    /// A sensitive change needs a sign-in within this number of seconds (RFC 9470).
    case recentSignInRequired(maxAgeSeconds: Int)
    /// The identity is linked to another account.
    case linkedElsewhere
    /// The account already has an identity of this provider.
    case alreadyLinked
    /// The account has no identity of this provider, no password, or no verified email, as the text says.
    case notThere(String)
    /// The last identity of an account cannot be unlinked.
    case lastSignInMethod
    case unknownProvider(String)
    /// The new password is not accepted; the text states the rule.
    case unacceptablePassword(String)
    /// The session, refresh token or access token is expired, used or unknown.
    case sessionEnded
    /// The service is overloaded, or a provider does not respond. The caller can retry soon.
    case unavailable(String)
    /// The account cannot be deleted now; the text says why and the first step. The account is unchanged.
    case undeletable(String)
}
