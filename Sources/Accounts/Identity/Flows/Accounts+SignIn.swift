public import Primitives

/// Signs in to existing accounts.
extension Accounts {
    /// Signs in a user who has an account. Never creates one.
    ///
    /// - Parameters:
    ///   - provider: the provider that verifies the user.
    ///   - evidence: the data that the provider verifies, such as an email and a password.
    ///   - device: the device name of the client, at most ``Session/deviceLimitBytes`` bytes; nil for none.
    ///   - link: the secret from ``AccountError/accountExists(providers:link:)``. The identity that was proven in that earlier
    ///     request is linked to the account. Nil to link nothing.
    ///   - source: the source address of the request.
    /// - Throws: ``AccountError``: ``AccountError/wrongCredentials`` both for an unknown address and for a wrong password;
    ///   ``AccountError/noAccount`` and ``AccountError/accountExists(providers:link:)`` only after the provider has verified the
    ///   user; ``AccountError/wrongCode`` if the link is unknown, expired or for another account;
    ///   ``AccountError/recentSignInRequired(maxAgeSeconds:)`` for a link, if the authentication at the provider is too old.
    public func signIn(
        _ provider: ProviderID, _ evidence: JSONObject, device: String?, link: String?, from source: String
    ) throws(AccountError) -> SignedIn {
        let way = try way(provider)
        let device = try checked(device: device)
        var charges = AttemptCharges(onFailure: [.source(source)])
        if let claimed = way.claimedKey(evidence) { charges.resetOnSuccess = [.identity(provider, claimed)] }
        let recognition = try authenticate(way, evidence, for: .recognition, charges: charges)
        let proof = recognition.proof
        let identity = PendingIdentity(provider, proof)
        guard let account = book.read({ $0.accountID(provider: provider, key: proof.key) }) else {
            guard let address = proof.verifiedAddress, let holder = book.read({ $0.account(email: address) }) else {
                throw .noAccount
            }
            let arrived = AuthenticatedUser(
                identity: identity, isRecognized: true, address: address, profile: proof.profile, device: device,
                authenticatedAt: proof.authenticatedAt)
            throw try collision(arrived, with: holder.id)
        }
        let pending = try pendingLink(link, for: account, authenticatedAt: proof.authenticatedAt)
        let signedIn = try change(at: clock()) { change throws(AccountError) in
            try requireUnchangedSecret(recognition, account, provider, in: &change)
            if let pending { try linkAndEndOthers(pending.identity, to: account, kept: nil, in: &change) }
            return try begin(
                account, provider, device: device, authenticatedAt: proof.authenticatedAt, isNew: false, in: &change)
        }
        if let pending { signInMethodsChanged(signedIn.account, .linked(pending.identity.provider)) }
        return signedIn
    }

    /// Returns the pending link if the authentication is recent; nil without a link. The link stays valid until the identity is
    /// linked.
    private func pendingLink(
        _ link: String?, for account: AccountID, authenticatedAt: Instant
    ) throws(AccountError) -> PendingLink? {
        guard let link else { return nil }
        let pending = try pendingLink(link, for: account)
        // An OpenID provider can confirm an authentication that was made long ago.
        try requireRecent(authenticatedAt)
        return pending
    }

    /// Returns the pending link if it belongs to this account. Otherwise throws ``AccountError/wrongCode``.
    func pendingLink(_ link: String, for account: AccountID) throws(AccountError) -> PendingLink {
        let pending = links.with(link, at: clock()) { $0 }
        guard let pending, pending.account == account else { throw .wrongCode }
        return pending
    }

    /// Checks again, in the change that begins the session, that the account still has the proven identity and its secret. Another
    /// request may have changed the password while this one was verified. Stores the new secret if the provider has returned one.
    ///
    /// - Throws: ``AccountError/wrongCredentials``.
    func requireUnchangedSecret(
        _ recognition: VerificationOutcome, _ account: AccountID, _ provider: ProviderID, in change: inout AccountChange
    ) throws(AccountError) {
        let identity = change.state.account(account)?.identity(provider)
        guard let identity, identity.key == recognition.proof.key, identity.secret == recognition.secret else {
            throw .wrongCredentials
        }
        if let secret = recognition.proof.secret {
            change.record(.secretChanged(account, provider, key: identity.key, secret: secret))
        }
    }
}
