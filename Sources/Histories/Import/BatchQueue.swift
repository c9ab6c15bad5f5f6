import Foundation
import Synchronization

/// Hands batches from one thread to another, a few at most waiting in between.
final class BatchQueue<Batch: Sendable>: Sendable {
    private struct State {
        var batches: [Batch] = []
        var isFinished = false
        var isCancelled = false
    }

    private let capacity: Int
    /// Guards the waiting; the state has a lock of its own so that the compiler sees it guarded.
    private let condition = NSCondition()
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = capacity }

    /// Adds a batch, waiting for room; false when nobody will take it any more.
    func put(_ batch: Batch) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while state.withLock({ $0.batches.count >= capacity && !$0.isCancelled }) { condition.wait() }
        defer { condition.broadcast() }
        return state.withLock { state in
            if !state.isCancelled { state.batches.append(batch) }
            return !state.isCancelled
        }
    }

    /// The next batch, waiting for it; nil behind the last.
    func take() -> Batch? {
        condition.lock()
        defer { condition.unlock() }
        while state.withLock({ $0.batches.isEmpty && !$0.isFinished }) { condition.wait() }
        defer { condition.broadcast() }
        return state.withLock { $0.batches.isEmpty ? nil : $0.batches.removeFirst() }
    }

    /// No batch will follow: the one who puts is done.
    func finish() {
        condition.lock()
        state.withLock { $0.isFinished = true }
        condition.broadcast()
        condition.unlock()
    }

    /// No batch will be taken any more. Returns when the one who puts is done.
    func cancel() {
        condition.lock()
        defer { condition.unlock() }
        state.withLock {
            $0.isCancelled = true
            $0.batches = []
        }
        condition.broadcast()
        while state.withLock({ !$0.isFinished }) { condition.wait() }
    }
}
