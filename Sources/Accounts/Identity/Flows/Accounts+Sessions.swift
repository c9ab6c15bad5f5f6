public import Primitives

/// Use and end of sessions.
extension Accounts {
    /// Whether an access token is still valid for a session. Used by long-running requests after they were authorized. One table
    /// look-up.
    ///
    /// Unlike ``session(access:)``, this returns true while the account is being deleted. A store can reject the deletion, and the
    /// session is then unaffected (CONFORMANCE I8).
    public func isOpen(_ session: SessionID, access: String) -> Bool {
        sessions.lookup(access: access, at: clock())?.0.id == session
    }

    /// Returns an open session by its id, and its account. No token is needed: a browser session replaces the tokens. Nil while the
    /// account is being deleted.
    public func session(_ id: SessionID) -> (session: Session, account: Account)? {
        let now = clock()
        return book.read { state in
            guard let live = state.session(id), !live.isExpired(at: now), let account = state.account(live.session.account),
                !isBeingDeleted(account.id)
            else { return nil }
            return (live.session, account)
        }
    }

    /// Ends a session without its tokens, after the caller was authenticated by its browser session. Does nothing if it has ended.
    public func signOut(_ session: SessionID) throws(AccountError) {
        try change(at: clock()) { change throws(AccountError) in sessions.end(session, .signedOut, in: &change) }
    }

    /// Returns the session and account of a valid access token; nil for any other text. Constant time, without disk access.
    public func session(access: String) -> (session: Session, account: Account)? {
        guard let (session, account) = sessions.lookup(access: access, at: clock()), !isBeingDeleted(account.id) else { return nil }
        return (session, account)
    }

    /// Returns the remaining lifetime of the access token in seconds, for clients with wrong clocks; 0 if it has expired.
    public func accessSeconds(of session: Session) -> Int64 {
        max(session.accessEnds.microseconds - clock().microseconds, 0) / 1_000_000
    }

    /// Returns the session and account, or throws if the token is invalid.
    func signedIn(_ access: String) throws(AccountError) -> (session: Session, account: Account) {
        guard let found = session(access: access) else { throw .sessionEnded }
        return found
    }

    /// Returns the session and account for a sensitive change: throws if the sign-in is not recent (CONFORMANCE I7).
    func recentlySignedIn(_ access: String) throws(AccountError) -> (session: Session, account: Account) {
        let found = try signedIn(access)
        try requireRecent(found.session.authenticatedAt)
        return found
    }

    /// Throws if the sign-in of the session is not recent. For sensitive changes outside the user's account.
    ///
    /// - Throws: ``AccountError/recentSignInRequired(maxAgeSeconds:)``; ``AccountError/sessionEnded``.
    public func requireRecentSignIn(_ access: String) throws(AccountError) { _ = try recentlySignedIn(access) }

    func requireRecent(_ authenticatedAt: Instant) throws(AccountError) {
        let seconds = settings.recentSignInSeconds
        guard AccountRules.isRecent(authenticatedAt, seconds: seconds, at: clock()) else {
            throw .recentSignInRequired(maxAgeSeconds: Int(seconds))
        }
    }

    /// Returns how long the sign-in of this session stays recent (CONFORMANCE I7). Changes nothing. A client can call this before
    /// it deletes data in preparation of a sensitive change.
    ///
    /// - Throws: ``AccountError/recentSignInRequired(maxAgeSeconds:)`` if the sign-in is not recent, and others.
    public func recentSignIn(_ access: String) throws(AccountError) -> (secondsLeft: Int64, maxAgeSeconds: Int64) {
        let (session, _) = try recentlySignedIn(access)
        let seconds = settings.recentSignInSeconds
        return (AccountRules.recentSecondsLeft(session.authenticatedAt, seconds: seconds, at: clock()), seconds)
    }

    /// Returns new tokens for a refresh token, which can be used once. A second use ends the session. A repeated request with the
    /// same nonce returns the same tokens.
    ///
    /// - Parameters:
    ///   - refresh: the refresh token.
    ///   - nonce: an arbitrary text of the client for this request, 1 to 128 bytes.
    public func refresh(_ refresh: String, nonce: String) throws(AccountError) -> SignedIn {
        // If the deletion fails, a repetition with the same nonce still returns tokens.
        if let account = sessions.account(refresh: refresh), isBeingDeleted(account) { throw Accounts.leavingProblem }
        let now = clock()
        let (session, account, tokens) = try written { try sessions.refresh(refresh, nonce: nonce, at: now) }
        guard !isBeingDeleted(account.id) else { throw Accounts.leavingProblem }
        return SignedIn(session: session, account: account, tokens: tokens, isNew: false)
    }

    /// Ends the caller's session.
    public func signOut(_ access: String) throws(AccountError) {
        let (session, _) = try signedIn(access)
        try change(at: clock()) { change throws(AccountError) in sessions.end(session.id, .signedOut, in: &change) }
    }

    /// Returns the unexpired sessions of the caller's account in the order they began.
    public func sessions(_ access: String) throws(AccountError) -> [Session] {
        let (_, account) = try signedIn(access)
        let now = clock()
        return book.read { state in
            state.sessions(of: account.id).filter { !$0.isExpired(at: now) }.map(\.session)
        }
    }

    /// Ends a session of the caller's account; it can be the caller's session.
    ///
    /// - Throws: ``AccountError/notThere(_:)`` if the session has expired or belongs to another account.
    public func endSession(_ access: String, _ id: SessionID) throws(AccountError) {
        let (session, account) = try signedIn(access)
        try change(at: clock()) { change throws(AccountError) in
            guard change.state.session(id)?.session.account == account.id else {
                throw .notThere("the account does not have this session: it may have ended")
            }
            sessions.end(id, id == session.id ? .signedOut : .revoked, in: &change)
        }
    }

    /// Ends all sessions of the account except the caller's.
    public func endOtherSessions(_ access: String) throws(AccountError) {
        let (session, account) = try signedIn(access)
        try change(at: clock()) { change throws(AccountError) in
            sessions.endAll(of: account.id, except: session.id, .revoked, in: &change)
        }
    }

    /// Reauthenticates the user in a session, which gets new tokens. The old tokens are invalid immediately.
    ///
    /// - Parameters:
    ///   - access: the access token of the session.
    ///   - provider: a provider of the account.
    ///   - evidence: the evidence for the provider; for a password, `{"password": …}` is sufficient.
    ///   - source: the source address of the request.
    public func reauthenticate(
        _ access: String, _ provider: ProviderID, _ evidence: JSONObject, from source: String
    ) throws(AccountError) -> SignedIn {
        let way = try way(provider)
        let (session, account) = try signedIn(access)
        guard let identity = account.identity(provider) else {
            throw .notThere("the account has no sign-in method of the provider `\(provider)`: use one that it has")
        }
        let charges = AttemptCharges(onFailure: [.source(source)], resetOnSuccess: [.session(session.id)])
        let found = try authenticate(
            way, evidence, for: .reauthentication(of: identity), charges: charges, accepts: { $0.key == identity.key })
        let recognition = VerificationOutcome(proof: found.proof, secret: identity.secret)
        return try change(at: clock()) { change throws(AccountError) in
            try requireUnchangedSecret(recognition, account.id, provider, in: &change)
            let shownAt = min(found.proof.authenticatedAt, change.now)
            // The authentication at an OpenID provider may be older than the last one of this session; keep the later time. But a
            // time in the future, after the clock was set back, is replaced.
            let authenticatedAt = session.authenticatedAt > change.now ? shownAt : max(session.authenticatedAt, shownAt)
            let (renewed, tokens) = try sessions.reauthenticate(
                session.id, provider: provider, authenticatedAt: authenticatedAt, at: change.now, in: &change)
            let account = change.state.account(account.id) ?? account
            return SignedIn(session: renewed, account: account, tokens: tokens, isNew: false)
        }
    }
}
