internal import Hashing
internal import Primitives

/// The sessions of accounts: issues, accepts and revokes tokens (CONFORMANCE I6).
struct SessionManager: Sendable {
    let book: AccountDatabase
    let settings: AccountSettings
    private let texts: SessionTokenCoder

    /// The maximum number of sessions of an account. A further session ends the least recently used one.
    static let limitPerAccount = 100
    /// The maximum size in bytes of the nonce of a refresh.
    static let nonceLimitBytes = 128
    /// The maximum number of expired sessions that are ended in one change.
    static let sweepLimit = 1_000

    init(book: AccountDatabase, settings: AccountSettings) {
        self.book = book
        self.settings = settings
        texts = SessionTokenCoder(key: book.master.sessions)
    }

    // MARK: Beginning

    /// Starts a session as part of a change.
    func begin(
        _ account: AccountID, provider: ProviderID, device: String?, authenticatedAt: Instant, at now: Instant,
        in change: inout AccountChange
    ) -> (Session, SessionTokens) {
        makeRoom(for: account, at: now, in: &change)
        let ends = now.advanced(bySeconds: settings.sessionSeconds)
        let session = Session(
            id: change.state.nextSession, account: account, device: device, createdAt: now, provider: provider,
            authenticatedAt: authenticatedAt, refreshedAt: now, accessEnds: accessEnds(now, ends), idleEnds: idleEnds(now, ends),
            ends: ends)
        let tokens = texts.random(for: session.id)
        change.record(.sessionBegun(session, SessionTokenCoder.hashes(tokens)))
        return (session, tokens)
    }

    private func makeRoom(for account: AccountID, at now: Instant, in change: inout AccountChange) {
        var others = change.state.sessions(of: account)
        for session in others where session.isExpired(at: now) { change.record(.sessionEnded(session.session.id, .ended)) }
        others.removeAll { $0.isExpired(at: now) }
        others.sort { ($0.session.refreshedAt, $0.session.id) < ($1.session.refreshedAt, $1.session.id) }
        for session in others.dropLast(SessionManager.limitPerAccount - 1) {
            change.record(.sessionEnded(session.session.id, .ended))
        }
    }

    // MARK: Using

    /// Returns the session and account of a valid access token; nil for any other text. Constant time; reads only memory.
    func lookup(access text: String, at now: Instant) -> (Session, Account)? {
        guard let id = texts.session(access: text) else { return nil }
        let hash = SessionTokenCoder.hash(text)
        return book.read { state in
            guard let live = state.session(id), live.accepts(access: hash, at: now),
                let account = state.account(live.session.account)
            else { return nil }
            return (live.session, account)
        }
    }

    /// Issues new tokens for a refresh token, which can be used once.
    ///
    /// Because a response can be lost, the same request with the same nonce returns the same tokens until these are used. Any other
    /// use of a used refresh token means a theft, whether the thief or the user sent it: the session ends.
    ///
    /// - Parameter nonce: an arbitrary text of the client for this request, at most ``nonceLimitBytes`` bytes.
    /// - Throws: ``AccountError/sessionEnded``, ``AccountError/malformed(_:)``, or the errors of ``AccountDatabase``.
    func refresh(_ text: String, nonce: String, at now: Instant) throws -> (Session, Account, SessionTokens) {
        guard 1...SessionManager.nonceLimitBytes ~= nonce.utf8.count else {
            throw AccountError.malformed(
                "a refresh needs a nonce of 1 to \(SessionManager.nonceLimitBytes) bytes, new for each refresh")
        }
        // An invented token, or a token of an ended session, is rejected without waiting for the writer.
        guard let id = texts.session(refresh: text), book.read({ $0.session(id) != nil }) else { throw AccountError.sessionEnded }
        let refreshed = try book.change(at: now) { change in try refresh(id, text, nonce, at: now, in: &change) }
        guard let refreshed else { throw AccountError.sessionEnded }
        return refreshed
    }

    /// Returns the account of a refresh token, whether or not it is used; nil if the session does not exist.
    func account(refresh text: String) -> AccountID? {
        texts.session(refresh: text).flatMap { id in book.read { $0.session(id)?.session.account } }
    }

    /// - Returns: nil if the session has expired, or was ended by this call.
    private func refresh(
        _ id: SessionID, _ text: String, _ nonce: String, at now: Instant, in change: inout AccountChange
    ) throws -> (Session, Account, SessionTokens)? {
        guard let live = change.state.session(id) else { return nil }
        if live.isExpired(at: now) {
            change.record(.sessionEnded(id, .ended))
            return nil
        }
        let (hash, nonceHash) = (SessionTokenCoder.hash(text), SessionTokenCoder.hash(nonce))
        let tokens = texts.next(for: id, after: text, nonce: nonce)
        if hash == live.hashes.refresh {
            let ends = live.session.ends
            change.record(
                .sessionRefreshed(
                    id, SessionTokenCoder.hashes(tokens), nonce: nonceHash, accessEnds: accessEnds(now, ends),
                    idleEnds: idleEnds(now, ends)))
        } else if hash != live.previousRefresh || nonceHash != live.nonce {
            change.record(.sessionEnded(id, .reused))
            return nil
        }
        guard let session = change.state.session(id)?.session, let account = change.state.account(session.account) else {
            return nil
        }
        return (session, account, tokens)
    }

    /// Issues new tokens to a session after a reauthentication. The old tokens are invalid immediately.
    func reauthenticate(
        _ id: SessionID, provider: ProviderID, authenticatedAt: Instant, at now: Instant, in change: inout AccountChange
    ) throws(AccountError) -> (Session, SessionTokens) {
        guard let live = change.state.session(id), !live.isExpired(at: now) else { throw .sessionEnded }
        let (tokens, ends) = (texts.random(for: id), live.session.ends)
        change.record(
            .sessionReauthenticated(
                id, SessionTokenCoder.hashes(tokens), provider, authenticatedAt: authenticatedAt, accessEnds: accessEnds(now, ends),
                idleEnds: idleEnds(now, ends)))
        return (change.state.session(id)?.session ?? live.session, tokens)
    }

    // MARK: Ending

    /// Ends a session. Does nothing if it has already ended.
    func end(_ id: SessionID, _ why: SessionEndReason, in change: inout AccountChange) {
        if change.state.session(id) != nil { change.record(.sessionEnded(id, why)) }
    }

    /// Ends the sessions of an account, except `kept`.
    func endAll(of account: AccountID, except kept: SessionID?, _ why: SessionEndReason, in change: inout AccountChange) {
        for live in change.state.sessions(of: account) where live.session.id != kept { end(live.session.id, why, in: &change) }
    }

    /// Ends expired sessions to free their memory; their tokens are already invalid. Linear in all sessions.
    ///
    /// - Returns: the number of ended sessions, at most ``sweepLimit``.
    func endExpired(at now: Instant) throws -> Int {
        let expired = book.read { $0.expiredSessions(at: now, limit: SessionManager.sweepLimit) }
        guard !expired.isEmpty else { return 0 }
        return try book.change(at: now) { change in
            let still = expired.filter { change.state.session($0)?.isExpired(at: now) ?? false }
            for id in still { change.record(.sessionEnded(id, .ended)) }
            return still.count
        }
    }

    private func accessEnds(_ now: Instant, _ ends: Instant) -> Instant {
        min(now.advanced(bySeconds: settings.accessSeconds), ends)
    }

    private func idleEnds(_ now: Instant, _ ends: Instant) -> Instant { min(now.advanced(bySeconds: settings.idleSeconds), ends) }
}
