internal import Primitives

/// Gets tokens: from the stored session, and before the current ones expire. There is one refresh at a time; all jobs that need it
/// share it.
extension AuthMachine {
    mutating func start(with stored: StoredSession?, _ step: inout Step) {
        guard case .notDetermined = state, case .none = session else { return }
        // Only the service decides whether the session has expired: the local clock may be wrong.
        guard let stored else {
            become(.notAuthenticated, &step)
            failWaiting(.notSignedIn, &step)
            return
        }
        session = .stored(stored)
        startRefresh(&step)
    }

    /// Starts a refresh, unless an exchange is already in progress.
    mutating func startRefresh(_ step: inout Step) {
        guard exchange == nil else { return }
        lastRefresh += 1
        exchange = .refresh(sent: 0)
        sendRefresh(&step)
    }

    /// Sends the refresh. Its nonce is stored on disk first. If the response is lost, the same request returns the same tokens.
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
        AuthRequest(.post, "/v1/accounts/refresh", body: ["refreshToken": .string(refresh), "nonce": .string(nonce)])
    }

    mutating func refreshAnswered(_ outcome: Result<ServiceResponse, TransportError>, _ step: inout Step) {
        guard case .refresh(let sent)? = exchange else { return }
        switch outcome {
        case .success(let answer) where answer.status == 200:
            guard let live = try? SessionResponse(answer, receivedAt: step.now) else {
                return refreshFailed(
                    .unavailable("unexpected response from the service: it is not a session"), after: nil, sent, &step)
            }
            exchange = nil
            take(live, &step)
            resume(&step)
        case .success(let answer) where answer.status == 401:
            dropSession(.sessionEnded, &step)
        case .success(let answer):
            refreshFailed(ServiceProblem(answer).authError, after: answer.retryAfterSeconds, sent, &step)
        case .failure(.notSent(let why)), .failure(.noAnswer(let why)):
            refreshFailed(.unavailable(why), after: nil, sent, &step)
        }
    }

    /// Handles a refresh that failed; the user stays signed in. The refresh is sent again. After the last attempt, or if the
    /// service asks for a longer delay than callers may wait, the waiting callers get the error. At the start the refresh is
    /// repeated without limit, until it is known whether a user is signed in.
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

    /// Stores the new tokens of the current or the stored session.
    mutating func take(_ live: SessionResponse, _ step: inout Step) {
        session = .live(live)
        step.effects.append(.keep(live.stored))
        become(.authenticated(live.user), &step)
    }

    /// Starts the session of a new sign-in. A previous session is ended afterwards.
    mutating func begin(_ live: SessionResponse, _ step: inout Step) {
        signOutFormer(&step)
        epoch += 1
        exchange = nil
        putOff = nil
        sentCodes = [:]
        maxAgeSeconds = AuthMachine.defaultMaxAgeSeconds
        take(live, &step)
        // Jobs of the previous session must not run in the new one.
        let stale = jobs.filter { $0.value.phase != .sent && $0.value.job.needsSession && $0.value.phase != .ready }
        for id in stale.keys.sorted() { finish(id, .failure(.sessionEnded), &step) }
    }

    /// Ends the session that was replaced. If its access token has expired, it is refreshed first. The request is sent once. If it
    /// fails, the session stays valid at the service until it expires.
    private func signOutFormer(_ step: inout Step) {
        switch session {
        case .none: break
        case .live(let former) where former.accessEnds > step.now: signOut(former, &step)
        case .live(let former):
            step.effects.append(.send(.formerSignOut, AuthMachine.refreshRequest(former.refresh, former.nonce ?? step.nonce)))
        case .stored(let former):
            step.effects.append(.send(.formerSignOut, AuthMachine.refreshRequest(former.refresh, former.nonce ?? step.nonce)))
        }
    }

    /// Handles the response to a sign-out of a replaced session: either its new token, or the end.
    func formerSignOutAnswered(_ outcome: Result<ServiceResponse, TransportError>, _ step: inout Step) {
        guard case .success(let answer) = outcome, let former = try? SessionResponse(answer, receivedAt: step.now) else { return }
        signOut(former, &step)
    }

    private func signOut(_ former: SessionResponse, _ step: inout Step) {
        step.effects.append(.send(.formerSignOut, AuthRequest(.post, "/v1/account/sign-out", accessToken: former.access)))
    }

    /// Stores the account data that the service returned.
    mutating func take(_ user: AuthUser, _ step: inout Step) {
        guard case .live(var live) = session else { return }
        live.user = user
        session = .live(live)
        become(.authenticated(user), &step)
    }
}

extension ServiceResponse {
    var object: JSONObject? { try? JSONText.decode(body, limit: 1 << 20).readMembers() }
}
