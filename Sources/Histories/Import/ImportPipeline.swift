import Events
import Foundation
import Muniment
import Permissions

/// Reads ahead on one thread what another commits, so that an import uses two cores.
struct ImportPipeline {
    /// Some transactions in a row, and why there are no more, if it is not the end of the file.
    private struct Batch: Sendable {
        var transactions: [ImportedTransaction] = []
        var changes = 0
        var failure: (any Error)?

        /// Enough changes to make handing over cheap, few enough to keep memory small.
        var isFull: Bool { changes >= 2_000 || transactions.count >= 500 }

        mutating func append(_ transaction: ImportedTransaction) {
            transactions.append(transaction)
            changes += transaction.transaction.changes.count
        }
    }

    private let source: HistorySource
    private let queue = BatchQueue<Batch>(capacity: 4)

    init(_ source: HistorySource) { self.source = source }

    /// Hands every transaction to `take`, in order, on this thread; `pause` is called now and then in between.
    ///
    /// Where the file is at fault, what stands before the fault is handed over first.
    func run(_ take: (ImportedTransaction) throws -> Void, pause: (ImportedTransaction) -> Void) throws {
        let (source, queue) = (source, queue)
        Thread { ImportPipeline.read(source, into: queue) }.start()
        // The store outlives this call, and the other thread must not: it may be reading the store.
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
