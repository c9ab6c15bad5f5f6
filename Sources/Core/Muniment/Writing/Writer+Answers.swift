internal import EventLog
internal import Events
internal import Hashing
internal import Permissions
internal import Projections

extension Writer {
    /// Returns the record of a refused transaction, numbered after the earlier ones, and folds it. Called while holding the turn.
    func record(_ refused: RefusedTransaction) -> RecordedRefusal {
        let refusal = RecordedRefusal(refused, number: nextRefusal)
        workingSet.fold(refusal)
        nextRefusal = nextRefusal.next
        return refusal
    }

    /// Returns the results with the hashes of their commits, which are in the log.
    func hashed(_ results: [Result<Receipt, any Error>]) -> [Result<Receipt, any Error>] {
        guard results.contains(where: { (try? $0.get())?.revision != nil }) else { return results }
        // The commits are durable. A log that cannot be read does not change that.
        return
            (try? log.read { reader in
                results.map { result in
                    result.map { receipt in
                        var receipt = receipt
                        receipt.hash = receipt.revision.flatMap { try? reader.hash(of: $0).description }
                        return receipt
                    }
                }
            }) ?? results
    }
}
