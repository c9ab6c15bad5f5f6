internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// A few low-priority threads for heavy work: password hashes must not slow down permission checks.
final class BackgroundThreads: Sendable {
    private let queue: JobQueue
    private let count: Int
    private let taken = Atomic(0)

    /// The number of accepted jobs.
    var takenCount: Int { taken.load(ordering: .relaxed) }

    /// The niceness of a thread (`setpriority`): 0 for normal, 19 for the lowest priority.
    private static let niceness: Int32 = 15

    /// - Parameters:
    ///   - count: the number of threads.
    ///   - backlogLimit: the maximum number of waiting jobs.
    init(count: Int, backlogLimit: Int) {
        let queue = JobQueue(limit: backlogLimit)
        self.queue = queue
        self.count = count
        let pace = WorkPace()
        for _ in 0..<count {
            Thread.detachNewThread {
                // On Linux this applies only to the calling thread. If it is not permitted, the work runs at normal priority.
                _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, BackgroundThreads.niceness)
                while let job = queue.next() { pace.work(job) }
            }
        }
    }

    deinit { queue.close(threads: count) }

    /// Runs a job on one of the threads, and waits for it.
    ///
    /// - Returns: nil if too many jobs wait.
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

    /// The number of waiting jobs.
    var backlog: Int { queue.count }

    private final class Slot<R: Sendable>: Sendable {
        let result = Mutex<R?>(nil)
        let isFilled = DispatchSemaphore(value: 0)
    }
}

/// A queue of jobs.
private final class JobQueue: Sendable {
    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let isThere = DispatchSemaphore(value: 0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Returns false if too many jobs wait.
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

    /// Waits for a job; returns nil if the queue is closed and empty.
    func next() -> (@Sendable () -> Void)? {
        isThere.wait()
        return jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func close(threads: Int) {
        for _ in 0..<threads { isThere.signal() }
    }
}
