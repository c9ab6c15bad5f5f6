public import Events

/// What a session is good for, and its end.
extension Accounts {
    /// Whether an access token is good for a session still, for what goes on after it was asked for. A table look-up.
    ///
    /// Unlike ``session(access:)``, this holds while the account is being deleted: a store can refuse to let it go, and then nothing
    /// has happened to the session (CONFORMANCE I8).
    public func isOpen(_ session: SessionID, access: String) -> Bool {
        sessions.lookup(access: access, at: clock())?.0.id == session
    }

    /// The session that an access token is good for now, and its account; nil for any other text. Constant time, and no disk.
    public func session(access: String) -> (session: Session, account: Account)? {
        guard let (session, account) = sessions.lookup(access: access, at: clock()), !isLeaving(account.id) else { return nil }
        return (session, account)
    }

    /// For how many seconds from now on the access token of a session is good, for clients whose clocks may be wrong; 0 where it is over.
    public func accessSeconds(of session: Session) -> Int64 {
        max(session.accessEnds.microseconds - clock().microseconds, 0) / 1_000_000
    }

    /// The same for what needs one.
    func signedIn(_ access: String) throws(AccountProblem) -> (session: Session, account: Account) {
        guard let found = session(access: access) else { throw .sessionEnded }
        return found
    }

    /// The same for a sensitive change: the person has to have shown lately who they are (CONFORMANCE I7).
    func recentlySignedIn(_ access: String) throws(AccountProblem) -> (session: Session, account: Account) {
        let found = try signedIn(access)
        try requireRecent(found.session.authenticatedAt)
        return found
    }

    /// Makes sure that the person of a session has shown lately who they are, for sensitive changes that are not of their own account.
    ///
    /// - Throws: ``AccountProblem/recentSignInRequired(maxAgeSeconds:)``; ``AccountProblem/sessionEnded``.
    public func requireRecentSignIn(_ access: String) throws(AccountProblem) { _ = try recentlySignedIn(access) }

    func requireRecent(_ authenticatedAt: Instant) throws(AccountProblem) {
        let seconds = settings.recentSignInSeconds
        guard AccountRules.isRecent(authenticatedAt, seconds: seconds, at: clock()) else {
            throw .recentSignInRequired(maxAgeSeconds: Int(seconds))
        }
    }

    /// For how long the session that asks has signed in recently enough for sensitive changes (CONFORMANCE I7). Changes nothing: for
    /// whoever wants to know before something goes that a change is then refused for.
    ///
    /// - Throws: ``AccountProblem/recentSignInRequired(maxAgeSeconds:)`` where it has not, and others.
    public func recentSignIn(_ access: String) throws(AccountProblem) -> (secondsLeft: Int64, maxAgeSeconds: Int64) {
        let (session, _) = try recentlySignedIn(access)
        let seconds = settings.recentSignInSeconds
        return (AccountRules.recentSecondsLeft(session.authenticatedAt, seconds: seconds, at: clock()), seconds)
    }

    /// New tokens for a refresh token, which is good once. Using it twice ends the session; the same request sent again, with the same
    /// nonce, is answered with the same tokens.
    ///
    /// - Parameters:
    ///   - refresh: the refresh token.
    ///   - nonce: what the client has made up for this request, 1 to 128 bytes.
    public func refresh(_ refresh: String, nonce: String) throws(AccountProblem) -> SignedIn {
        // Whoever asks once more, with the same nonce, is signed in still where the deletion comes to nothing.
        if let account = sessions.account(refresh: refresh), isLeaving(account) { throw Accounts.leavingProblem }
        let now = clock()
        let (session, account, tokens) = try written { try sessions.refresh(refresh, nonce: nonce, at: now) }
        guard !isLeaving(account.id) else { throw Accounts.leavingProblem }
        return SignedIn(session: session, account: account, tokens: tokens, isNew: false)
    }

    /// Ends the session that asks.
    public func signOut(_ access: String) throws(AccountProblem) {
        let (session, _) = try signedIn(access)
        try change(at: clock()) { change throws(AccountProblem) in sessions.end(session.id, .signedOut, in: &change) }
    }

    /// The sessions of the account that asks, in the order in which they began, without those whose time is over.
    public func sessions(_ access: String) throws(AccountProblem) -> [Session] {
        let (_, account) = try signedIn(access)
        let now = clock()
        return book.read { state in
            state.sessions(of: account.id).filter { !$0.isOver(at: now) }.map(\.session)
        }
    }

    /// Ends a session of the account that asks, the one that asks included.
    ///
    /// - Throws: ``AccountProblem/notThere(_:)`` for a session of somebody else, as for one that is over.
    public func endSession(_ access: String, _ id: SessionID) throws(AccountProblem) {
        let (session, account) = try signedIn(access)
        try change(at: clock()) { change throws(AccountProblem) in
            guard change.state.session(id)?.session.account == account.id else {
                throw .notThere("the account has no such session: it may be over")
            }
            sessions.end(id, id == session.id ? .signedOut : .revoked, in: &change)
        }
    }

    /// Ends all sessions of the account but the one that asks.
    public func endOtherSessions(_ access: String) throws(AccountProblem) {
        let (session, account) = try signedIn(access)
        try change(at: clock()) { change throws(AccountProblem) in
            sessions.endAll(of: account.id, except: session.id, .revoked, in: &change)
        }
    }

    /// Shows anew who somebody is in a session, which gets new tokens; the old ones are good for nothing at once.
    ///
    /// - Parameters:
    ///   - access: of the session.
    ///   - provider: one of the account's ways in.
    ///   - evidence: what it asks for; for a password, `{"password": …}` will do.
    ///   - source: where the request came from.
    public func reauthenticate(
        _ access: String, _ provider: ProviderID, _ evidence: JSONObject, from source: String
    ) throws(AccountProblem) -> SignedIn {
        let way = try way(provider)
        let (session, account) = try signedIn(access)
        guard let identity = account.identity(provider) else {
            throw .notThere("the account has no way in by `\(provider)`: take one that it has")
        }
        let charges = Charges(onFailure: [.source(source)], forgiven: [.session(session.id)])
        let found = try prove(
            way, evidence, for: .reauthentication(of: identity), charges: charges, accepts: { $0.key == identity.key })
        let recognition = Recognition(proof: found.proof, secret: identity.secret)
        return try change(at: clock()) { change throws(AccountProblem) in
            try recheck(recognition, account.id, provider, in: &change)
            let shownAt = min(found.proof.authenticatedAt, change.now)
            // A sign-in at another site may be older than the last one here; but one that lies ahead, since the clock was set back,
            // is not the last.
            let authenticatedAt = session.authenticatedAt > change.now ? shownAt : max(session.authenticatedAt, shownAt)
            let (renewed, tokens) = try sessions.reauthenticate(
                session.id, provider: provider, authenticatedAt: authenticatedAt, at: change.now, in: &change)
            let account = change.state.account(account.id) ?? account
            return SignedIn(session: renewed, account: account, tokens: tokens, isNew: false)
        }
    }
}
