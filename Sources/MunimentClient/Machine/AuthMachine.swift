internal import Events

/// Who is signed in, and what is under way: events in, effects out. It has no clock, no randomness and no way to the service of its own.
struct AuthMachine: Sendable {
    private(set) var state = AuthenticationState.notDetermined
    var pendingLink: PendingLink?
    var sentCodes: [SentCodeUse: SentCode] = [:]
    /// Seconds within which one has to have signed in for a sensitive change, as the service said last.
    var maxAgeSeconds = AuthMachine.defaultMaxAgeSeconds

    /// What there is of a session: nothing, what was kept of it, or all.
    var session = Session.none
    /// Counts sessions: what was asked in the name of one is no news of another.
    var epoch: UInt64 = 0
    var jobs: [JobID: RunningJob] = [:]
    /// Who is getting new tokens: one at a time, since a refresh token is good once.
    var exchange: Exchange?
    /// Why a refresh is sent so late that nobody is let wait for it; nil where it is not.
    var putOff: AuthError?
    var lastChallenge: UInt64 = 0
    var lastRefresh: UInt64 = 0
    let policy: RetryPolicy

    /// Of the service, unless it says otherwise.
    static let defaultMaxAgeSeconds = 300
    /// An access token is renewed so long before its end.
    static let marginSeconds: Int64 = 30
    /// The longest that a service is left alone for at the start because it asks for it, however long that is.
    static let longestPauseSeconds: Int64 = 600
    /// How often one change leads to a challenge, before it is given up.
    static let challengeLimit = 3
    /// How many callers may wait at the same time.
    static let jobLimit = 1_000

    enum Session: Hashable, Sendable {
        case none
        case stored(StoredSession)
        case live(LiveSession)
    }

    enum Exchange: Hashable, Sendable {
        /// A refresh was sent so many times, or is about to be.
        case refresh(sent: Int)
        case reauthentication(JobID)
    }

    /// A job, and how far it has come.
    struct RunningJob: Sendable {
        let job: AuthJob
        var phase = Phase.ready
        /// How often it was sent since it began, or since the person was asked.
        var sent = 0
        /// The token that it was sent with last.
        var token: String?
        /// What was to be linked behind it when it was sent last.
        var link: String?
        /// Why there was no answer to it once: it may have been done since then, whatever comes of a repetition.
        var loss: String?
        /// Whether new tokens were got for it since they seemed to end, so that it goes on whatever the clock here says.
        var hasRefreshed = false
        /// Whether new tokens were got for it since the service did not take the ones it had.
        var wasRefused = false
        /// Whether the person was asked for it and has answered.
        var isAnswered = false
        var challenges = 0
        /// The session in whose name it is done.
        var epoch: UInt64

        enum Phase: Hashable, Sendable {
            case ready
            /// Until it is known who is signed in, or until there are new tokens.
            case waitingForTokens
            case sent
            case waitingToSendAgain
            case challenged(UInt64)
        }
    }

    init(policy: RetryPolicy = RetryPolicy()) { self.policy = policy }

    /// Takes in what happened.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - now: when.
    ///   - nonce: a text that nobody can guess, another one each time.
    /// - Returns: what is to be done, in order.
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
        case .answered(.farewell, let outcome): farewellAnswered(outcome, &step)
        case .waited(.farewell): break
        case .challengeCancelled(let challenge): endChallenge(challenge, .cancelledByUser, &step)
        case .challengeUnheard(let challenge):
            endChallenge(challenge, .recentSignInRequired(maxAgeSeconds: maxAgeSeconds), &step)
        }
        return step.effects
    }

    /// What one event comes with, and leads to.
    struct Step {
        let now: Instant
        let nonce: String
        var effects: [AuthEffect] = []
    }
}

extension AuthMachine {
    /// Changes the state, and tells it where it is another one.
    mutating func become(_ next: AuthenticationState, _ step: inout Step) {
        guard next != state else { return }
        state = next
        step.effects.append(.tell(next))
    }

    /// The person goes. What was to be linked is not linked to whoever comes next.
    mutating func leave(_ step: inout Step) {
        pendingLink = nil
        dropSession(.sessionEnded, &step)
    }

    /// What is told about the session here goes, and whoever waits in its name is told so. What somebody has begun without it stays.
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

    /// Jobs that wait for something that is not the answer to what they sent, in the order in which they were asked for.
    private var waiting: [JobID] { jobs.filter { $0.value.phase != .sent }.keys.sorted() }

    mutating func finish(_ id: JobID, _ result: Result<AuthValue, AuthError>, _ step: inout Step) {
        guard let running = jobs.removeValue(forKey: id) else { return }
        step.effects.append(.finish(id, told(result, to: running)))
    }

    /// What is said of a result to whoever waits for it.
    private func told(_ result: Result<AuthValue, AuthError>, to running: RunningJob) -> Result<AuthValue, AuthError> {
        switch result {
        // Who wanted to be signed out is.
        case .failure(.sessionEnded), .failure(.notSignedIn): running.job.reading == .signedOut ? .success(.nothing) : result
        // These say that nothing was done.
        case .failure(.unavailable), .failure(.cancelledByUser): running.loss.map { .failure(.outcomeUnknown($0)) } ?? result
        default: result
        }
    }

    /// Whoever waited for new tokens looks again at what it needs.
    mutating func resume(_ step: inout Step) {
        for id in jobs.filter({ $0.value.phase == .waitingForTokens }).keys.sorted() { advance(id, &step) }
    }

    /// Whoever waited for new tokens, and will not get them.
    mutating func failWaiting(_ error: AuthError, _ step: inout Step) {
        for id in jobs.filter({ $0.value.phase == .waitingForTokens }).keys.sorted() {
            // The end of one can have ended the others.
            if let running = jobs[id] { end(id, running, .failure(error), &step) }
        }
    }
}
