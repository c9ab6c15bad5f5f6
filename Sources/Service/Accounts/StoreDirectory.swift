internal import Credentials
internal import Events
internal import Identity
internal import Muniment
internal import Permissions

/// The stores of a data directory, as accounts see them (CONFORMANCE I9).
struct StoreDirectory: PermissionDirectory {
    let data: DataDirectory
    /// The stores of which everybody with an account becomes a user.
    let stores: [StoreName]
    let tokens: TokenRegistry
    let runningCommits: RunningCommits
    let clock: @Sendable () -> Instant
    /// Told of faults. Whoever has an account is not: it would say which stores there are, and how they are.
    let report: @Sendable (String) -> Void

    func enroll(_ principals: [Name]) throws(DirectoryProblem) {
        for name in stores {
            let store = try open(name)
            try carryOut(in: name) {
                let missing = try store.read { snapshot in try principals.filter { try !snapshot.exists($0) } }
                guard !missing.isEmpty, let actor = try store.administrators.first else { return }
                let origin = Origin(comment: missing.count == 1 ? "an account was opened" : "\(missing.count) accounts were opened")
                try store.commit(Transaction(actor, missing.map { .register($0) }, origin: origin))
            }
        }
    }

    /// In every store of the data directory, those that accounts do not belong to included: somebody may have given something there
    /// by name. Tokens that act as the principal end as well.
    func withdraw(_ principal: Name) throws(DirectoryProblem) {
        let names: [StoreName]
        do { names = try data.names() } catch { throw fault("the data directory cannot be read: \(error)") }
        let open = try names.map { (name) throws(DirectoryProblem) in (name: name, store: try self.open(name)) }
        // Before anything is taken anywhere: what stands in the way of one store leaves them all as they are.
        for (name, store) in open {
            let administrators = try carryOut(in: name) { try store.administrators }
            guard administrators != [principal] else {
                throw DirectoryProblem(
                    "the store `\(name)` has no other administrator: appoint one first (`muniment admin appoint`, or a "
                        + "transaction with `appointAdministrator`)")
            }
        }
        try endTokens(actingAs: principal)
        // What was let in before its session or token was over is on its way still, and would come behind what is taken.
        guard runningCommits.waitForEnd(of: principal, seconds: StoreDirectory.patienceSeconds) else {
            throw fault("commits of the principal of an account take more than \(StoreDirectory.patienceSeconds) s")
        }
        for (name, store) in open {
            try carryOut(in: name) {
                try store.withdraw(everythingFrom: principal, origin: Origin(comment: "the account was deleted"))
            }
        }
    }

    /// How long commits that are on their way may take. They take milliseconds.
    private static let patienceSeconds = 30

    private func endTokens(actingAs principal: Name) throws(DirectoryProblem) {
        do {
            let now = clock()
            for token in try tokens.list() where token.right == .act(as: principal) && token.isGood(at: now) {
                try tokens.revoke(id: token.id, at: now)
            }
        } catch {
            throw fault("a token that acts as the principal of an account cannot be revoked: \(error)")
        }
    }

    private func open(_ name: StoreName) throws(DirectoryProblem) -> Store {
        guard let hosted = try carryOut(in: name, { try data.store(name) }) else {
            throw fault("the store `\(name)` is not there any more: restore it, or take it out of the settings of accounts")
        }
        return hosted.store
    }

    private func carryOut<R>(in name: StoreName, _ body: () throws -> R) throws(DirectoryProblem) -> R {
        do { return try body() } catch let refusal as Refusal {
            throw DirectoryProblem("the store `\(name)` refuses: \(refusal.message)")
        } catch {
            throw fault("the store `\(name)`: \(error)")
        }
    }

    /// Tells the log what is wrong, and whoever asked that something is.
    private func fault(_ what: String) -> DirectoryProblem {
        report("accounts and stores: \(what)")
        return DirectoryProblem("a store cannot do this now; why is in the service's log: try again later")
    }
}
