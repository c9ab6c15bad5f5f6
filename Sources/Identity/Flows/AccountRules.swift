internal import Events

/// What may happen to accounts, decided from their state alone (CONFORMANCE I4 and I5). Whatever changes them is decided once more
/// in the step that writes it, so that of two who come at once one is told what the other did.
enum AccountRules {
    /// Who somebody is that a provider has proved.
    enum Arrival: Hashable, Sendable {
        /// Somebody with an account.
        case known(AccountID)
        /// Nobody, but an account has the email that comes with the proof, or the identity. It is not theirs for that reason alone.
        case taken(by: AccountID)
        case nobody
    }

    /// - Parameters:
    ///   - isRecognized: whether the provider has recognised a person; false where it has only taken a new secret, which says nothing
    ///     about whoever has the identity already.
    ///   - address: the email that is shown to be theirs; nil where none is.
    static func arrival(
        _ provider: ProviderID, _ key: IdentityKey, isRecognized: Bool, shown address: EmailAddress?, in state: AccountState
    ) -> Arrival {
        if let account = state.account(provider: provider, key: key) { return isRecognized ? .known(account) : .taken(by: account) }
        if let address, let holder = state.account(email: address) { return .taken(by: holder.id) }
        return .nobody
    }

    /// Whether an identity may become a further way into an account.
    ///
    /// - Parameter unshown: the address that the identity itself is, if nobody has shown that it is theirs.
    static func mayLink(
        _ provider: ProviderID, _ key: IdentityKey, unshown: EmailAddress?, to account: Account, in state: AccountState
    ) throws(AccountProblem) {
        guard account.identity(provider) == nil else { throw .alreadyLinked }
        if let unshown {
            guard let email = account.email else { throw .notThere(noEmail) }
            guard unshown == email else {
                throw .malformed("the email is not that of the account: change the account's first, or leave this one as it is")
            }
        }
        guard state.account(provider: provider, key: key) == nil else { throw .linkedElsewhere }
    }

    /// Whether a way in may be given up: another one has to be left that can be used, with a provider that the service still has.
    static func mayUnlink(
        _ provider: ProviderID, from account: Account, usable: Set<ProviderID>
    ) throws(AccountProblem) {
        guard account.identity(provider) != nil else {
            throw .notThere("the account has no way in by `\(provider)`: there is nothing to take away")
        }
        let left = account.identities.contains { $0.provider != provider && usable.contains($0.provider) }
        guard left else { throw .lastWayIn }
    }

    /// Whether an address may become an account's own, once it is shown.
    static func mayHave(
        _ address: EmailAddress, _ account: Account, in state: AccountState
    ) throws(AccountProblem) {
        guard let holder = state.account(email: address) else { return }
        if holder.id == account.id { throw .malformed("the account has this email already") }
        throw .accountExists(providers: holder.identities.map(\.provider), link: nil)
    }

    /// Whether somebody has signed in recently enough for a sensitive change (CONFORMANCE I7). A clock that was set back does not
    /// make a sign-in recent that lies ahead by more than that.
    static func isRecent(_ authenticatedAt: Instant, seconds: Int64, at now: Instant) -> Bool {
        let (passed, overflow) = now.microseconds.subtractingReportingOverflow(authenticatedAt.microseconds)
        return !overflow && passed.magnitude <= UInt64(seconds) * 1_000_000
    }

    /// For how many whole seconds a sign-in that is recent stays so; none where it is not. One that lies ahead stays so no longer than
    /// one of now.
    static func recentSecondsLeft(_ authenticatedAt: Instant, seconds: Int64, at now: Instant) -> Int64 {
        guard isRecent(authenticatedAt, seconds: seconds, at: now) else { return 0 }
        let passed = max(0, now.microseconds - authenticatedAt.microseconds)
        return (seconds * 1_000_000 - passed) / 1_000_000
    }

    static let noEmail = "the account has no email that was shown to be its own: set one first (`PUT /v1/account/email`)"
}
