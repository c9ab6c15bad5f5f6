internal import Events
public import Permissions
internal import Synchronization

/// The end of an account (CONFORMANCE I8 and I9), and what administrators may do.
extension Accounts {
    /// Deletes the account of a session: takes everything from its principal in the stores, then ends its sessions and destroys its
    /// key. Needs a recent sign-in.
    ///
    /// From the beginning on its sessions are good for nothing. Where a store does not let it go, the account is as it was, but for
    /// what it had in stores that were gone through already, and it can be deleted again.
    ///
    /// - Throws: ``AccountProblem``: ``AccountProblem/undeletable(_:)`` with what to do first.
    public func deleteAccount(_ access: String) throws(AccountProblem) {
        try delete(try recentlySignedIn(access).account)
    }

    // MARK: Administration. Whoever calls these has to know that the caller may.

    /// The account that has shown an email to be its own; nil where there is none (CONFORMANCE R18).
    public func find(email: String) throws(AccountProblem) -> Account? {
        let address = try Accounts.address(email)
        return book.read { $0.account(email: address) }
    }

    /// The account of a principal; nil where there is none.
    public func account(principal: Name) -> Account? { book.read { $0.account(principal: principal) } }

    /// Accounts in the order in which they were made. Linear in those that are gone over.
    ///
    /// - Parameters:
    ///   - last: the account behind which to begin; nil for the first.
    ///   - limit: how many at most.
    public func list(after last: AccountID?, limit: Int) -> [Account] { book.read { $0.accounts(after: last, limit: limit) } }

    /// Deletes the account of a principal, as its person would.
    public func deleteAccount(principal: Name) throws(AccountProblem) {
        guard let account = account(principal: principal) else { throw .notThere(Accounts.noSuchAccount) }
        try delete(account)
    }

    /// Ends all sessions of a principal's account, and all that was begun about it.
    public func endSessions(principal: Name) throws(AccountProblem) {
        guard let account = account(principal: principal) else { throw .notThere(Accounts.noSuchAccount) }
        try change(at: clock()) { change throws(AccountProblem) in
            sessions.endAll(of: account.id, except: nil, .administrator, in: &change)
        }
        steps.drop(of: account.id)
        links.drop { $0.account == account.id }
    }

    static let noSuchAccount = "no account has this principal: it may be deleted"

    private func delete(_ account: Account) throws(AccountProblem) {
        guard leaving.withLock({ $0.insert(account.id).inserted }) else { throw Accounts.leavingProblem }
        defer { leaving.withLock { _ = $0.remove(account.id) } }
        do throws(DirectoryProblem) {
            try directory.withdraw(account.principal)
        } catch {
            throw .undeletable(error.description)
        }
        let gone = try change(at: clock()) { change throws(AccountProblem) in
            guard let present = change.state.account(account.id) else { throw .notThere(Accounts.noSuchAccount) }
            change.record(.accountDeleted(account.id))
            return present
        }
        // Somebody may have given it something meanwhile. Nobody could take that away by the account any more.
        do throws(DirectoryProblem) { try directory.withdraw(account.principal) } catch {
            report("accounts: what `\(account.principal)` was given while its account was deleted may be left: \(error)")
        }
        waysInChanged(gone, .deleted)
    }
}
