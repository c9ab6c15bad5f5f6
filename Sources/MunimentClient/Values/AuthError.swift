/// Why something about an account was not done, in a way that a person can act on (CONFORMANCE I3).
public enum AuthError: Error, Hashable, Sendable {
    /// What was sent will not do; the sentence says what would.
    case malformed(String)
    /// An unknown email, a wrong password, or a provider that vouches for nobody.
    case wrongCredentials
    /// A code or an attempt that is wrong, used or over.
    case wrongCode
    /// No code was asked for, so that there is nothing to verify.
    case nothingToVerify
    case tooManyRequests(retryAfterSeconds: Int)
    /// The person has an account already. Sign in by one of these providers: the new identity is then linked by itself
    /// (``AuthManager/pendingLink``).
    case accountExists(providers: [IdentityProviderID])
    /// The provider vouches for somebody who has no account.
    case noAccount
    /// The identity is a way into another account.
    case linkedElsewhere
    /// The account has a way in by this provider.
    case alreadyLinked
    /// There is no such thing, as the sentence says: a way in, a session, or accounts at all.
    case notThere(String)
    case lastWayIn
    /// A new password that will not do; the sentence says what would.
    case unfitPassword(String)
    /// The change needs a sign-in within so many seconds, and nobody was there to ask for it.
    case recentSignInRequired(maxAgeSeconds: Int)
    /// The person did not want to show who they are, or whoever waited for the answer gave up before anything was sent. Nothing
    /// was changed.
    case cancelledByUser
    case notSignedIn
    /// The session was ended, here or from elsewhere.
    case sessionEnded
    /// The service was not reached, or could not do it now, however often it was asked. Nothing was done.
    case unavailable(String)
    /// There was no answer, at least once: it may have been done, or not.
    case outcomeUnknown(String)
    /// Anything else that the service refuses; the sentence says why.
    case refused(status: Int, code: String, detail: String)
}

extension AuthError: CustomStringConvertible {
    /// What is wrong, and what to do next.
    public var description: String {
        switch self {
        case .malformed(let why): why
        case .wrongCredentials: "this is not what the account is known by; check the email and the password, or have it reset"
        case .wrongCode: "this code is wrong, used or over; ask for another one"
        case .nothingToVerify: "no code was asked for; begin with signing up, a reset, or another email"
        case .tooManyRequests(let seconds): "too many attempts; try again in \(seconds) s"
        case .accountExists(let providers):
            "there is an account already; sign in by \(providers.map { "`\($0)`" }.joined(separator: " or ")), and the new way in is"
                + " linked by itself"
        case .noAccount: "there is no account for this; sign up first"
        case .linkedElsewhere: "this is a way into another account; sign in to that one and unlink it there"
        case .alreadyLinked: "the account has this already; unlink it first, or change it"
        case .notThere(let what): what
        case .lastWayIn: "this is the only way into the account; link another one first"
        case .unfitPassword(let why): why
        case .recentSignInRequired(let seconds):
            "this needs a sign-in within the last \(seconds) s; set a delegate that asks for it, or call `reauthenticate` and try again"
        case .cancelledByUser: "it was cancelled, and nothing was changed"
        case .notSignedIn: "nobody is signed in; sign in first"
        case .sessionEnded: "the session is over; sign in again"
        case .unavailable(let why): "nothing was done: \(why); try again in a moment"
        case .outcomeUnknown(let why): "it may have been done or not: \(why); look, and try again where it was not"
        case .refused(_, _, let detail): detail
        }
    }
}
