internal import Primitives

/// Processes the response to a job.
extension AuthMachine {
    mutating func answered(_ id: JobID, _ outcome: Result<ServiceResponse, TransportError>, _ step: inout Step) {
        guard let running = jobs[id], case .sent = running.phase else { return }
        switch outcome {
        case .failure(.notSent(let why)): sendAgain(id, running, or: .unavailable(why), &step)
        case .failure(.noAnswer(let why)): lost(id, running, why, &step)
        case .success(let answer):
            switch answer.status {
            case 200..<300: succeed(id, running, answer, &step)
            case 401: unauthorised(id, running, answer, &step)
            case 429:
                let error = ServiceProblem(answer).authError
                guard let seconds = answer.retryAfterSeconds, Int64(seconds) <= policy.longestMilliseconds / 1_000 else {
                    return end(id, running, .failure(error), &step)
                }
                sendAgain(id, running, or: error, atLeast: Int64(seconds) * 1_000, &step)
            case 503 where running.job.repetition != .unlessSent:
                sendAgain(id, running, or: ServiceProblem(answer).authError, atLeast: seconds(answer) * 1_000, &step)
            case 502, 504: lost(id, running, "a proxy or gateway in front of the service returned status \(answer.status)", &step)
            default: refused(id, running, answer, &step)
            }
        }
    }

    /// Returns the delay that the service asked for in seconds, limited to the longest accepted delay.
    private func seconds(_ answer: ServiceResponse) -> Int64 {
        min(Int64(clamping: answer.retryAfterSeconds ?? 0), policy.longestMilliseconds / 1_000)
    }

    /// Handles a sent request with an unknown outcome.
    private mutating func lost(_ id: JobID, _ running: RunningJob, _ why: String, _ step: inout Step) {
        guard running.job.repetition == .always else { return end(id, running, .failure(.outcomeUnknown(why)), &step) }
        // A GET request changes nothing, so its outcome needs no record.
        if running.job.request?.method != .get { jobs[id]?.loss = why }
        sendAgain(id, running, or: .unavailable(why), &step)
    }

    private mutating func sendAgain(
        _ id: JobID, _ running: RunningJob, or error: AuthError, atLeast milliseconds: Int64 = 0, _ step: inout Step
    ) {
        guard running.sent < policy.attempts else { return end(id, running, .failure(error), &step) }
        jobs[id]?.phase = .waitingToSendAgain
        let delay = max(policy.milliseconds(after: running.sent), milliseconds)
        step.effects.append(.wait(.job(id), milliseconds: delay))
    }

    /// Handles a 401 response: the credentials are wrong, a recent sign-in is required, or the token is expired.
    private mutating func unauthorised(_ id: JobID, _ running: RunningJob, _ answer: ServiceResponse, _ step: inout Step) {
        let problem = ServiceProblem(answer)
        guard running.epoch == epoch, case .live(let live) = session, running.job.needsSession else {
            return refused(id, running, answer, &step)
        }
        if let maxAge = problem.recentSignIn {
            maxAgeSeconds = maxAge
            guard let change = running.job.change, running.challenges < AuthMachine.challengeLimit else {
                return end(id, running, .failure(problem.authError), &step)
            }
            return challenge(id, change, live.user, &step)
        }
        guard problem.isAboutToken else { return refused(id, running, answer, &step) }
        if running.token != live.access, running.sent < policy.attempts {
            jobs[id]?.phase = .ready
            advance(id, &step)
        } else if !running.wasRefused {
            if exchange == .reauthentication(id) { exchange = nil }
            // If a reauthentication is already getting new tokens, wait for those and try them before a refresh.
            let getsNew = !isReauthenticating
            jobs[id]?.wasRefused = getsNew
            jobs[id]?.phase = .waitingForTokens
            startRefresh(&step)
        } else {
            // Only the refresh can tell whether the session has ended, and the refresh succeeded.
            end(id, running, .failure(problem.authError), &step)
        }
    }

    private mutating func refused(_ id: JobID, _ running: RunningJob, _ answer: ServiceResponse, _ step: inout Step) {
        if running.job.reading == .answer { return end(id, running, .success(.answer(answer)), &step) }
        let problem = ServiceProblem(answer)
        if let link = problem.link { pendingLink = link }
        if let link = running.link, problem.isAboutLink {
            // The link has expired, belongs to another account, or is invalid for this one. It must not prevent the sign-in.
            if pendingLink?.link == link { pendingLink = nil }
            // Evidence that can be used only once is used now, so the sign-in fails. The next one is made without the link.
            if running.job.repetition != .unlessSent { return advance(id, &step) }
        }
        end(id, running, .failure(problem.authError), &step)
    }

    mutating func end(_ id: JobID, _ running: RunningJob, _ result: Result<AuthValue, AuthError>, _ step: inout Step) {
        endExchange(of: id, &step)
        finish(id, result, &step)
        // The local sign-out happens even if the service could not be told.
        if running.job.reading == .signedOut, running.epoch == epoch, session != .none { leave(&step) }
    }
}
