public import Events

/// Ways into an account: further ones, and fewer (CONFORMANCE I4 and I5).
///
/// All of it needs a recent sign-in, and ends all other sessions of the account with all that was begun about it.
extension Accounts {
    /// Makes what a provider proves a further way into the account.
    ///
    /// - Parameters:
    ///   - access: of a session of the account.
    ///   - provider: the way in.
    ///   - evidence: what it asks for. A password has to come with the account's own email.
    ///   - source: where the request came from.
    /// - Throws: ``AccountProblem``: ``AccountProblem/alreadyLinked``, ``AccountProblem/linkedElsewhere``,
    ///   ``AccountProblem/recentSignInRequired(maxAgeSeconds:)`` and others.
    public func link(
        _ access: String, _ provider: ProviderID, _ evidence: JSONObject, from source: String
    ) throws(AccountProblem) -> Account {
        let way = try way(provider)
        let (session, account) = try recentlySignedIn(access)
        guard account.identity(provider) == nil else { throw .alreadyLinked }
        let charges = Charges(onFailure: [.source(source)], always: [.changes(account.id)])
        let proof = try prove(way, evidence, for: .enrolment, charges: charges).proof
        let linked = try change(at: clock()) { change throws(AccountProblem) in
            let present = try present(session, in: change)
            try AccountRules.mayLink(provider, proof.key, unshown: proof.unshownAddress, to: present, in: change.state)
            try linkAndEndOthers(PendingIdentity(provider, proof), to: account.id, kept: session.id, in: &change)
            // An account without an email takes over the first that a provider vouches for and that nobody has.
            if present.email == nil, let address = proof.shownAddress, change.state.account(email: address) == nil {
                change.record(.emailSet(account.id, address))
            }
            return change.state.account(account.id) ?? present
        }
        waysInChanged(linked, .linked(provider))
        return linked
    }

    /// Makes an identity that was proved before (``AccountProblem/accountExists(providers:link:)``) a further way into the account
    /// whose email it has.
    public func link(_ access: String, _ link: String) throws(AccountProblem) -> Account {
        let (session, account) = try recentlySignedIn(access)
        let pending = try pendingLink(link, for: account.id)
        try limiter.take([.changes(account.id)], at: clock())
        let linked = try change(at: clock()) { change throws(AccountProblem) in
            _ = try present(session, in: change)
            try linkAndEndOthers(pending.identity, to: account.id, kept: session.id, in: &change)
            return change.state.account(account.id) ?? account
        }
        waysInChanged(linked, .linked(pending.identity.provider))
        return linked
    }

    /// Takes a way in away; never the last one that can be used.
    public func unlink(_ access: String, _ provider: ProviderID) throws(AccountProblem) -> Account {
        let (session, account) = try recentlySignedIn(access)
        try limiter.take([.changes(account.id)], at: clock())
        let unlinked = try change(at: clock()) { change throws(AccountProblem) in
            let present = try present(session, in: change)
            try AccountRules.mayUnlink(provider, from: present, usable: Set(waysIn.keys))
            change.record(.identityUnlinked(account.id, provider))
            sessions.endAll(of: account.id, except: session.id, .credentialsChanged, in: &change)
            return change.state.account(account.id) ?? present
        }
        waysInChanged(unlinked, .unlinked(provider))
        return unlinked
    }

    /// Links as part of a change, and ends the account's other sessions with it.
    func linkAndEndOthers(
        _ identity: PendingIdentity, to account: AccountID, kept: SessionID?, in change: inout AccountChange
    ) throws(AccountProblem) {
        guard let present = change.state.account(account) else { throw .sessionEnded }
        let isAddress = present.email.map { IdentityKey($0) == identity.key } ?? false
        // What is an address, and was shown to be theirs once, has to be the account's still.
        guard identity.provider != .password || isAddress else { throw .wrongCode }
        try AccountRules.mayLink(identity.provider, identity.key, unshown: nil, to: present, in: change.state)
        change.record(.identityLinked(account, identity.linked(at: change.now)))
        sessions.endAll(of: account, except: kept, .credentialsChanged, in: &change)
    }

    /// The account of a session, as a change finds it; the session may have ended since it asked.
    func present(_ session: Session, in change: AccountChange) throws(AccountProblem) -> Account {
        guard let live = change.state.session(session.id), !live.isOver(at: change.now), !isLeaving(session.account),
            let account = change.state.account(session.account)
        else { throw .sessionEnded }
        return account
    }

    /// Ends all that was begun about an account, now that its ways in are others, and tells its person what was done.
    func waysInChanged(_ account: Account, _ notice: AccountNotice, to address: EmailAddress? = nil) {
        steps.drop(of: account.id)
        links.drop { $0.account == account.id }
        guard let address = address ?? account.email else { return }
        mails.send(MailText(service: settings.serviceName).notice(address, notice, at: clock()), as: .notice)
    }
}
