public import Primitives
internal import Work

/// Replaces forgotten passwords.
extension Accounts {
    /// Sends a code for a new password to an address. The response does not show whether the account exists.
    ///
    /// - Parameters:
    ///   - email: the address of the account.
    ///   - source: the source address of the request.
    public func requestReset(
        email: String, from source: String
    ) throws(AccountError) -> (attempt: String, ends: Instant) {
        let address = try Accounts.address(email)
        try limiter.charge([.mails(address), .mailSource(source)], at: clock())
        let account = book.read { $0.account(email: address) }
        guard let account else {
            return try sendCode(for: .nothing(address)) { text, _, _ in text.nobodyToReset(address) }
        }
        guard account.identity(.password) != nil else {
            let providers = priorities(account.identities.map(\.provider))
            return try sendCode(for: .nothing(address)) { text, _, _ in text.noPasswordToReset(address, providers: providers) }
        }
        return try sendCode(for: .reset(address, account.id)) { text, code, minutes in
            text.reset(address, code: code, minutes: minutes)
        }
    }

    /// Sets a new password with the code from the mail, signs the user in, and ends all other sessions and pending attempts of the
    /// account.
    ///
    /// - Parameters:
    ///   - attempt: the value that ``requestReset(email:from:)`` returned.
    ///   - code: the code from the mail.
    ///   - password: the new password, 8 to 1,024 bytes.
    ///   - device: the device name of the client; nil for none.
    ///   - source: the source address of the request.
    /// - Throws: ``AccountError``. After ``AccountError/unacceptablePassword(_:)`` the code is still valid.
    public func confirmReset(
        attempt: String, code: String, password: String, device: String?, from source: String
    ) throws(AccountError) -> SignedIn {
        let device = try checked(device: device)
        return try redeem(.reset, attempt, code, from: source) { step throws(AccountError) in
            guard case .reset(let address, let id) = step else { throw .wrongCode }
            let proof = try newPassword(password, for: address)
            let now = clock()
            let signedIn = try change(at: now) { change throws(AccountError) in
                // The email may have changed meanwhile, or the account may be deleted.
                guard let account = change.state.account(id), account.email == address, account.identity(.password) != nil else {
                    throw .wrongCode
                }
                change.record(.secretChanged(id, .password, key: proof.key, secret: proof.secret))
                sessions.endAll(of: id, except: nil, .credentialsChanged, in: &change)
                return try begin(id, .password, device: device, authenticatedAt: now, isNew: false, in: &change)
            }
            limiter.reset(.identity(.password, proof.key))
            signInMethodsChanged(signedIn.account, .passwordSet)
            return signedIn
        }
    }

    /// Hashes a new password if it is acceptable.
    ///
    /// - Parameter charges: the limits that it counts against, unless the password is not acceptable.
    func newPassword(_ password: String, for address: EmailAddress, always charges: [LimitCharge] = []) throws(AccountError)
        -> VerifiedIdentity
    {
        let evidence: JSONObject = ["email": .string(address.text), "password": .string(password)]
        return try authenticate(passwords, evidence, for: .enrolment, charges: AttemptCharges(always: charges)).proof
    }

    static func address(_ email: String) throws(AccountError) -> EmailAddress {
        guard let address = EmailAddress(email) else {
            throw .malformed("`email` is not a mail address: write one like ann@example.org")
        }
        return address
    }
}
