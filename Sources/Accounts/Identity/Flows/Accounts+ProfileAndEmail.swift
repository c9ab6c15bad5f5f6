public import Primitives
internal import Work

/// Changes of profile, password and email by the signed-in user (CONFORMANCE I6).
extension Accounts {
    /// Returns the account of a session.
    public func account(_ access: String) throws(AccountError) -> Account { try signedIn(access).account }

    /// Changes the profile.
    ///
    /// - Parameters:
    ///   - access: an access token of the account.
    ///   - edit: changes the profile. It runs in the step that writes the change, so concurrent changes are not lost. Other changes
    ///     wait for it.
    /// - Throws: ``AccountError``. ``AccountError/malformed(_:)`` if the new profile is invalid; nothing is changed then.
    public func updateProfile(_ access: String, _ edit: (inout Profile) -> Void) throws(AccountError) -> Account {
        let (session, _) = try signedIn(access)
        return try change(session) { change, present throws(AccountError) in
            var profile = present.profile
            edit(&profile)
            profile = try TextRules.checked(profile)
            if present.profile != profile { change.record(.profileChanged(present.id, profile)) }
        }
    }

    /// Sets a password for an account without one, for sign-in with its email. Needs a recent sign-in.
    ///
    /// - Throws: ``AccountError``: ``AccountError/alreadyLinked`` if it has a password, ``AccountError/notThere(_:)`` if it
    ///   has no email, ``AccountError/unacceptablePassword(_:)``.
    public func setPassword(_ access: String, _ password: String) throws(AccountError) -> Account {
        let (session, account) = try recentlySignedIn(access)
        guard account.identity(.password) == nil else { throw .alreadyLinked }
        guard let email = account.email else { throw .notThere(AccountRules.noEmail) }
        let proof = try newPassword(password, for: email, always: [.changes(account.id)])
        return try changeSignInMethods(session, .passwordSet) { change, present throws(AccountError) in
            try AccountRules.mayLink(.password, proof.key, unshown: email, to: present, in: change.state)
            try linkAndEndOthers(PendingIdentity(.password, proof), to: account.id, kept: session.id, in: &change)
        }
    }

    /// Changes the password, and ends all other sessions and pending attempts of the account. Needs a recent sign-in.
    public func changePassword(_ access: String, _ password: String) throws(AccountError) -> Account {
        let (session, account) = try recentlySignedIn(access)
        guard account.identity(.password) != nil, let email = account.email else {
            throw .notThere("the account has no password: set one (`POST /v1/account/password`)")
        }
        let proof = try newPassword(password, for: email, always: [.changes(account.id)])
        return try changeSignInMethods(session, .passwordSet) { change, present throws(AccountError) in
            // The email may have changed or the password been unlinked meanwhile.
            guard let identity = present.identity(.password), identity.key == proof.key else {
                throw .notThere("the account's email or password was changed meanwhile: try again")
            }
            change.record(.secretChanged(account.id, .password, key: proof.key, secret: proof.secret))
            sessions.endAll(of: account.id, except: session.id, .credentialsChanged, in: &change)
        }
    }

    /// Sends a code to a new address, which becomes the account's email only after the code is confirmed. The response does not
    /// show whether another account has the address. Needs a recent sign-in.
    public func requestEmailChange(
        _ access: String, _ email: String, from source: String
    ) throws(AccountError) -> (attempt: String, ends: Instant) {
        let (session, account) = try recentlySignedIn(access)
        let address = try Accounts.address(email)
        guard address != account.email else { throw .malformed("the account has this email already") }
        try limiter.charge([.mails(address), .mailSource(source), .changes(account.id)], at: clock())
        return try sendCode(for: .emailChange(account.id, session.id, address)) { text, code, minutes in
            text.emailChange(address, code: code, minutes: minutes)
        }
    }

    /// Confirms the code for a new address, in the session that requested it, and makes the address the account's email. Sign-in
    /// with the password uses the new address from then on. Ends all other sessions, and all pending attempts about the account or
    /// the address.
    ///
    /// - Throws: ``AccountError``: ``AccountError/accountExists(providers:link:)`` if another account has the address, which
    ///   the user has proven to own.
    public func confirmEmailChange(
        _ access: String, attempt: String, code: String, from source: String
    ) throws(AccountError) -> Account {
        let (session, account) = try recentlySignedIn(access)
        let kind = PendingStep.Kind.emailChange(account.id, session.id)
        return try redeem(kind, attempt, code, from: source) { step throws(AccountError) in
            let address = step.address
            var former: EmailAddress?
            let changed = try change(session) { change, present throws(AccountError) in
                former = present.email
                try AccountRules.mayHave(address, present, in: change.state)
                change.record(.emailSet(account.id, address))
                if let identity = present.identity(.password) {
                    change.record(
                        .secretChanged(account.id, .password, key: IdentityKey(address), secret: identity.secret))
                }
                sessions.endAll(of: account.id, except: session.id, .credentialsChanged, in: &change)
            }
            steps.drop(about: address)
            signInMethodsChanged(changed, .emailChanged, to: former ?? address)
            return changed
        }
    }
}
