internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// A few threads that the system lets run behind all others, for work that is heavy on purpose: hashing passwords must not slow
/// down those who ask about permissions.
final class BackgroundThreads: Sendable {
    private let queue: JobQueue
    private let count: Int
    private let taken = Atomic(0)

    /// How many pieces of work were taken on.
    var takenCount: Int { taken.load(ordering: .relaxed) }

    /// How far behind others a thread stands (`setpriority`): 0 for not at all, 19 at most.
    private static let niceness: Int32 = 15

    /// - Parameters:
    ///   - count: how many pieces of work go on at once.
    ///   - backlogLimit: how many may wait.
    init(count: Int, backlogLimit: Int) {
        let queue = JobQueue(limit: backlogLimit)
        self.queue = queue
        self.count = count
        let pace = WorkPace()
        for _ in 0..<count {
            Thread.detachNewThread {
                // On Linux that of the calling thread alone. Where it is not allowed, the work is done all the same.
                _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, BackgroundThreads.niceness)
                while let job = queue.next() { pace.work(job) }
            }
        }
    }

    deinit { queue.close(threads: count) }

    /// Does a piece of work on one of the threads, and waits for it.
    ///
    /// - Returns: nil where too many wait already.
    func run<R: Sendable>(_ work: @escaping @Sendable () -> R) -> R? {
        let slot = Slot<R>()
        let isTaken = queue.add {
            let result = work()
            slot.result.withLock { $0 = result }
            slot.isFilled.signal()
        }
        guard isTaken else { return nil }
        taken.wrappingAdd(1, ordering: .relaxed)
        slot.isFilled.wait()
        return slot.result.withLock { $0 }
    }

    /// How many pieces of work wait for a thread.
    var backlog: Int { queue.count }

    private final class Slot<R: Sendable>: Sendable {
        let result = Mutex<R?>(nil)
        let isFilled = DispatchSemaphore(value: 0)
    }
}

/// Work that waits for a thread.
private final class JobQueue: Sendable {
    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let isThere = DispatchSemaphore(value: 0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// False where too many wait.
    func add(_ job: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = jobs.withLock { jobs in
            guard jobs.count < limit else { return false }
            jobs.append(job)
            return true
        }
        if isTaken { isThere.signal() }
        return isTaken
    }

    var count: Int { jobs.withLock { $0.count } }

    /// Waits for a job; nil when the queue is closed and none is left.
    func next() -> (@Sendable () -> Void)? {
        isThere.wait()
        return jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func close(threads: Int) {
        for _ in 0..<threads { isThere.signal() }
    }
}
