internal import Events

/// The number of something that a caller waits for.
struct JobID: Hashable, Comparable, Sendable {
    let number: UInt64

    static func < (left: JobID, right: JobID) -> Bool { left.number < right.number }
}

/// What happens to the machine. The time comes with it, and bytes that nobody can guess.
enum AuthEvent: Sendable {
    /// The process has begun, with what was kept from before.
    case started(StoredSession?)
    case asked(JobID, AuthJob)
    /// Whoever asked waits no more.
    case givenUp(JobID)
    case answered(AuthSender, Result<AuthAnswer, AuthTransportFailure>)
    case waited(AuthSender)
    /// The person does not want to show who they are.
    case challengeCancelled(UInt64)
    /// There is nobody to ask the person.
    case challengeUnheard(UInt64)
}

/// Whom a request is sent for, and whose answer it is therefore.
enum AuthSender: Hashable, Sendable {
    case job(JobID)
    /// The refresh of this number: the answer to an earlier one is no news.
    case refresh(UInt64)
    /// The end of a session that another one took the place of: nobody waits for it.
    case farewell
}

/// What the machine wants done, in this order.
enum AuthEffect: Hashable, Sendable {
    case keep(StoredSession?)
    case tell(AuthenticationState)
    case send(AuthSender, AuthRequest)
    case wait(AuthSender, milliseconds: Int64)
    case challenge(ProfileChangeReauthenticationChallenge, [IdentityProviderUserInfo])
    case finish(JobID, Result<AuthValue, AuthError>)
}

/// How often something is sent again that did not get through, and after how long.
public struct RetryPolicy: Hashable, Sendable {
    /// How often something is sent at most, the first time included.
    public var attempts: Int
    /// Before the second time; then twice as long each time.
    public var firstMilliseconds: Int64
    /// The longest of these, and the longest that a service may ask to be left alone for; beyond that its caller is told.
    public var longestMilliseconds: Int64

    /// - Parameters:
    ///   - attempts: from 1.
    ///   - firstMilliseconds: from 1.
    ///   - longestMilliseconds: from `firstMilliseconds`.
    public init(attempts: Int = 5, firstMilliseconds: Int64 = 500, longestMilliseconds: Int64 = 10_000) {
        self.attempts = max(attempts, 1)
        self.firstMilliseconds = max(firstMilliseconds, 1)
        self.longestMilliseconds = max(longestMilliseconds, self.firstMilliseconds)
    }

    /// How long to wait when something was sent so many times, from 1.
    func milliseconds(after sent: Int) -> Int64 {
        var delay = firstMilliseconds
        for _ in 1..<max(sent, 1) {
            // Half of it, so that doubling never overflows.
            guard delay < longestMilliseconds / 2 else { return longestMilliseconds }
            delay *= 2
        }
        return delay
    }
}
