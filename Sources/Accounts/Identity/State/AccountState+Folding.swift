internal import Primitives

/// The reason why an event is impossible.
struct AccountFoldingError: Error, Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }
}

extension AccountState {
    /// Applies an event.
    ///
    /// If the clock was set back, the time of a record can be in the future. The idle time of a session is therefore limited: it is
    /// in the future by at most the lifetime of its access token.
    ///
    /// - Throws: ``AccountFoldingError`` if the event is impossible; nothing is changed then. Examples are an email or an identity that
    ///   would belong to two accounts, and an account that would lose its last identity.
    mutating func apply(_ event: IdentityEvent, at time: Instant) throws(AccountFoldingError) {
        switch event {
        case .accountOpened(let id, let principal, let profile): try open(id, principal, profile, at: time)
        case .emailSet(let id, let email): try setEmail(id, email)
        case .profileChanged(let id, let profile): try change(id) { $0.profile = profile }
        case .identityLinked(let id, let identity): try link(id, identity)
        case .identityUnlinked(let id, let provider): try unlink(id, provider)
        case .secretChanged(let id, let provider, let key, let secret): try changeSecret(id, provider, key, secret)
        case .sessionBegun(let session, let hashes): try begin(session, hashes)
        case .sessionRefreshed(let id, let hashes, let nonce, let accessEnds, let idleEnds):
            try change(id) { live in
                live.previousAccess = ActiveSession.PreviousAccess(hash: live.hashes.access, ends: live.session.accessEnds)
                live.previousRefresh = live.hashes.refresh
                live.nonce = nonce
                live.hashes = hashes
                live.session.refreshedAt = min(time, accessEnds)
                live.session.accessEnds = accessEnds
                live.session.idleEnds = idleEnds
            }
        case .sessionReauthenticated(let id, let hashes, let provider, let authenticatedAt, let accessEnds, let idleEnds):
            try change(id) { live in
                (live.previousAccess, live.previousRefresh, live.nonce) = (nil, nil, nil)
                live.hashes = hashes
                live.session.provider = provider
                live.session.authenticatedAt = authenticatedAt
                live.session.refreshedAt = min(time, accessEnds)
                live.session.accessEnds = accessEnds
                live.session.idleEnds = idleEnds
            }
        case .sessionEnded(let id, _): try end(id)
        case .accountDeleted(let id): try delete(id)
        }
    }

    /// Skips the number of an account with a destroyed key.
    mutating func passOver(_ id: AccountID) throws(AccountFoldingError) {
        guard id == nextAccount else { throw AccountFoldingError("account \(id.number), but \(nextAccount.number) is next") }
        nextAccount = AccountID(id.number + 1)
    }

    /// Skips the number of a session of an account with a destroyed key.
    mutating func passOver(_ id: SessionID) throws(AccountFoldingError) {
        guard id == nextSession else { throw AccountFoldingError("session \(id.number), but \(nextSession.number) is next") }
        nextSession = SessionID(id.number + 1)
    }

    private mutating func open(_ id: AccountID, _ principal: Name, _ profile: Profile, at time: Instant) throws(AccountFoldingError)
    {
        guard principals[principal] == nil else { throw AccountFoldingError("the principal \(principal) has an account already") }
        try passOver(id)
        accounts[id] = Account(id: id, principal: principal, createdAt: time, email: nil, profile: profile, identities: [])
        principals[principal] = id
    }

    private mutating func setEmail(_ id: AccountID, _ email: EmailAddress?) throws(AccountFoldingError) {
        let before = try known(id).email
        if let email, let owner = emails[email], owner != id {
            throw AccountFoldingError("the email of account \(id.number) belongs to account \(owner.number)")
        }
        if let before { emails[before] = nil }
        if let email { emails[email] = id }
        try change(id) { $0.email = email }
    }

    private mutating func link(_ id: AccountID, _ identity: LinkedIdentity) throws(AccountFoldingError) {
        let account = try known(id)
        guard account.identity(identity.provider) == nil else {
            throw AccountFoldingError("account \(id.number) has a second sign-in method of the provider \(identity.provider)")
        }
        try claim(identity.provider, identity.key, for: id)
        try change(id) { $0.identities.append(identity) }
    }

    private mutating func unlink(_ id: AccountID, _ provider: ProviderID) throws(AccountFoldingError) {
        let account = try known(id)
        guard let identity = account.identity(provider) else {
            throw AccountFoldingError("account \(id.number) has no sign-in method of the provider \(provider)")
        }
        guard account.identities.count > 1 else { throw AccountFoldingError("the last sign-in method of account \(id.number)") }
        identities[IdentityReference(provider: provider, key: identity.key)] = nil
        try change(id) { $0.identities.removeAll { $0.provider == provider } }
    }

    private mutating func changeSecret(
        _ id: AccountID, _ provider: ProviderID, _ key: IdentityKey, _ secret: String?
    ) throws(AccountFoldingError) {
        let account = try known(id)
        guard let index = account.identities.firstIndex(where: { $0.provider == provider }) else {
            throw AccountFoldingError("account \(id.number) has no sign-in method of the provider \(provider)")
        }
        try claim(provider, key, for: id)
        let before = account.identities[index].key
        if before != key { identities[IdentityReference(provider: provider, key: before)] = nil }
        try change(id) { account in
            (account.identities[index].key, account.identities[index].secret) = (key, secret)
            // The label of a password is the email that belongs to it.
            if provider == .password { account.identities[index].label = String(decoding: key.bytes, as: UTF8.self) }
        }
    }

    /// Assigns an identity to an account. Throws if it belongs to another account.
    private mutating func claim(_ provider: ProviderID, _ key: IdentityKey, for id: AccountID) throws(AccountFoldingError) {
        let reference = IdentityReference(provider: provider, key: key)
        if let owner = identities[reference], owner != id {
            throw AccountFoldingError("an identity of account \(id.number) belongs to account \(owner.number)")
        }
        identities[reference] = id
    }

    private mutating func begin(_ session: Session, _ hashes: SessionHashes) throws(AccountFoldingError) {
        _ = try known(session.account)
        try passOver(session.id)
        activeSessions[session.id] = ActiveSession(session: session, hashes: hashes)
        sessionsOfAccounts[session.account, default: []].append(session.id)
    }

    private mutating func end(_ id: SessionID) throws(AccountFoldingError) {
        guard let account = activeSessions[id]?.session.account else { throw AccountFoldingError("session \(id.number) has ended") }
        activeSessions[id] = nil
        let others = (sessionsOfAccounts[account] ?? []).filter { $0 != id }
        sessionsOfAccounts[account] = others.isEmpty ? nil : others
    }

    private mutating func delete(_ id: AccountID) throws(AccountFoldingError) {
        let account = try known(id)
        for session in sessionsOfAccounts[id] ?? [] { activeSessions[session] = nil }
        sessionsOfAccounts[id] = nil
        for identity in account.identities { identities[IdentityReference(provider: identity.provider, key: identity.key)] = nil }
        if let email = account.email { emails[email] = nil }
        principals[account.principal] = nil
        accounts[id] = nil
    }

    private func known(_ id: AccountID) throws(AccountFoldingError) -> Account {
        guard let account = accounts[id] else { throw AccountFoldingError("account \(id.number) does not exist") }
        return account
    }

    private mutating func change(_ id: AccountID, _ body: (inout Account) -> Void) throws(AccountFoldingError) {
        var account = try known(id)
        body(&account)
        accounts[id] = account
    }

    private mutating func change(_ id: SessionID, _ body: (inout ActiveSession) -> Void) throws(AccountFoldingError) {
        guard var session = activeSessions[id] else { throw AccountFoldingError("session \(id.number) has ended") }
        body(&session)
        activeSessions[id] = session
    }
}
