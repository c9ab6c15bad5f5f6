internal import Primitives

/// Establishes the preconditions of a job, step by step.
extension AuthMachine {
    mutating func take(_ id: JobID, _ job: AuthJob, _ step: inout Step) {
        guard jobs.count < AuthMachine.jobLimit else {
            step.effects.append(.finish(id, .failure(.unavailable("more than \(AuthMachine.jobLimit) requests are running"))))
            return
        }
        jobs[id] = RunningJob(job: job, epoch: epoch)
        advance(id, &step)
    }

    /// Advances a job as far as possible.
    mutating func advance(_ id: JobID, _ step: inout Step) {
        guard var running = jobs[id] else { return }
        guard running.job.needsSession else { return send(id, accessToken: nil, &step) }
        let live: SessionResponse
        switch session {
        case .live(let session): live = session
        case .none where state == .notAuthenticated: return finish(id, .failure(.notSignedIn), &step)
        case .none, .stored:
            if let putOff { return end(id, running, .failure(putOff), &step) }
            jobs[id]?.phase = .waitingForTokens
            return
        }
        running.epoch = epoch
        if let change = running.job.change, !running.isAnswered, needsSignIn(live, at: step.now) {
            jobs[id] = running
            return challenge(id, change, live.user, &step)
        }
        if !running.hasRefreshed, live.accessEnds <= step.now.advanced(byMicroseconds: AuthMachine.marginSeconds * 1_000_000) {
            running.phase = .waitingForTokens
            running.hasRefreshed = !isReauthenticating
            jobs[id] = running
            return startRefresh(&step)
        }
        if running.job.reading == .reauthentication, exchange != .reauthentication(id) {
            if exchange != nil {
                running.phase = .waitingForTokens
                jobs[id] = running
                return
            }
            exchange = .reauthentication(id)
        }
        jobs[id] = running
        send(id, accessToken: live.access, &step)
    }

    /// Whether a reauthentication is getting new tokens.
    var isReauthenticating: Bool { if case .reauthentication? = exchange { true } else { false } }

    /// Whether the client already knows that the service would require a new sign-in.
    private func needsSignIn(_ live: SessionResponse, at now: Instant) -> Bool {
        live.authenticatedAt.advanced(byMicroseconds: Int64(maxAgeSeconds) * 1_000_000) <= now
    }

    private mutating func send(_ id: JobID, accessToken: String?, _ step: inout Step) {
        guard var running = jobs[id] else { return }
        guard var request = running.job.request else {
            let value = accessToken.map { AuthValue.accessToken($0) } ?? .nothing
            return finish(id, .success(running.job.reading == .accessToken ? value : .nothing), &step)
        }
        request.accessToken = accessToken
        running.link = nil
        if case .signIn(let provider) = running.job.reading, let pendingLink, pendingLink.providers.contains(provider) {
            running.link = pendingLink.link
            request.body?["link"] = .string(pendingLink.link)
        }
        running.phase = .sent
        running.sent += 1
        running.token = accessToken
        jobs[id] = running
        step.effects.append(.send(.job(id), request))
    }

    /// Asks the user to reauthenticate.
    mutating func challenge(_ id: JobID, _ change: ProfileChangeType, _ user: AuthUser, _ step: inout Step) {
        lastChallenge += 1
        jobs[id]?.phase = .challenged(lastChallenge)
        jobs[id]?.challenges += 1
        let context = ProfileChangeReauthenticationChallenge.Context(profileChangeType: change, user: user)
        step.effects.append(
            .challenge(ProfileChangeReauthenticationChallenge(id: lastChallenge, context: context), user.providers))
    }

    /// Resumes the change of the answered challenge. Without a challenge, all waiting changes are resumed except deletions: a
    /// deletion needs the answer to its own challenge, because it cannot be undone.
    mutating func resume(challenged challenge: UInt64?, _ step: inout Step) {
        for (id, running) in jobs.sorted(by: { $0.key < $1.key }) {
            guard case .challenged(let own) = running.phase else { continue }
            guard challenge.map({ $0 == own }) ?? (running.job.change != .deleteAccount) else { continue }
            jobs[id]?.isAnswered = true
            jobs[id]?.sent = 0
            advance(id, &step)
        }
    }

    mutating func endChallenge(_ challenge: UInt64, _ error: AuthError, _ step: inout Step) {
        guard let id = jobs.first(where: { $0.value.phase == .challenged(challenge) })?.key else { return }
        finish(id, .failure(error), &step)
    }

    /// Cancels a job that is not sent. A sent job continues, because the service may already have done it; its caller gets the
    /// outcome.
    mutating func giveUp(_ id: JobID, _ step: inout Step) {
        guard let running = jobs[id], running.phase != .sent else { return }
        end(id, running, .failure(.cancelledByUser), &step)
    }

    /// Releases the token exchange if this job holds it.
    mutating func endExchange(of id: JobID, _ step: inout Step) {
        guard exchange == .reauthentication(id) else { return }
        exchange = nil
        // Only the other jobs waited for this exchange; `resume` must not advance this one.
        jobs[id]?.phase = .ready
        resume(&step)
    }
}
