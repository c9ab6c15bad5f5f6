public import Primitives

/// Signs in to existing accounts.
extension Accounts {
    /// Signs in a user who has an account. Never creates one.
    ///
    /// - Parameters:
    ///   - provider: the provider.
    ///   - evidence: the evidence for the provider.
    ///   - device: the device name of the client, at most ``Session/deviceLimitBytes`` bytes; nil for none.
    ///   - link: the link from ``AccountError/accountExists(providers:link:)``. The identity proven there is linked to the
    ///     account if the account is the intended one. Nil for none.
    ///   - source: the source address of the request.
    /// - Throws: ``AccountError``: ``AccountError/wrongCredentials`` both for an unknown address and for a wrong password;
    ///   ``AccountError/noAccount`` and ``AccountError/accountExists(providers:link:)`` only to a proven user.
    public func signIn(
        _ provider: ProviderID, _ evidence: JSONObject, device: String?, link: String?, from source: String
    ) throws(AccountError) -> SignedIn {
        let way = try way(provider)
        let device = try checked(device: device)
        var charges = AttemptCharges(onFailure: [.source(source)])
        if let claimed = way.claimedKey(evidence) { charges.forgiven = [.identity(provider, claimed)] }
        let recognition = try authenticate(way, evidence, for: .recognition, charges: charges)
        let proof = recognition.proof
        let identity = PendingIdentity(provider, proof)
        guard let account = book.read({ $0.account(provider: provider, key: proof.key) }) else {
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
            try recheck(recognition, account, provider, in: &change)
            if let pending { try linkAndEndOthers(pending.identity, to: account, kept: nil, in: &change) }
            return try begin(
                account, provider, device: device, authenticatedAt: proof.authenticatedAt, isNew: false, in: &change)
        }
        if let pending { signInMethodsChanged(signedIn.account, .linked(pending.identity.provider)) }
        return signedIn
    }

    /// Returns the identity of a link. The link stays valid until the sign-in with it is done.
    private func pendingLink(
        _ link: String?, for account: AccountID, authenticatedAt: Instant
    ) throws(AccountError) -> PendingLink? {
        guard let link else { return nil }
        let pending = try pendingLink(link, for: account)
        // The authentication at an OpenID provider may be old.
        try requireRecent(authenticatedAt)
        return pending
    }

    /// Returns the identity of a link, if the link belongs to this account.
    func pendingLink(_ link: String, for account: AccountID) throws(AccountError) -> PendingLink {
        let pending = links.with(link, at: clock()) { $0 }
        guard let pending, pending.account == account else { throw .wrongCode }
        return pending
    }

    /// Checks in the step that signs the user in whether the proof is still valid. The password may have changed while it was
    /// hashed. Stores the new secret if the provider requests it.
    func recheck(
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
