internal import Primitives

/// Applies a successful response to the state.
extension AuthMachine {
    mutating func succeed(_ id: JobID, _ running: RunningJob, _ answer: ServiceResponse, _ step: inout Step) {
        let isNews = running.epoch == epoch
        let result: Result<AuthValue, AuthError>
        switch running.job.reading {
        case .signIn, .codeConfirmed: result = signedIn(answer, &step)
        case .signUp: result = answer.status == 202 ? codeSent(.signUp, answer) : signedIn(answer, &step)
        case .reauthentication: result = reauthenticated(id, answer, isNews, &step)
        case .account, .emailConfirmed: result = account(running, answer, isNews, &step)
        case .sentCode(let use): result = codeSent(use, answer)
        case .object: result = answer.object.map { .success(.object($0)) } ?? AuthMachine.unreadable
        case .answer: result = .success(.answer(answer))
        case .recentSignIn:
            guard let confirmed = confirmed(id, running, answer, isNews, &step) else { return }
            result = confirmed
        case .nothing, .accessToken: result = .success(.nothing)
        case .signedOut, .deleted:
            let user = state.user
            if isNews { leave(&step) }
            result = .success(running.job.reading == .deleted ? user.map { .user($0) } ?? .nothing : .nothing)
        }
        finish(id, result, &step)
        if case .reauthentication = running.job.reading {
            resume(&step)
            if case .success = result, isNews { resume(challenged: running.job.challenge, &step) }
        }
    }

    private static let unreadable: Result<AuthValue, AuthError> = .failure(
        .outcomeUnknown("unexpected response from the service"))

    private mutating func signedIn(_ answer: ServiceResponse, _ step: inout Step) -> Result<AuthValue, AuthError> {
        guard let live = try? SessionResponse(answer, receivedAt: step.now) else { return AuthMachine.unreadable }
        pendingLink = nil
        begin(live, &step)
        return .success(.user(live.user))
    }

    private mutating func reauthenticated(
        _ id: JobID, _ answer: ServiceResponse, _ isNews: Bool, _ step: inout Step
    ) -> Result<AuthValue, AuthError> {
        if exchange == .reauthentication(id) { exchange = nil }
        guard let live = try? SessionResponse(answer, receivedAt: step.now) else { return AuthMachine.unreadable }
        if isNews { take(live, &step) }
        return .success(.user(live.user))
    }

    private mutating func account(
        _ running: RunningJob, _ answer: ServiceResponse, _ isNews: Bool, _ step: inout Step
    ) -> Result<AuthValue, AuthError> {
        guard let user = try? answer.object.map(AuthUser.init(members:)) else { return AuthMachine.unreadable }
        if isNews {
            take(user, &step)
            if running.job.reading == .emailConfirmed { sentCodes[.email] = nil }
        }
        return .success(.user(user))
    }

    private mutating func codeSent(_ use: SentCodeUse, _ answer: ServiceResponse) -> Result<AuthValue, AuthError> {
        guard let code = try? answer.object.map(SentCode.init(members:)) else { return AuthMachine.unreadable }
        sentCodes[use] = code
        return .success(.sentCode(code))
    }
}

/// Checks that a sign-in stays recent for long enough to prepare the change that needs it.
extension AuthMachine {
    /// How long the sign-in must stay recent. If half of the service's limit is less, that is used.
    private static let deletionSeconds: Int64 = 60

    /// - Returns: nil if the user must reauthenticate first.
    mutating func confirmed(
        _ id: JobID, _ running: RunningJob, _ answer: ServiceResponse, _ isNews: Bool, _ step: inout Step
    ) -> Result<AuthValue, AuthError>? {
        // The session changed or ended since the request was sent.
        guard isNews, case .live(let live) = session else { return .failure(.sessionEnded) }
        guard let left = answer.object?.integer("secondsLeft"), let maxAge = answer.object?.integer("maxAge") else {
            return .failure(.unavailable("unexpected response from the service"))
        }
        maxAgeSeconds = Int(clamping: maxAge)
        if left >= min(AuthMachine.deletionSeconds, maxAge / 2) { return .success(.nothing) }
        guard let change = running.job.change, running.challenges < AuthMachine.challengeLimit else {
            return .failure(.recentSignInRequired(maxAgeSeconds: maxAgeSeconds))
        }
        challenge(id, change, live.user, &step)
        return nil
    }
}
