public import Primitives
internal import Synchronization

/// Deletion of accounts (CONFORMANCE I8 and I9), and the operations of administrators.
extension Accounts {
    /// Deletes the account of a session: removes its principal from the stores, ends its sessions, and destroys its key. Needs a
    /// recent sign-in.
    ///
    /// Its sessions are invalid as soon as the deletion starts. If a store rejects the removal, the account remains and can be
    /// deleted again, but the changes in other stores may already be made.
    ///
    /// - Throws: ``AccountError``: ``AccountError/undeletable(_:)`` with the first step to take.
    public func deleteAccount(_ access: String) throws(AccountError) {
        try delete(try recentlySignedIn(access).account)
    }

    // MARK: Administration. The caller must check that the request is authorized.

    /// Returns the account with this verified email; nil if it does not exist (CONFORMANCE R18).
    public func find(email: String) throws(AccountError) -> Account? {
        let address = try Accounts.address(email)
        return book.read { $0.account(email: address) }
    }

    /// Returns the account of a principal; nil if it does not exist.
    public func account(principal: Name) -> Account? { book.read { $0.account(principal: principal) } }

    /// Returns accounts in the order they were created. Linear in the accounts visited.
    ///
    /// - Parameters:
    ///   - last: the account before the first result; nil to start with the first account.
    ///   - limit: the maximum number of results.
    public func list(after last: AccountID?, limit: Int) -> [Account] { book.read { $0.accounts(after: last, limit: limit) } }

    /// Deletes the account of a principal, with the same steps as deletion by the user.
    public func deleteAccount(principal: Name) throws(AccountError) {
        guard let account = account(principal: principal) else { throw .notThere(Accounts.noSuchAccount) }
        try delete(account)
    }

    /// Ends all sessions and pending attempts of a principal's account.
    public func endSessions(principal: Name) throws(AccountError) {
        guard let account = account(principal: principal) else { throw .notThere(Accounts.noSuchAccount) }
        try change(at: clock()) { change throws(AccountError) in
            sessions.endAll(of: account.id, except: nil, .administrator, in: &change)
        }
        steps.drop(of: account.id)
        links.drop { $0.account == account.id }
    }

    static let noSuchAccount = "no account has this principal: it may be deleted"

    private func delete(_ account: Account) throws(AccountError) {
        guard leaving.withLock({ $0.insert(account.id).inserted }) else { throw Accounts.leavingProblem }
        defer { leaving.withLock { _ = $0.remove(account.id) } }
        do throws(DirectoryError) {
            try directory.withdraw(account.principal)
        } catch {
            throw .undeletable(error.description)
        }
        let gone = try change(at: clock()) { change throws(AccountError) in
            guard let present = change.state.account(account.id) else { throw .notThere(Accounts.noSuchAccount) }
            change.record(.accountDeleted(account.id))
            return present
        }
        if let reason = book.failure { report("an account was deleted, and the accounts take no more changes: \(reason)") }
        // A grant may have been added meanwhile. It can no longer be removed through the account.
        do throws(DirectoryError) { try directory.withdraw(account.principal) } catch {
            report("accounts: access that `\(account.principal)` received during the deletion of its account may remain: \(error)")
        }
        signInMethodsChanged(gone, .deleted)
    }
}
