internal import Events
internal import Permissions
internal import Projections

extension Store {
    /// Tries transactions without making them, and tells whose access would be another one.
    ///
    /// They are carried out by what carries out every transaction, one behind the other, each as its caller, in memory and over
    /// the index as it is: nothing is written, refusals are not recorded, and the store can be open for reading while another
    /// process writes. A refused transaction changes nothing, and those behind it are tried all the same.
    ///
    /// Users and things are told of by name, those that the transactions make known included; `everyone` and `anonymous` where
    /// what all callers have differs, as in ``difference(on:from:to:for:)``. Costs what the transactions touch and those can meet who
    /// are concerned, not the number of objects or of users: only what changes access for everybody is compared for everybody.
    ///
    /// - Parameter transactions: what is tried, in order. A time of theirs must not be before the head's.
    /// - Throws: ``StoreError``, or what the disk says. A refusal is no error: it is in the result.
    public func whatIf(_ transactions: [Transaction]) throws -> WhatIf {
        try withReader { reader in
            let workingSet = try index.workingSet()
            defer { workingSet.end() }
            let draft = try Draft(of: transactions, in: workingSet, clock: options.clock)
            // The draft's view was taken behind the reader's: with a new one the reader sees at least as much.
            reader.rest()
            try reader.renew()
            reader.look(at: draft.revision)
            let comparison = try DraftComparison(of: draft, with: reader)
            guard !workingSet.isOvertaken else { throw StoreError.overtaken(path: folder.path) }
            return WhatIf(
                revision: draft.revision, instant: draft.instant, refusals: draft.refusals,
                differences: try comparison.differences, isComplete: comparison.isComplete)
        }
    }
}

/// Transactions that are carried out in memory only.
struct Draft {
    let workingSet: WorkingSet
    /// The revision that they were tried on.
    let revision: Revision
    /// The instant behind the last of them.
    let instant: Instant
    let refusals: [Refusal?]
    /// What they would bring into the log.
    let events: [Event]

    init(of transactions: [Transaction], in workingSet: WorkingSet, clock: @escaping @Sendable () -> Instant) throws {
        self.workingSet = workingSet
        revision = workingSet.state.revision
        var committer = Committer(workingSet: workingSet, clock: clock)
        var refusals: [Refusal?] = []
        var commits: [Commit] = []
        for transaction in transactions {
            try Cancellation.checkCurrent()
            do {
                _ = try committer.perform(transaction, appendingTo: &commits)
                refusals.append(nil)
            } catch let refusal as Refusal {
                refusals.append(refusal)
            }
        }
        instant = committer.now
        self.refusals = refusals
        events = commits.flatMap(\.events)
    }
}
