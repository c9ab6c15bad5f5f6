public import Primitives
internal import Work

/// Linking and unlinking identities (CONFORMANCE I4 and I5).
///
/// All of it needs a recent sign-in, and ends all other sessions and pending attempts of the account.
extension Accounts {
    /// Links a proven identity to the account.
    ///
    /// - Parameters:
    ///   - access: an access token of the account.
    ///   - provider: the provider.
    ///   - evidence: the evidence for the provider. A password must be for the account's email.
    ///   - source: the source address of the request.
    /// - Throws: ``AccountError``: ``AccountError/alreadyLinked``, ``AccountError/linkedElsewhere``,
    ///   ``AccountError/recentSignInRequired(maxAgeSeconds:)`` and others.
    public func link(
        _ access: String, _ provider: ProviderID, _ evidence: JSONObject, from source: String
    ) throws(AccountError) -> Account {
        let way = try way(provider)
        let (session, account) = try recentlySignedIn(access)
        guard account.identity(provider) == nil else { throw .alreadyLinked }
        let charges = AttemptCharges(onFailure: [.source(source)], always: [.changes(account.id)])
        let proof = try authenticate(way, evidence, for: .enrolment, charges: charges).proof
        return try changeSignInMethods(session, .linked(provider)) { change, present throws(AccountError) in
            try AccountRules.mayLink(provider, proof.key, unshown: proof.unverifiedAddress, to: present, in: change.state)
            try linkAndEndOthers(PendingIdentity(provider, proof), to: account.id, kept: session.id, in: &change)
            // An account without an email gets the first unused email that a provider has verified.
            if present.email == nil, let address = proof.verifiedAddress, change.state.account(email: address) == nil {
                change.record(.emailSet(account.id, address))
            }
        }
    }

    /// Links an identity proven before (``AccountError/accountExists(providers:link:)``) to the account with the same email.
    public func link(_ access: String, _ link: String) throws(AccountError) -> Account {
        let (session, account) = try recentlySignedIn(access)
        let pending = try pendingLink(link, for: account.id)
        try limiter.charge([.changes(account.id)], at: clock())
        return try changeSignInMethods(session, .linked(pending.identity.provider)) { change, _ throws(AccountError) in
            try linkAndEndOthers(pending.identity, to: account.id, kept: session.id, in: &change)
        }
    }

    /// Unlinks an identity. The last usable one cannot be unlinked.
    public func unlink(_ access: String, _ provider: ProviderID) throws(AccountError) -> Account {
        let (session, account) = try recentlySignedIn(access)
        try limiter.charge([.changes(account.id)], at: clock())
        return try changeSignInMethods(session, .unlinked(provider)) { change, present throws(AccountError) in
            try AccountRules.mayUnlink(provider, from: present, usable: Set(signInMethods.keys))
            change.record(.identityUnlinked(account.id, provider))
            sessions.endAll(of: account.id, except: session.id, .credentialsChanged, in: &change)
        }
    }

    /// Links an identity as part of a change, and ends the account's other sessions.
    func linkAndEndOthers(
        _ identity: PendingIdentity, to account: AccountID, kept: SessionID?, in change: inout AccountChange
    ) throws(AccountError) {
        guard let present = change.state.account(account) else { throw .sessionEnded }
        let isAddress = present.email.map { IdentityKey($0) == identity.key } ?? false
        // A password identity is an address, verified earlier. It must still be the account's email.
        guard identity.provider != .password || isAddress else { throw .wrongCode }
        try AccountRules.mayLink(identity.provider, identity.key, unshown: nil, to: present, in: change.state)
        change.record(.identityLinked(account, identity.linked(at: change.now)))
        sessions.endAll(of: account, except: kept, .credentialsChanged, in: &change)
    }

    /// Changes the account of a session, and returns the account after the change.
    func change(
        _ session: Session, _ body: (inout AccountChange, Account) throws(AccountError) -> Void
    ) throws(AccountError) -> Account {
        try change(at: clock()) { change throws(AccountError) in
            let present = try present(session, in: change)
            try body(&change, present)
            return change.state.account(present.id) ?? present
        }
    }

    /// Changes the sign-in methods of the account of a session, and notifies the user.
    func changeSignInMethods(
        _ session: Session, _ notice: AccountNotice, _ body: (inout AccountChange, Account) throws(AccountError) -> Void
    ) throws(AccountError) -> Account {
        let changed = try change(session, body)
        signInMethodsChanged(changed, notice)
        return changed
    }

    /// Returns the account of a session, as the change sees it. The session may have ended since the request arrived.
    func present(_ session: Session, in change: AccountChange) throws(AccountError) -> Account {
        guard let live = change.state.session(session.id), !live.isExpired(at: change.now), !isBeingDeleted(session.account),
            let account = change.state.account(session.account)
        else { throw .sessionEnded }
        return account
    }

    /// Ends all pending attempts of an account after a change of its identities, and notifies the user by mail.
    func signInMethodsChanged(_ account: Account, _ notice: AccountNotice, to address: EmailAddress? = nil) {
        steps.drop(of: account.id)
        links.drop { $0.account == account.id }
        guard let address = address ?? account.email else { return }
        mails.send(MailText(service: settings.serviceName).notice(address, notice, at: clock()), as: .notice)
    }
}
