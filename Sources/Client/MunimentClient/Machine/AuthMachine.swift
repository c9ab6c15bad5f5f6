internal import Primitives

/// The authentication state and the running jobs, as a pure state machine: events in, effects out. It has no clock, no randomness
/// and no network access.
struct AuthMachine: Sendable {
    private(set) var state = AuthenticationState.notDetermined
    var pendingLink: PendingLink?
    var sentCodes: [SentCodeUse: SentCode] = [:]
    /// The maximum age of a sign-in for a sensitive change in seconds, as the service reported it last.
    var maxAgeSeconds = AuthMachine.defaultMaxAgeSeconds

    /// The session: none, stored, or live.
    var session = Session.none
    /// Counts sessions. Responses from an earlier session are ignored.
    var epoch: UInt64 = 0
    var jobs: [JobID: RunningJob] = [:]
    /// The current token exchange. There is one at a time, because a refresh token can be used only once.
    var exchange: Exchange?
    /// The error for new callers while the next refresh is later than they may wait; nil otherwise.
    var putOff: AuthError?
    var lastChallenge: UInt64 = 0
    var lastRefresh: UInt64 = 0
    let policy: RetryPolicy

    /// The default of the service.
    static let defaultMaxAgeSeconds = 300
    /// An access token is renewed this long before it expires.
    static let marginSeconds: Int64 = 30
    /// The longest delay between two attempts at the start, even if the service asks for more.
    static let longestPauseSeconds: Int64 = 600
    /// How many challenges one change may cause before it fails.
    static let challengeLimit = 3
    /// The maximum number of waiting callers.
    static let jobLimit = 1_000

    enum Session: Hashable, Sendable {
        case none
        case stored(StoredSession)
        case live(SessionResponse)
    }

    enum Exchange: Hashable, Sendable {
        /// A refresh that was sent this many times, or is about to be.
        case refresh(sent: Int)
        case reauthentication(JobID)
    }

    /// A job and its progress.
    struct RunningJob: Sendable {
        let job: AuthJob
        var phase = Phase.ready
        /// How many times it was sent since it started, or since the last challenge.
        var sent = 0
        /// The token it was last sent with.
        var token: String?
        /// The link it was last sent with.
        var link: String?
        /// Why a response was lost: the request may have been processed, whatever the outcome of a repetition.
        var loss: String?
        /// Whether the tokens were refreshed for this job because they seemed expired. It then continues regardless of the local
        /// clock.
        var hasRefreshed = false
        /// Whether the tokens were refreshed for this job because the service rejected them.
        var wasRefused = false
        /// Whether the user was asked for it and has answered.
        var isAnswered = false
        var challenges = 0
        /// The session of the job.
        var epoch: UInt64

        enum Phase: Hashable, Sendable {
            case ready
            /// Waits until the authentication state is known, or until there are new tokens.
            case waitingForTokens
            case sent
            case waitingToSendAgain
            case challenged(UInt64)
        }
    }

    init(policy: RetryPolicy = RetryPolicy()) { self.policy = policy }

    /// Handles an event.
    ///
    /// - Parameter nonce: an unguessable text, different for each call.
    /// - Returns: the effects to perform, in order.
    mutating func handle(_ event: AuthEvent, at now: Instant, nonce: String) -> [AuthEffect] {
        var step = Step(now: now, nonce: nonce)
        switch event {
        case .started(let stored): start(with: stored, &step)
        case .asked(let id, let job): take(id, job, &step)
        case .givenUp(let id): giveUp(id, &step)
        case .answered(.refresh(let number), let outcome):
            if number == lastRefresh { refreshAnswered(outcome, &step) }
        case .answered(.job(let id), let outcome): answered(id, outcome, &step)
        case .waited(.refresh(let number)):
            if number == lastRefresh { sendRefresh(&step) }
        case .waited(.job(let id)):
            if case .waitingToSendAgain? = jobs[id]?.phase { advance(id, &step) }
        case .answered(.formerSignOut, let outcome): formerSignOutAnswered(outcome, &step)
        case .waited(.formerSignOut): break
        case .challengeCancelled(let challenge): endChallenge(challenge, .cancelledByUser, &step)
        case .challengeUnheard(let challenge):
            endChallenge(challenge, .recentSignInRequired(maxAgeSeconds: maxAgeSeconds), &step)
        }
        return step.effects
    }

    /// The inputs and effects of one event.
    struct Step {
        let now: Instant
        let nonce: String
        var effects: [AuthEffect] = []
    }
}

extension AuthMachine {
    /// Changes the state, and reports it if it is different.
    mutating func become(_ next: AuthenticationState, _ step: inout Step) {
        guard next != state else { return }
        state = next
        step.effects.append(.tell(next))
    }

    /// Signs the user out. A pending link is dropped, so that it does not apply to the next user.
    mutating func leave(_ step: inout Step) {
        pendingLink = nil
        dropSession(.sessionEnded, &step)
    }

    /// Drops the session and fails the jobs that wait for it. Jobs that need no session continue.
    mutating func dropSession(_ error: AuthError, _ step: inout Step) {
        session = .none
        epoch += 1
        exchange = nil
        putOff = nil
        sentCodes[.email] = nil
        maxAgeSeconds = AuthMachine.defaultMaxAgeSeconds
        step.effects.append(.keep(nil))
        become(.notAuthenticated, &step)
        for id in waiting where jobs[id]?.job.needsSession == true { finish(id, .failure(error), &step) }
    }

    /// Jobs that wait for anything other than a response, in the order they were requested.
    private var waiting: [JobID] { jobs.filter { $0.value.phase != .sent }.keys.sorted() }

    mutating func finish(_ id: JobID, _ result: Result<AuthValue, AuthError>, _ step: inout Step) {
        guard let running = jobs.removeValue(forKey: id) else { return }
        step.effects.append(.finish(id, told(result, to: running)))
    }

    /// Returns the result as it is reported to the caller.
    private func told(_ result: Result<AuthValue, AuthError>, to running: RunningJob) -> Result<AuthValue, AuthError> {
        switch result {
        // A sign-out of a session that has already ended succeeds.
        case .failure(.sessionEnded), .failure(.notSignedIn): running.job.reading == .signedOut ? .success(.nothing) : result
        // These errors mean that nothing was done.
        case .failure(.unavailable), .failure(.cancelledByUser): running.loss.map { .failure(.outcomeUnknown($0)) } ?? result
        default: result
        }
    }

    /// Resumes the jobs that waited for new tokens.
    mutating func resume(_ step: inout Step) {
        for id in jobs.filter({ $0.value.phase == .waitingForTokens }).keys.sorted() { advance(id, &step) }
    }

    /// Fails the jobs that waited for new tokens.
    mutating func failWaiting(_ error: AuthError, _ step: inout Step) {
        for id in jobs.filter({ $0.value.phase == .waitingForTokens }).keys.sorted() {
            // The end of one job can end others.
            if let running = jobs[id] { end(id, running, .failure(error), &step) }
        }
    }
}
