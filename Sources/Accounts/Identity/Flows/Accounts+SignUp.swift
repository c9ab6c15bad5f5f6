public import Primitives
internal import Work

/// Signs up users.
extension Accounts {
    /// Signs up a user.
    ///
    /// With an email and a password, a code is sent, and the account is created after the code is confirmed. The response and the
    /// amount of work do not show whether the address already has an account. With a provider that recognises users, an existing
    /// account is signed in immediately.
    ///
    /// - Parameters:
    ///   - provider: the first provider of the account.
    ///   - evidence: the evidence for the provider.
    ///   - profile: the profile of the user.
    ///   - device: the device name of the client, at most ``Session/deviceLimitBytes`` bytes; nil for none.
    ///   - source: the source address of the request.
    /// - Throws: ``AccountError``; ``AccountError/accountExists(providers:link:)`` only if the provider has verified the email.
    public func signUp(
        _ provider: ProviderID, _ evidence: JSONObject, profile: Profile, device: String?, from source: String
    ) throws(AccountError) -> SignUpOutcome {
        let way = try way(provider)
        let device = try checked(device: device)
        let profile = try TextRules.checked(profile)
        // A mail that will be sent counts against the limits before any work is done.
        let claimed = way.claimedKey(evidence)
        let mailCharges = claimed.map { [LimitCharge(rule: \.mails, subject: $0.bytes), .mailSource(source)] } ?? []
        guard mailCharges.isEmpty || mails.hasRoom else { throw Accounts.tooManyMails }
        let charges = AttemptCharges(onFailure: [.source(source)], always: mailCharges)
        let proof = try authenticate(way, evidence, for: .enrolment, charges: charges).proof
        if let address = proof.unverifiedAddress {
            let step = PendingStep.signUp(address, PendingIdentity(provider, proof), TextRules.merged(profile, with: proof.profile))
            if claimed == nil { try limiter.charge([.mails(address), .mailSource(source)], at: clock()) }
            let (attempt, ends) = try sendCode(for: step) { text, code, minutes in
                text.signUp(address, code: code, minutes: minutes)
            }
            return .verificationSent(attempt: attempt, ends: ends)
        }
        let arrived = AuthenticatedUser(
            identity: PendingIdentity(provider, proof), isRecognized: proof.secret == nil, address: proof.verifiedAddress,
            profile: TextRules.merged(profile, with: proof.profile), device: device, authenticatedAt: proof.authenticatedAt)
        return .signedIn(try signIn(arrived))
    }

    /// Creates the account of a user who confirms the code from the mail.
    ///
    /// - Parameters:
    ///   - attempt: the value that ``signUp(_:_:profile:device:from:)`` returned.
    ///   - code: the code from the mail; blanks, hyphens and letter case are ignored.
    ///   - device: the device name of the client; nil for none.
    ///   - source: the source address of the request.
    /// - Throws: ``AccountError/wrongCode`` and others; ``AccountError/accountExists(providers:link:)`` if the address, which
    ///   the user has proven to own, has an account.
    public func verify(
        attempt: String, code: String, device: String?, from source: String
    ) throws(AccountError) -> SignedIn {
        let device = try checked(device: device)
        return try redeem(.signUp, attempt, code, from: source) { step throws(AccountError) in
            guard case .signUp(let address, let identity, let profile) = step else { throw .wrongCode }
            let arrived = AuthenticatedUser(
                identity: identity, isRecognized: false, address: address, profile: profile, device: device,
                authenticatedAt: clock())
            do throws(AccountError) {
                return try signIn(arrived)
            } catch {
                // The user has proven to own the address, even if it already has an account.
                if !error.mayBeTriedAgain { steps.drop(about: address) }
                throw error
            }
        }
    }

    /// Stores a step until its code is confirmed, and sends the code.
    func sendCode(
        for step: PendingStep, mail: (MailText, OneTimeCode, Int64) -> MailMessage
    ) throws(AccountError) -> (attempt: String, ends: Instant) {
        let now = clock()
        let ends = now.advanced(bySeconds: settings.codeSeconds)
        guard mails.hasRoom else { throw Accounts.tooManyMails }
        let (attempt, code) = try steps.add(step, until: ends, at: now)
        mails.send(mail(MailText(service: settings.serviceName), code, (settings.codeSeconds + 59) / 60), as: .code)
        return (attempt, ends)
    }

    /// Runs the step that waited for a code. Wrong codes count against the source address.
    func redeem<R>(
        _ kind: PendingStep.Kind, _ attempt: String, _ code: String, from source: String,
        _ body: (PendingStep) throws(AccountError) -> R
    ) throws(AccountError) -> R {
        let now = clock()
        try limiter.charge([.source(source)], at: now)
        return try steps.redeem(kind, attempt, code: code, at: now) { step throws(AccountError) in
            limiter.takeBack([.source(source)], at: now)
            return try body(step)
        }
    }

    static let tooManyMails = AccountError.unavailable("too many mails are in the queue: try again in a few minutes")
}
