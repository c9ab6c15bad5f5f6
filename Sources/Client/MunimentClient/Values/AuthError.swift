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
    case lastSignInMethod
    /// The new password is not accepted; the text states the rule.
    case unacceptablePassword(String)
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
        case .wrongCredentials: "wrong credentials; check the email and the password, or reset the password"
        case .wrongCode: "the code is wrong, used or expired; request another one"
        case .nothingToVerify: "no code was requested; start with a sign-up, a reset or an email change"
        case .tooManyRequests(let seconds): "too many attempts; try again in \(seconds) s"
        case .accountExists(let providers):
            "the user has an account already; sign in by \(providers.map { "`\($0)`" }.joined(separator: " or ")), and the new "
                + "sign-in method is linked automatically"
        case .noAccount: "the user has no account; sign up first"
        case .linkedElsewhere: "the sign-in method belongs to another account; sign in to that account and unlink it there"
        case .alreadyLinked: "the account has a sign-in method of this kind already; unlink it first, or change it"
        case .notThere(let what): what
        case .lastSignInMethod: "this is the only sign-in method of the account; link another one first"
        case .unacceptablePassword(let why): why
        case .recentSignInRequired(let seconds):
            "this requires a sign-in within the last \(seconds) s; set a delegate that requests it, or call `reauthenticate` and try again"
        case .cancelledByUser: "it was cancelled, and nothing was changed"
        case .notSignedIn: "no user is signed in; sign in first"
        case .sessionEnded: "the session has ended; sign in again"
        case .unavailable(let why): "nothing was changed: \(why); try again later"
        case .outcomeUnknown(let why): "the result is unknown: \(why); check it, and try again if nothing was changed"
        case .refused(_, _, let detail): detail
        }
    }
}
