internal import Events
internal import Permissions
internal import Projections

extension Store {
    /// Tries transactions without committing them, and returns the changes of access that they would cause.
    ///
    /// The code that executes every transaction executes these too, in order, each as its caller, in memory and over the present
    /// index. Nothing is written, and refusals are not recorded. The store can be open for reading while another process writes.
    /// A refused transaction changes nothing, and the ones after it are still tried.
    ///
    /// The result contains users and things by name, including those that the transactions register, and `everyone` and
    /// `anonymous` if the access of all callers differs, as in ``difference(on:from:to:for:)``. The cost depends on the changes
    /// of the transactions and on the affected callers, not on the number of objects or users: access is compared for every
    /// caller only if it changes for every caller.
    ///
    /// - Parameter transactions: the transactions, in order. Their times must not be before the head's.
    /// - Throws: ``StoreError``, or an error of the disk. A refusal is not thrown: it is in the result.
    public func whatIf(_ transactions: [Transaction]) throws -> WhatIf {
        try checkIndex()
        return try withReader { reader in
            let workingSet = try index.workingSet()
            defer { workingSet.end() }
            let draft = try Draft(of: transactions, in: workingSet, clock: options.clock)
            // The draft opened its view after the reader's: a renewed reader contains at least as much.
            reader.rest()
            try reader.renew()
            reader.move(to: draft.revision)
            let comparison = try DraftComparison(of: draft, with: reader)
            guard !workingSet.isOvertaken else { throw StoreError.overtaken(path: folder.path) }
            return WhatIf(
                revision: draft.revision, instant: draft.instant, refusals: draft.refusals,
                differences: try comparison.differences, isComplete: comparison.isComplete)
        }
    }
}

/// Transactions that are executed only in memory.
struct Draft {
    let workingSet: WorkingSet
    let revision: Revision
    /// The instant after the last of them.
    let instant: Instant
    let refusals: [Refusal?]
    /// The effects of the events that they would append to the log, without expired access: it counts neither before nor after.
    let effects: [EventEffect]

    init(of transactions: [Transaction], in workingSet: WorkingSet, clock: @escaping @Sendable () -> Instant) throws {
        self.workingSet = workingSet
        revision = workingSet.state.revision
        var committer = Committer(workingSet: workingSet, clock: clock)
        var refusals: [Refusal?] = []
        var commits: [Commit] = []
        for transaction in transactions {
            try Cancellation.checkCurrent()
            do {
                _ = try committer.outcome(of: transaction, appendingTo: &commits).result.get()
                refusals.append(nil)
            } catch let refusal as Refusal {
                refusals.append(refusal)
            }
        }
        instant = committer.now
        self.refusals = refusals
        effects = commits.flatMap(\.events).filter { $0.kind != .accessExpired }.map(\.effect)
    }
}
