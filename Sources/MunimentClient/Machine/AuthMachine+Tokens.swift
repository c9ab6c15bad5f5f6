internal import Events

/// Getting tokens: from what was kept, and before they end. One refresh at a time; all who need it share it.
extension AuthMachine {
    mutating func start(with stored: StoredSession?, _ step: inout Step) {
        guard case .notDetermined = state, case .none = session else { return }
        guard let stored, stored.ends > step.now else {
            if case .some = stored { step.effects.append(.keep(nil)) }
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
        let body: JSONObject = ["refresh": .string(refresh), "nonce": .string(nonce)]
        step.effects.append(.send(.refresh(lastRefresh), AuthRequest(.post, "/v1/accounts/refresh", body: body)))
    }

    mutating func refreshAnswered(_ outcome: Result<AuthAnswer, AuthTransportFailure>, _ step: inout Step) {
        guard case .refresh(let sent)? = exchange else { return }
        switch outcome {
        case .success(let answer) where answer.status == 200:
            guard let members = answer.object, let live = LiveSession(members) else {
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

    /// A refresh that did not get through is sent again; the person stays signed in. When that was done often enough, whoever waits is
    /// told. At the start it goes on nevertheless, until it is known who is signed in.
    private mutating func refreshFailed(_ error: AuthError, after retryAfterSeconds: Int?, _ sent: Int, _ step: inout Step) {
        let asked = Int64(clamping: retryAfterSeconds ?? 0).multipliedReportingOverflow(by: 1_000).partialValue
        let delay = max(policy.milliseconds(after: sent), min(asked, 600_000))
        guard sent >= policy.attempts else { return step.effects.append(.wait(.refresh(lastRefresh), milliseconds: delay)) }
        if case .notDetermined = state {
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
        if case .live(let former) = session {
            step.effects.append(.send(.farewell, AuthRequest(.post, "/v1/account/sign-out", accessToken: former.access)))
        }
        epoch += 1
        exchange = nil
        sentCodes = [:]
        maxAgeSeconds = AuthMachine.defaultMaxAgeSeconds
        take(live, &step)
        // What was to be done in the name of the one before is not done in the name of the next.
        let stale = jobs.filter { $0.value.phase != .sent && $0.value.job.needsSession && $0.value.phase != .ready }
        for id in stale.keys.sorted() { finish(id, .failure(.sessionEnded), &step) }
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
