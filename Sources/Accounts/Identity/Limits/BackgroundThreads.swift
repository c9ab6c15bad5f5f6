internal import Dispatch
internal import Glibc
internal import Synchronization
internal import Work

/// A few low-priority threads for heavy work: password hashes must not slow down permission checks.
final class BackgroundThreads: Sendable {
    private let queue: WorkQueue
    private let pace = LoadThrottle()
    private let taken = Atomic(0)

    /// The number of accepted jobs.
    var takenCount: Int { taken.load(ordering: .relaxed) }

    /// The niceness of a thread (`setpriority`): 0 for normal, 19 for the lowest priority.
    private static let niceness: Int32 = 15

    init(count: Int, backlogLimit: Int) {
        queue = WorkQueue(WorkLimits(running: count, waiting: backlogLimit)) {
            // On Linux this applies only to the calling thread. If it is not permitted, the work runs at normal priority.
            _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, BackgroundThreads.niceness)
        }
    }

    /// Runs a job on one of the threads, and waits for it.
    ///
    /// - Returns: nil if too many jobs wait.
    func run<R: Sendable>(_ work: @escaping @Sendable () -> R) -> R? {
        let slot = Slot<R>()
        let admission = queue.add(WorkOrigin()) { [pace] in
            pace.work {
                let result = work()
                slot.result.withLock { $0 = result }
                slot.isFilled.signal()
            }
        }
        guard admission == .accepted else { return nil }
        taken.wrappingAdd(1, ordering: .relaxed)
        slot.isFilled.wait()
        return slot.result.withLock { $0 }
    }

    /// The number of waiting jobs.
    var backlog: Int { queue.load.waiting }

    private final class Slot<R: Sendable>: Sendable {
        let result = Mutex<R?>(nil)
        let isFilled = DispatchSemaphore(value: 0)
    }
}
