internal import Events
internal import Hashing
internal import Permissions

/// All accounts and sessions that there are, as the log has led to them. A value: whoever holds one sees nothing change.
struct AccountState: Hashable, Sendable {
    var accounts = ShardedTable<AccountID, Account>()
    var principals = ShardedTable<Name, AccountID>()
    var emails = ShardedTable<EmailAddress, AccountID>()
    var identities = ShardedTable<IdentityReference, AccountID>()
    var live = ShardedTable<SessionID, LiveSession>()
    var sessionsOfAccounts = ShardedTable<AccountID, [SessionID]>()
    /// The number of the next account. None is given twice.
    var nextAccount = AccountID(1)
    /// The number of the next session. None is given twice.
    var nextSession = SessionID(1)
    /// The time of the last record.
    var time = Instant.distantPast

    /// What is unique among all identities.
    struct IdentityReference: Hashable, Sendable {
        let provider: ProviderID
        let key: IdentityKey
    }

    // MARK: Reading. All of it takes constant time but where said.

    var accountCount: Int { accounts.count }
    var sessionCount: Int { live.count }

    func account(_ id: AccountID) -> Account? { accounts[id] }
    func account(principal: Name) -> Account? { principals[principal].flatMap { accounts[$0] } }
    func account(email: EmailAddress) -> Account? { emails[email].flatMap { accounts[$0] } }
    func account(provider: ProviderID, key: IdentityKey) -> AccountID? {
        identities[IdentityReference(provider: provider, key: key)]
    }

    /// Accounts in the order in which they were made. Linear in the numbers that are gone over.
    ///
    /// - Parameters:
    ///   - last: the account behind which to begin; nil for the first.
    ///   - limit: how many at most.
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

    /// The sessions of an account, in the order in which they began. Linear in their number.
    func sessions(of account: AccountID) -> [LiveSession] { (sessionsOfAccounts[account] ?? []).compactMap { live[$0] } }

    /// The sessions whose time is over, at most so many. Linear in all sessions.
    func overdue(at now: Instant, limit: Int) -> [SessionID] {
        Array(live.values.lazy.filter { $0.isOver(at: now) }.map(\.session.id).prefix(limit))
    }
}
