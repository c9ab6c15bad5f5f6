/// Why something about an account was not done, in a way that a person or a client can act on (CONFORMANCE I3).
public enum AccountProblem: Error, Hashable, Sendable {
    /// What was sent cannot be understood; the sentence says what and how to mend it.
    case malformed(String)
    /// Unknown email, wrong password, wrong code from a provider: always in the same words and after the same time.
    case wrongCredentials
    /// An attempt or its code is wrong, used or over: begin anew.
    case wrongCode
    /// Too many attempts; the next one counts in so many seconds.
    case tooManyAttempts(retryAfterSeconds: Int)
    /// Whoever proved this new identity has an account already: sign in by one of these, with `link` to have it linked behind that.
    /// Nil where there is nothing to link. Told to nobody else.
    case accountExists(providers: [ProviderID], link: String?)
    /// A provider proved somebody who has no account.
    case noAccount
    /// A sensitive change needs to have signed in within so many seconds (RFC 9470).
    case recentSignInRequired(maxAgeSeconds: Int)
    /// The identity is a way into another account.
    case linkedElsewhere
    /// The account has a way in by this provider already.
    case alreadyLinked
    /// The account has no way in by this provider, or no password, or no verified email, as the sentence says.
    case notThere(String)
    /// It is the only way in that is left.
    case lastWayIn
    case unknownProvider(String)
    /// A new password that will not do; the sentence says what would.
    case unfitPassword(String)
    /// A session, refresh or access token that is over, used or unknown.
    case sessionEnded
    /// Too much is being done, or a provider does not answer: again in a moment.
    case unavailable(String)
    /// The account cannot be deleted now; the sentence says why and what to do first. It is as it was.
    case undeletable(String)
}
