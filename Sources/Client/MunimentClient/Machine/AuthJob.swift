internal import Primitives

/// A job that a caller waits for: its request, its preconditions, and how its response changes the state.
struct AuthJob: Sendable {
    /// The request; nil if the job is done as soon as its preconditions hold.
    var request: AuthRequest?
    var needsSession = true
    /// The change that requires a recent sign-in; nil if the job requires none.
    var change: ProfileChangeType?
    var repetition = RetryCondition.unlessReceived
    /// The challenge that this job answers; nil if it answers none.
    var challenge: UInt64?
    var reading: ResponseKind

    /// When a request with an unknown outcome is repeated automatically.
    enum RetryCondition: Hashable, Sendable {
        /// Always: the request is idempotent.
        case always
        /// If the service did not process it: it was not reached, or it reported that.
        case unlessReceived
        /// If the request was not sent: its evidence can be used only once.
        case unlessSent
    }

    /// How a response is interpreted.
    enum ResponseKind: Hashable, Sendable {
        /// A new session of the user that the provider identified. If a link is pending for one of the used providers, it is
        /// completed with this sign-in.
        case signIn(IdentityProviderID)
        case signUp
        /// A new session after a code.
        case codeConfirmed(SentCodeUse)
        case reauthentication
        case account
        case emailConfirmed
        case sentCode(SentCodeUse)
        case object
        /// The response itself, also if it is an error.
        case answer
        case nothing
        /// How long the sign-in stays recent. This must suffice for the operation that follows.
        case recentSignIn
        case accessToken
        case signedOut
        case deleted
    }
}

/// The purpose of a code sent by mail.
enum SentCodeUse: Hashable, Sendable {
    case signUp, reset, email
}

/// The result that a caller gets.
enum AuthValue: Hashable, Sendable {
    case user(AuthUser)
    case sentCode(SentCode)
    case object(JSONObject)
    case answer(ServiceResponse)
    case accessToken(String)
    case nothing
}

/// An identity that is linked to an existing account with the next sign-in by one of the account's providers (CONFORMANCE I4).
public struct PendingLink: Hashable, Sendable {
    /// The providers that the user can sign in with.
    public let providers: [IdentityProviderID]
    let link: String
}
