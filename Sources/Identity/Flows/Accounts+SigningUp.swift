public import Events

/// Getting an account.
extension Accounts {
    /// Gets somebody an account.
    ///
    /// Whoever signs up with an email and a password is sent a code, and has no account before it comes back: the answer is the
    /// same, after the same work, whether the address has one already. A provider that knows its people signs those in at once
    /// who have an account by it.
    ///
    /// - Parameters:
    ///   - provider: the way in that the account begins with.
    ///   - evidence: what the provider asks for.
    ///   - profile: what the person says of themselves.
    ///   - device: what the client calls the device, at most ``Session/deviceLimitBytes`` bytes; nil for nothing.
    ///   - source: where the request came from.
    /// - Throws: ``AccountProblem``; ``AccountProblem/accountExists(providers:link:)`` only where the provider vouches for the email.
    public func signUp(
        _ provider: ProviderID, _ evidence: JSONObject, profile: Profile, device: String?, from source: String
    ) throws(AccountProblem) -> SignUpOutcome {
        let way = try way(provider)
        let device = try checked(device: device)
        let profile = try TextRules.checked(profile)
        // A mail that will go out counts before any work is done for it.
        let claimed = way.claimedKey(evidence)
        let mailCharges = claimed.map { [Charge(kind: .mails, subject: $0.bytes), .mailSource(source)] } ?? []
        guard mailCharges.isEmpty || mails.hasRoom else { throw Accounts.tooManyMails }
        let charges = Charges(onFailure: [.source(source)], always: mailCharges)
        let proof = try prove(way, evidence, for: .enrolment, charges: charges).proof
        if let address = proof.unshownAddress {
            let step = PendingStep.signUp(address, PendingIdentity(provider, proof), TextRules.merged(profile, with: proof.profile))
            if claimed == nil { try limiter.take([.mails(address), .mailSource(source)], at: clock()) }
            let (attempt, ends) = try sendCode(for: step) { text, code, minutes in
                text.signUp(address, code: code, minutes: minutes)
            }
            return .verificationSent(attempt: attempt, ends: ends)
        }
        let arrived = Arrived(
            identity: PendingIdentity(provider, proof), isRecognized: proof.secret == nil, address: proof.shownAddress,
            profile: TextRules.merged(profile, with: proof.profile), device: device, authenticatedAt: proof.authenticatedAt)
        return .signedIn(try welcome(arrived))
    }

    /// Makes the account of somebody who has copied the code out of the mail.
    ///
    /// - Parameters:
    ///   - attempt: what ``signUp(_:_:profile:device:from:)`` returned.
    ///   - code: as it stood in the mail; blanks, hyphens and the size of letters do not matter.
    ///   - device: what the client calls the device; nil for nothing.
    ///   - source: where the request came from.
    /// - Throws: ``AccountProblem/wrongCode`` and others; ``AccountProblem/accountExists(providers:link:)`` where the address, which is
    ///   shown to be theirs now, has an account.
    public func verify(
        attempt: String, code: String, device: String?, from source: String
    ) throws(AccountProblem) -> SignedIn {
        let device = try checked(device: device)
        return try redeem(.signUp, attempt, code, from: source) { step throws(AccountProblem) in
            guard case .signUp(let address, let identity, let profile) = step else { throw .wrongCode }
            let arrived = Arrived(
                identity: identity, isRecognized: false, address: address, profile: profile, device: device,
                authenticatedAt: clock())
            do throws(AccountProblem) {
                return try welcome(arrived)
            } catch {
                // It is shown to be theirs even where they have an account already.
                if !error.mayBeTriedAgain { steps.drop(about: address) }
                throw error
            }
        }
    }

    /// Lets a step wait for its code, and sends that.
    func sendCode(
        for step: PendingStep, mail: (MailText, OneTimeCode, Int64) -> MailMessage
    ) throws(AccountProblem) -> (attempt: String, ends: Instant) {
        let now = clock()
        let ends = now.advanced(bySeconds: settings.codeSeconds)
        guard mails.hasRoom else { throw Accounts.tooManyMails }
        let (attempt, code) = try steps.add(step, until: ends, at: now)
        mails.send(mail(MailText(service: settings.serviceName), code, (settings.codeSeconds + 59) / 60), as: .code)
        return (attempt, ends)
    }

    /// Does what waited for a code. Wrong codes count against where they come from.
    func redeem<R>(
        _ kind: PendingStep.Kind, _ attempt: String, _ code: String, from source: String,
        _ body: (PendingStep) throws(AccountProblem) -> R
    ) throws(AccountProblem) -> R {
        let now = clock()
        try limiter.take([.source(source)], at: now)
        return try steps.redeem(kind, attempt, code: code, at: now) { step throws(AccountProblem) in
            limiter.takeBack([.source(source)], at: now)
            return try body(step)
        }
    }

    static let tooManyMails = AccountProblem.unavailable("too many mails are waiting to be sent: try again in some minutes")
}
