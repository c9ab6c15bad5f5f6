/// The reason why an account operation failed (CONFORMANCE I3).
public enum AuthError: Error, Hashable, Sendable {
    /// The request is invalid; the text says how to correct it.
    case malformed(String)
    /// The email is unknown, the password is wrong, or the provider identified no user.
    case wrongCredentials
    /// A code or an attempt is wrong, used or expired.
    case wrongCode
    /// No code was requested, so there is nothing to verify.
    case nothingToVerify
    case tooManyRequests(retryAfterSeconds: Int)
    /// The user already has an account. Sign in by one of these providers: the new identity is then linked automatically
    /// (``AuthManager/pendingLink``).
    case accountExists(providers: [IdentityProviderID])
    /// The provider identified a user who has no account.
    case noAccount
    /// The identity is linked to another account.
    case linkedElsewhere
    /// The account already has an identity of this provider.
    case alreadyLinked
    /// Not found, as the text says: an identity, a session, or account support.
    case notThere(String)
    case lastWayIn
    /// The new password is not accepted; the text states the rule.
    case unfitPassword(String)
    /// The change needs a sign-in within this number of seconds, and no delegate could ask for it.
    case recentSignInRequired(maxAgeSeconds: Int)
    /// The user cancelled the reauthentication, or the caller cancelled before anything was sent. Nothing was changed.
    case cancelledByUser
    case notSignedIn
    /// The session was ended, on this device or elsewhere.
    case sessionEnded
    /// The service was not reached or temporarily unable, after all attempts. Nothing was done.
    case unavailable(String)
    /// At least one response was lost. The operation may have been done.
    case outcomeUnknown(String)
    /// Any other error of the service; the text says why.
    case refused(status: Int, code: String, detail: String)
}

extension AuthError: CustomStringConvertible {
    /// The problem, and what to do next.
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
