internal import Credentials
internal import Events
internal import Identity
internal import Muniment
internal import Permissions

/// The stores of a data directory, as used by accounts (CONFORMANCE I9).
struct ServiceAccountStores: AccountStores {
    let data: DataDirectory
    /// The stores that register every account.
    let stores: [StoreName]
    let tokens: TokenRegistry
    let runningCommits: RunningCommits
    let clock: @Sendable () -> Instant
    /// Receives faults. They are not reported to users, because they would disclose which stores exist and their state.
    let report: @Sendable (String) -> Void

    func enroll(_ principals: [Name]) throws(DirectoryError) {
        for name in stores {
            let store = try open(name)
            try execute(in: name) {
                let missing = try store.read { snapshot in try principals.filter { try !snapshot.exists($0) } }
                guard !missing.isEmpty, let actor = try store.administrators.first else { return }
                let origin = Origin(
                    comment: missing.count == 1 ? "an account was created" : "\(missing.count) accounts were created")
                try store.commit(Transaction(actor, missing.map { .register($0) }, origin: origin))
            }
        }
    }

    /// Withdraws a principal from every store of the data directory, including stores without accounts, because entries may name it
    /// there. Also revokes tokens that act as the principal.
    func withdraw(_ principal: Name) throws(DirectoryError) {
        let names: [StoreName]
        do { names = try data.names() } catch { throw fault("the data directory cannot be read: \(error)") }
        let open = try names.map { (name) throws(DirectoryError) in (name: name, store: try self.open(name)) }
        // Checks all stores before changing any: an obstacle in one store leaves all unchanged.
        for (name, store) in open {
            let administrators = try execute(in: name) { try store.administrators }
            guard administrators != [principal] else {
                throw DirectoryError(
                    "the store `\(name)` has no other administrator: appoint one first (`muniment admin appoint`, or a "
                        + "transaction with `appointAdministrator`)")
            }
        }
        try endTokens(actingAs: principal)
        // A commit that was accepted before its session or token ended may still be running, and could restore access afterwards.
        guard runningCommits.waitForEnd(of: principal, seconds: ServiceAccountStores.timeoutSeconds) else {
            throw fault("commits of the account's principal are still running after \(ServiceAccountStores.timeoutSeconds) s")
        }
        for (name, store) in open {
            try execute(in: name) {
                try store.revokeAllAccess(of: principal, origin: Origin(comment: "the account was deleted"))
            }
        }
    }

    /// The largest time to wait for running commits, in seconds. Commits take milliseconds.
    private static let timeoutSeconds = 30

    private func endTokens(actingAs principal: Name) throws(DirectoryError) {
        do {
            let now = clock()
            for token in try tokens.list() where token.right == .act(as: principal) && token.isValid(at: now) {
                try tokens.revoke(id: token.id, at: now)
            }
        } catch {
            throw fault("a token that acts as the principal of an account cannot be revoked: \(error)")
        }
    }

    private func open(_ name: StoreName) throws(DirectoryError) -> Store {
        guard let hosted = try execute(in: name, { try data.store(name) }) else {
            throw fault("the store `\(name)` no longer exists: restore it, or remove it from the settings of accounts")
        }
        return hosted.store
    }

    private func execute<R>(in name: StoreName, _ body: () throws -> R) throws(DirectoryError) -> R {
        do { return try body() } catch let refusal as Refusal {
            throw DirectoryError("the store `\(name)` refused the change: \(refusal.message)")
        } catch {
            throw fault("the store `\(name)`: \(error)")
        }
    }

    /// Reports a fault to the log, and returns a general problem for the client.
    private func fault(_ what: String) -> DirectoryError {
        report("accounts and stores: \(what)")
        return DirectoryError("a store cannot do this now: try again later; the service's log has the reason")
    }
}
