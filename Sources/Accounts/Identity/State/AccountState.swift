internal import Hashing
internal import Primitives

/// All accounts and sessions, as the log defines them. A value type: a copy does not change.
struct AccountState: Hashable, Sendable {
    var accounts = ShardedTable<AccountID, Account>()
    var principals = ShardedTable<Name, AccountID>()
    var emails = ShardedTable<EmailAddress, AccountID>()
    var identities = ShardedTable<IdentityReference, AccountID>()
    var live = ShardedTable<SessionID, LiveSession>()
    var sessionsOfAccounts = ShardedTable<AccountID, [SessionID]>()
    /// The number of the next account. Numbers are not reused.
    var nextAccount = AccountID(1)
    /// The number of the next session. Numbers are not reused.
    var nextSession = SessionID(1)
    /// The time of the last record.
    var time = Instant.distantPast

    /// The unique key of an identity among all providers.
    struct IdentityReference: Hashable, Sendable {
        let provider: ProviderID
        let key: IdentityKey
    }

    // MARK: Reading. Constant time unless stated otherwise.

    var accountCount: Int { accounts.count }
    var sessionCount: Int { live.count }

    func account(_ id: AccountID) -> Account? { accounts[id] }
    func account(principal: Name) -> Account? { principals[principal].flatMap { accounts[$0] } }
    func account(email: EmailAddress) -> Account? { emails[email].flatMap { accounts[$0] } }
    func account(provider: ProviderID, key: IdentityKey) -> AccountID? {
        identities[IdentityReference(provider: provider, key: key)]
    }

    /// Returns accounts in the order they were created. Linear in the numbers visited.
    ///
    /// - Parameters:
    ///   - last: the account before the first result; nil to start with the first account.
    ///   - limit: the maximum number of results.
    func accounts(after last: AccountID?, limit: Int) -> [Account] {
        var found: [Account] = []
        var number = (last?.number ?? 0) + 1
        while found.count < limit, number < nextAccount.number {
            if let account = accounts[AccountID(number)] { found.append(account) }
            number += 1
        }
        return found
    }

    func session(_ id: SessionID) -> LiveSession? { live[id] }

    /// Returns the sessions of an account in the order they began. Linear in their number.
    func sessions(of account: AccountID) -> [LiveSession] { (sessionsOfAccounts[account] ?? []).compactMap { live[$0] } }

    /// Returns at most `limit` expired sessions. Linear in all sessions.
    func overdue(at now: Instant, limit: Int) -> [SessionID] {
        Array(live.values.lazy.filter { $0.isOver(at: now) }.map(\.session.id).prefix(limit))
    }
}
