import Foundation
import Synchronization

/// A bounded queue of batches between two threads.
final class BatchQueue<Batch: Sendable>: Sendable {
    private struct State {
        var batches: [Batch] = []
        var isFinished = false
        var isCancelled = false
    }

    private let capacity: Int
    /// Guards the waiting. The state has a separate lock, so that the compiler checks its protection.
    private let condition = NSCondition()
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = capacity }

    /// Adds a batch; waits if the queue is full. Returns false after ``cancel()``.
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

    /// Waits for the next batch and returns it; nil after the last one.
    func take() -> Batch? {
        condition.lock()
        defer { condition.unlock() }
        while state.withLock({ $0.batches.isEmpty && !$0.isFinished }) { condition.wait() }
        defer { condition.broadcast() }
        return state.withLock { $0.batches.isEmpty ? nil : $0.batches.removeFirst() }
    }

    /// Marks the end of the batches. Called by the producer.
    func finish() {
        condition.lock()
        state.withLock { $0.isFinished = true }
        condition.broadcast()
        condition.unlock()
    }

    /// Stops the queue. Returns after the producer has finished.
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
