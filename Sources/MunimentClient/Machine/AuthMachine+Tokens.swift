internal import Events

/// Getting tokens: from what was kept, and before they end. One refresh at a time; all who need it share it.
extension AuthMachine {
    mutating func start(with stored: StoredSession?, _ step: inout Step) {
        guard case .notDetermined = state, case .none = session else { return }
        // Whether it is over is for the service to say: the clock here may be wrong.
        guard let stored else {
            become(.notAuthenticated, &step)
            failWaiting(.notSignedIn, &step)
            return
        }
        session = .stored(stored)
        startRefresh(&step)
    }

    /// Begins a refresh, unless somebody gets new tokens already.
    mutating func startRefresh(_ step: inout Step) {
        guard exchange == nil else { return }
        lastRefresh += 1
        exchange = .refresh(sent: 0)
        sendRefresh(&step)
    }

    /// Sends the refresh. Its nonce is on the disk before: whenever the answer is lost, the same request gets the same tokens.
    mutating func sendRefresh(_ step: inout Step) {
        guard case .refresh(let sent)? = exchange else { return }
        putOff = nil
        let refresh: String
        let nonce: String
        switch session {
        case .none: return
        case .stored(let stored):
            refresh = stored.refresh
            nonce = stored.nonce ?? step.nonce
            if stored.nonce == nil {
                let next = StoredSession(refresh: stored.refresh, ends: stored.ends, nonce: nonce)
                session = .stored(next)
                step.effects.append(.keep(next))
            }
        case .live(var live):
            refresh = live.refresh
            nonce = live.nonce ?? step.nonce
            if live.nonce == nil {
                live.nonce = nonce
                session = .live(live)
                step.effects.append(.keep(live.stored))
            }
        }
        exchange = .refresh(sent: sent + 1)
        step.effects.append(.send(.refresh(lastRefresh), AuthMachine.refreshRequest(refresh, nonce)))
    }

    private static func refreshRequest(_ refresh: String, _ nonce: String) -> AuthRequest {
        AuthRequest(.post, "/v1/accounts/refresh", body: ["refresh": .string(refresh), "nonce": .string(nonce)])
    }

    mutating func refreshAnswered(_ outcome: Result<AuthAnswer, AuthTransportFailure>, _ step: inout Step) {
        guard case .refresh(let sent)? = exchange else { return }
        switch outcome {
        case .success(let answer) where answer.status == 200:
            guard let live = LiveSession(answer, receivedAt: step.now) else {
                return refreshFailed(.unavailable("the service answers what is no session"), after: nil, sent, &step)
            }
            exchange = nil
            take(live, &step)
            resume(&step)
        case .success(let answer) where answer.status == 401:
            dropSession(.sessionEnded, &step)
        case .success(let answer):
            let problem = AnswerProblem(answer)
            refreshFailed(problem.error, after: answer.retryAfterSeconds, sent, &step)
        case .failure(.notSent(let why)), .failure(.noAnswer(let why)):
            refreshFailed(.unavailable(why), after: nil, sent, &step)
        }
    }

    /// A refresh that did not get through is sent again; the person stays signed in. When that was done often enough, or the service wants
    /// to be left alone for longer than anybody is let wait, whoever waits is told. At the start it goes on nevertheless, until it is known
    /// who is signed in.
    private mutating func refreshFailed(_ error: AuthError, after retryAfterSeconds: Int?, _ sent: Int, _ step: inout Step) {
        let asked = min(Int64(clamping: retryAfterSeconds ?? 0), AuthMachine.longestPauseSeconds) * 1_000
        let delay = max(policy.milliseconds(after: sent), asked)
        let isLong = asked > policy.longestMilliseconds
        guard sent >= policy.attempts || isLong else {
            return step.effects.append(.wait(.refresh(lastRefresh), milliseconds: delay))
        }
        if case .notDetermined = state {
            if isLong { putOff = error }
            step.effects.append(.wait(.refresh(lastRefresh), milliseconds: delay))
        } else {
            exchange = nil
        }
        failWaiting(error, &step)
    }

    /// New tokens of the session that there is, or of the one that was kept.
    mutating func take(_ live: LiveSession, _ step: inout Step) {
        session = .live(live)
        step.effects.append(.keep(live.stored))
        become(.authenticated(live.user), &step)
    }

    /// Somebody has signed in. A session that there was is ended behind it.
    mutating func begin(_ live: LiveSession, _ step: inout Step) {
        takeLeave(&step)
        epoch += 1
        exchange = nil
        putOff = nil
        sentCodes = [:]
        maxAgeSeconds = AuthMachine.defaultMaxAgeSeconds
        take(live, &step)
        // What was to be done in the name of the one before is not done in the name of the next.
        let stale = jobs.filter { $0.value.phase != .sent && $0.value.job.needsSession && $0.value.phase != .ready }
        for id in stale.keys.sorted() { finish(id, .failure(.sessionEnded), &step) }
    }

    /// Ends the session that another one takes the place of. Where its access token is over, one is got for that first. It is sent once:
    /// where it does not get through, the service knows the session until it is over by itself.
    private func takeLeave(_ step: inout Step) {
        switch session {
        case .none: break
        case .live(let former) where former.accessEnds > step.now: signOut(former, &step)
        case .live(let former):
            step.effects.append(.send(.farewell, AuthMachine.refreshRequest(former.refresh, former.nonce ?? step.nonce)))
        case .stored(let former):
            step.effects.append(.send(.farewell, AuthMachine.refreshRequest(former.refresh, former.nonce ?? step.nonce)))
        }
    }

    /// The answer to a farewell: the token for it, or nothing more to be done.
    func farewellAnswered(_ outcome: Result<AuthAnswer, AuthTransportFailure>, _ step: inout Step) {
        guard case .success(let answer) = outcome, let former = LiveSession(answer, receivedAt: step.now) else { return }
        signOut(former, &step)
    }

    private func signOut(_ former: LiveSession, _ step: inout Step) {
        step.effects.append(.send(.farewell, AuthRequest(.post, "/v1/account/sign-out", accessToken: former.access)))
    }

    /// What the service says about the account that is signed in.
    mutating func take(_ user: AuthUser, _ step: inout Step) {
        guard case .live(var live) = session else { return }
        live.user = user
        session = .live(live)
        become(.authenticated(user), &step)
    }
}

extension AuthAnswer {
    /// The body, where it is an object.
    var object: JSONObject? {
        if case .object(let members)? = try? JSONText.decode(body, limit: 1 << 20) { members } else { nil }
    }
}
