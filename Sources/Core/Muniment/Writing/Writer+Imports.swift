internal import Dispatch
internal import EventLog
internal import Events
internal import Permissions
internal import Projections

/// Imports: transactions that are written to the disk in large batches.
extension Writer {
    /// Adds a transaction without waiting for the disk. It is written together with many others, at the latest by ``writeOut()``.
    ///
    /// With a shared log, each transaction is written by itself: other nodes may write between them.
    func add(_ transaction: Transaction) throws -> Receipt {
        if shared != nil { return try commit(transaction) }
        turn.wait()
        isImporting = true
        let before = unwritten.count
        var refused: [RecordedRefusal] = []
        let decided = Result { () throws -> Receipt in
            if let reason = log.failure { throw LogError.stopped(reason) }
            if before == 0 { try beginTurn() }
            var committer = Committer(workingSet: workingSet, clock: clock)
            let (result, refusal) = committer.outcome(of: transaction, appendingTo: &unwritten)
            if let refusal { refused = [record(refusal)] }
            return try result.get()
        }
        for commit in unwritten[before...] { unwrittenEvents += commit.events.count }
        if workingSet.heldCount > IndexOpening.versionsPerBatch {
            try endTurn(writing: [], refused)()
        } else if unwrittenEvents >= Self.eventsPerBatch || !refused.isEmpty {
            // A refusal is reported only after it is on the disk, together with the commits it depends on.
            try endTurn(writing: [], refused, toIndex: false)()
        } else {
            turn.signal()
        }
        return try decided.get()
    }

    func writeOut() throws {
        turn.wait()
        isImporting = false
        try endTurn(writing: [])()
    }
}
