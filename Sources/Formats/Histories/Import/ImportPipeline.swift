import Events
import Foundation
import Muniment
import Permissions

/// Reads ahead on one thread while another thread commits, so that an import uses two cores.
struct ImportPipeline {
    /// Consecutive transactions, and the error that ended them, if any.
    private struct Batch: Sendable {
        var transactions: [ImportedTransaction] = []
        var changes = 0
        var failure: (any Error)?

        /// Large enough to make the transfer cheap, small enough to limit memory.
        var isFull: Bool { changes >= 2_000 || transactions.count >= 500 }

        mutating func append(_ transaction: ImportedTransaction) {
            transactions.append(transaction)
            changes += transaction.transaction.changes.count
        }
    }

    private let source: HistorySource
    private let queue = BatchQueue<Batch>(capacity: 4)

    init(_ source: HistorySource) { self.source = source }

    /// Passes every transaction to `take`, in order, on this thread; calls `pause` from time to time in between.
    ///
    /// If the file is faulty, the transactions before the fault are passed first.
    func run(_ take: (ImportedTransaction) throws -> Void, pause: (ImportedTransaction) -> Void) throws {
        let (source, queue) = (source, queue)
        Thread { ImportPipeline.read(source, into: queue) }.start()
        // The other thread may be reading the store and must end before this call returns.
        defer { queue.cancel() }
        while let batch = queue.take() {
            for transaction in batch.transactions { try take(transaction) }
            if let last = batch.transactions.last { pause(last) }
            if let failure = batch.failure { throw failure }
        }
    }

    private static func read(_ source: HistorySource, into queue: BatchQueue<Batch>) {
        defer { queue.finish() }
        var source = source
        var batch = Batch()
        do {
            while let transaction = try source.next() {
                batch.append(transaction)
                guard batch.isFull else { continue }
                guard queue.put(batch) else { return }
                batch = Batch()
            }
        } catch {
            batch.failure = error
        }
        _ = queue.put(batch)
    }
}
