internal import Events

/// Something that a caller waits for: what is sent for it, what it needs, and what its answer changes here.
struct AuthJob: Sendable {
    /// nil for what is done as soon as what it needs is there.
    var request: AuthRequest?
    /// Whether it is done in the name of a session.
    var needsSession = true
    /// What the person has to have signed in lately for; nil where that does not matter.
    var change: ProfileChangeType?
    var repetition = Repetition.unlessReceived
    /// The challenge that the person answers with it; nil where they do so of their own accord, or where it is no answer.
    var challenge: UInt64?
    var reading: Reading

    /// When a request whose fate is not known is sent again by itself.
    enum Repetition: Hashable, Sendable {
        /// Doing it twice is doing it once.
        case always
        /// Where the service did not do it: it was not reached, or said so.
        case unlessReceived
        /// Where it was not reached: what is shown in it is good once.
        case unlessSent
    }

    /// What an answer is read as.
    enum Reading: Hashable, Sendable {
        /// A new session of whoever is proved, with what is to be linked behind it where they come by one of its providers.
        case signIn(IdentityProviderID)
        case signUp
        /// A new session after a code.
        case codeConfirmed(SentCodeUse)
        case reauthentication
        case account
        case emailConfirmed
        case sentCode(SentCodeUse)
        case object
        /// The answer itself, also where it is a refusal.
        case answer
        case nothing
        /// For how long the sign-in is recent, which has to do for what follows.
        case recentSignIn
        case accessToken
        case signedOut
        case deleted
    }
}

/// What a code in a mail is for.
enum SentCodeUse: Hashable, Sendable {
    case signUp, reset, email
}

/// What a caller gets.
enum AuthValue: Hashable, Sendable {
    case user(AuthUser)
    case sentCode(SentCode)
    case object(JSONObject)
    case answer(AuthAnswer)
    case accessToken(String)
    case nothing
}

/// What is linked by itself behind the next sign-in by one of the providers of an account that there is already (CONFORMANCE I4).
public struct PendingLink: Hashable, Sendable {
    /// By which to sign in.
    public let providers: [IdentityProviderID]
    let link: String
}
