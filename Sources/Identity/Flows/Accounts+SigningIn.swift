public import Events

/// Going into an account that one has.
extension Accounts {
    /// Signs somebody in who has an account; never makes one.
    ///
    /// - Parameters:
    ///   - provider: by which way.
    ///   - evidence: what the provider asks for.
    ///   - device: what the client calls the device, at most ``Session/deviceLimitBytes`` bytes; nil for nothing.
    ///   - link: from ``AccountProblem/accountExists(providers:link:)``: the identity that was proved there becomes a further way into
    ///     the account, if it is the one that was meant. Nil for nothing.
    ///   - source: where the request came from.
    /// - Throws: ``AccountProblem``: ``AccountProblem/wrongCredentials`` alike for an unknown address and a wrong password;
    ///   ``AccountProblem/noAccount`` and ``AccountProblem/accountExists(providers:link:)`` only to whoever was proved.
    public func signIn(
        _ provider: ProviderID, _ evidence: JSONObject, device: String?, link: String?, from source: String
    ) throws(AccountProblem) -> SignedIn {
        let way = try way(provider)
        let device = try checked(device: device)
        var charges = Charges(onFailure: [.source(source)])
        if let claimed = way.claimedKey(evidence) { charges.forgiven = [.identity(provider, claimed)] }
        let recognition = try prove(way, evidence, for: .recognition, charges: charges)
        let proof = recognition.proof
        let identity = PendingIdentity(provider, proof)
        guard let account = book.read({ $0.account(provider: provider, key: proof.key) }) else {
            guard let address = proof.shownAddress, let holder = book.read({ $0.account(email: address) }) else { throw .noAccount }
            let arrived = Arrived(
                identity: identity, isRecognized: true, address: address, profile: proof.profile, device: device,
                authenticatedAt: proof.authenticatedAt)
            throw try collision(arrived, with: holder.id)
        }
        let pending = try pendingLink(link, for: account, authenticatedAt: proof.authenticatedAt)
        let signedIn = try change(at: clock()) { change throws(AccountProblem) in
            try recheck(recognition, account, provider, in: &change)
            if let pending { try linkAndEndOthers(pending.identity, to: account, kept: nil, in: &change) }
            return try begin(
                account, provider, device: device, authenticatedAt: proof.authenticatedAt, isNew: false, in: &change)
        }
        if let pending { waysInChanged(signedIn.account, .linked(pending.identity.provider)) }
        return signedIn
    }

    /// What a link that somebody brings along stands for. It stays good until the sign-in with it is done.
    private func pendingLink(
        _ link: String?, for account: AccountID, authenticatedAt: Instant
    ) throws(AccountProblem) -> PendingLink? {
        guard let link else { return nil }
        let pending = try pendingLink(link, for: account)
        // Somebody who comes by another site may have signed in there long ago.
        try requireRecent(authenticatedAt)
        return pending
    }

    /// What a link stands for, for the account that it was made for and no other.
    func pendingLink(_ link: String, for account: AccountID) throws(AccountProblem) -> PendingLink {
        let pending = links.with(link, at: clock()) { $0 }
        guard let pending, pending.account == account else { throw .wrongCode }
        return pending
    }

    /// Looks once more whether what somebody was recognised by is still so, in the step that signs them in: the password may have
    /// been changed while it was hashed. Keeps what the provider wants kept instead.
    func recheck(
        _ recognition: Recognition, _ account: AccountID, _ provider: ProviderID, in change: inout AccountChange
    ) throws(AccountProblem) {
        let identity = change.state.account(account)?.identity(provider)
        guard let identity, identity.key == recognition.proof.key, identity.secret == recognition.secret else {
            throw .wrongCredentials
        }
        if let secret = recognition.proof.secret {
            change.record(.secretChanged(account, provider, key: identity.key, secret: secret))
        }
    }
}
