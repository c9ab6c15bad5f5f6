internal import Primitives

/// Identifies a job that a caller waits for.
struct JobID: Hashable, Comparable, Sendable {
    let number: UInt64

    static func < (left: JobID, right: JobID) -> Bool { left.number < right.number }
}

/// An input of the state machine. The caller also passes the time and an unguessable nonce.
enum AuthEvent: Sendable {
    /// The process has started, with the stored session of the previous process.
    case started(StoredSession?)
    case asked(JobID, AuthJob)
    /// The caller cancelled the job.
    case givenUp(JobID)
    case answered(AuthSender, Result<ServiceResponse, TransportError>)
    case waited(AuthSender)
    /// The user cancelled the reauthentication.
    case challengeCancelled(UInt64)
    /// No delegate is set that could ask the user.
    case challengeUnheard(UInt64)
}

/// The sender of a request, which also receives the response.
enum AuthSender: Hashable, Sendable {
    case job(JobID)
    /// The refresh with this number. Responses to earlier refreshes are ignored.
    case refresh(UInt64)
    /// The sign-out of a session that a new session replaced. No caller waits for it.
    case formerSignOut
}

/// An action that the machine requests. Effects are performed in order.
enum AuthEffect: Hashable, Sendable {
    case keep(StoredSession?)
    case tell(AuthenticationState)
    case send(AuthSender, AuthRequest)
    case wait(AuthSender, milliseconds: Int64)
    case challenge(ProfileChangeReauthenticationChallenge, [IdentityProviderUserInfo])
    case finish(JobID, Result<AuthValue, AuthError>)
}

/// How many times a failed request is sent, and how long to wait between two attempts.
public struct RetryPolicy: Hashable, Sendable {
    /// The maximum number of attempts, including the first.
    public var attempts: Int
    /// The delay before the second attempt in milliseconds. Each further delay is twice as long.
    public var firstMilliseconds: Int64
    /// The longest delay in milliseconds, also for a `Retry-After` of the service. If the service asks for a longer delay, the
    /// caller gets the error.
    public var longestMilliseconds: Int64

    /// - Parameters:
    ///   - attempts: at least 1.
    ///   - firstMilliseconds: at least 1.
    ///   - longestMilliseconds: at least `firstMilliseconds`.
    public init(attempts: Int = 5, firstMilliseconds: Int64 = 500, longestMilliseconds: Int64 = 10_000) {
        self.attempts = max(attempts, 1)
        self.firstMilliseconds = max(firstMilliseconds, 1)
        self.longestMilliseconds = max(longestMilliseconds, self.firstMilliseconds)
    }

    /// Returns the delay after the given number of attempts (at least 1).
    func milliseconds(after sent: Int) -> Int64 {
        let (delay, isOver) = firstMilliseconds.multipliedReportingOverflow(by: 1 << Int64(min(max(sent - 1, 0), 62)))
        return isOver ? longestMilliseconds : min(delay, longestMilliseconds)
    }
}
