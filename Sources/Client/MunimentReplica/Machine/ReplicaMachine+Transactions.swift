internal import Primitives

/// The pending transactions: from the application to their ends.
extension ReplicaMachine {
    /// Adds a transaction. It is pending after the effects of this event.
    mutating func write(_ changes: [ReplicaChange], _ step: inout Step<some ReplicaStorage>) throws {
        guard !changes.isEmpty else { throw ReplicaError.malformed("the transaction has no changes: add one") }
        guard changes.count <= Limits.changesPerTransaction else {
            throw ReplicaError.malformed(
                "the transaction has \(changes.count) changes: write at most \(Limits.changesPerTransaction) at once")
        }
        for change in changes { try change.check() }
        guard pending.count < ReplicaMachine.pendingLimit else {
            throw ReplicaError.queueFull(
                "\(pending.count) transactions are pending, which is the limit: connect, and write again after they have ended")
        }
        step.header.lastTransaction += 1
        let id = TransactionID(step.header.lastTransaction)
        let transaction = PendingTransaction(id: id, changes: changes, state: .waiting, key: "\(session)-\(id)")
        pending.append(transaction)
        step.writes.append(.pending(transaction))
        try view.apply(transaction, base: step.storage.object)
        step.changed?.formUnion(changes.map(\.target))
    }

    mutating func withdraw(_ id: TransactionID, _ step: inout Step<some ReplicaStorage>) throws {
        guard let transaction = pending.first(where: { $0.id == id }) else { throw ReplicaError.notPending(id) }
        guard transaction.state == .waiting else { throw ReplicaError.alreadySent(id) }
        end([id: .withdrawn], &step)
        try rebase(&step, base: step.storage.object)
    }

    /// Sends the first transaction that is not committed, if a stream is current and no other request is running.
    mutating func sendNext(_ step: inout Step<some ReplicaStorage>) {
        guard isCurrent, sending == .idle, let index = pending.firstIndex(where: { !$0.state.isCommitted }) else { return }
        lastAttempt += 1
        if pending[index].state == .waiting {
            pending[index].state = .sent
            step.writes.append(.pending(pending[index]))
        }
        let transaction = pending[index]
        if firstSend?.id != transaction.id { firstSend = (transaction.id, lastStream) }
        sending = .inFlight(transaction.id, attempt: lastAttempt)
        step.actions.append(.send(transaction.id, key: transaction.key, transaction.changes, attempt: lastAttempt))
    }

    /// Handles the answer to a request. A commit is final, whichever attempt it answers, because all attempts have the same key. A
    /// refusal counts only for the last attempt: the service may commit a later one.
    mutating func answered(
        _ id: TransactionID, _ outcome: ReplicaSendOutcome, _ attempt: UInt64, _ step: inout Step<some ReplicaStorage>
    ) throws {
        guard let index = pending.firstIndex(where: { $0.id == id }), pending[index].state == .sent else { return }
        switch outcome {
        case .unknown(let seconds):
            guard sending == .inFlight(id, attempt: attempt) else { return }
            sendFailures += 1
            sending = .waiting(attempt)
            let pause = ReplicaMachine.pause(after: sendFailures, seconds)
            step.actions.append(.wait(.send(attempt), milliseconds: pause))
            return
        case .committed(let revision, let hash):
            pending[index].state = .committed(revision)
            pending[index].hash = hash
            step.writes.append(.pending(pending[index]))
            noteEnd(of: pending[index], .committed(revision), &step)
            let isChecked = hash == nil || !checkHistory(of: id, &step)
            if isChecked, let confirmed = step.header.confirmed { dropCommitted(upTo: confirmed.revision, &step) }
        case .refused(let refusal):
            guard sending == .inFlight(id, attempt: attempt) else { return }
            end([id: .refused(refusal)], &step)
        }
        sending = .idle
        sendFailures = 0
        try rebase(&step, base: step.storage.object)
    }

    /// Removes the committed transactions that the confirmed state contains.
    mutating func dropCommitted(upTo confirmed: Revision, _ step: inout Step<some ReplicaStorage>) {
        remove(&step) { if case .committed(let revision) = $0.state { revision <= confirmed } else { false } }
    }

    /// Ends transactions, and the ones that were written on top of them.
    mutating func end(_ outcomes: [TransactionID: TransactionOutcome], _ step: inout Step<some ReplicaStorage>) {
        var ended: Set<TransactionID> = []
        /// What the ended transactions provided, with the first of them.
        var changed: [Name: TransactionID] = [:]
        for transaction in pending {
            var outcome = outcomes[transaction.id]
            if outcome == nil, transaction.state == .waiting,
                let cause = transaction.changes.lazy.flatMap(\.mentions).compactMap({ changed[$0] }).min()
            {
                outcome = .refused(
                    TransactionRefusal(
                        code: TransactionRefusal.prerequisiteEnded,
                        message: "transaction \(cause), which this one was written on top of, was taken back",
                        remedy: "write it again on the present state", cause: cause))
            }
            guard let outcome else { continue }
            ended.insert(transaction.id)
            for name in transaction.changes.compactMap(\.provided) where changed[name] == nil { changed[name] = transaction.id }
            noteEnd(of: transaction, outcome, &step)
        }
        if case .inFlight(let id, _) = sending, ended.contains(id) { sending = .idle }
        remove(&step) { ended.contains($0.id) }
    }

    mutating func remove(_ step: inout Step<some ReplicaStorage>, where isRemoved: (PendingTransaction) -> Bool) {
        for transaction in pending where isRemoved(transaction) {
            step.writes.append(.removePending(transaction.id))
            step.changed?.formUnion(transaction.changes.map(\.target))
        }
        pending.removeAll(where: isRemoved)
    }

    /// Keeps the end of a transaction for the application, and reports it.
    private func noteEnd(
        of transaction: PendingTransaction, _ outcome: TransactionOutcome, _ step: inout Step<some ReplicaStorage>
    ) {
        let changes = if case .committed = outcome { [ReplicaChange]() } else { transaction.changes }
        let end = EndedTransaction(id: transaction.id, outcome: outcome, changes: changes)
        step.ended.append(end)
        step.writes.append(.ended(end))
        if transaction.id.rawValue > ReplicaMachine.endsKept {
            step.writes.append(.forgetEndedUpTo(TransactionID(transaction.id.rawValue - ReplicaMachine.endsKept)))
        }
    }

    /// Applies the pending transactions to a confirmed state anew.
    mutating func rebase(_ step: inout Step<some ReplicaStorage>, base: PendingView.Base) throws {
        step.changed?.formUnion(view.pendingNames)
        view = PendingView(classes: step.header.classes)
        for transaction in pending { try view.apply(transaction, base: base) }
    }
}

extension PendingTransaction.State {
    var isCommitted: Bool { if case .committed = self { true } else { false } }
}
