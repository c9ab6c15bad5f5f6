internal import Dispatch
internal import Synchronization

/// Threads for background tasks of an application's callers. Callers take turns.
///
/// Responses and other tasks run on other threads, so they do not wait for these tasks.
public final class FairScheduler: Sendable {
    /// Serial queues, because the system gives each one a thread. All concurrent queues of a process share one per processor.
    private let queues: [DispatchQueue]
    private let turns = Atomic(0)

    /// - Parameter threads: the maximum number of tasks that run at a time, at least 1.
    public init(threads: Int) {
        queues = (0..<threads).map { DispatchQueue(label: "muniment.turns.\($0)") }
    }

    /// Returns an executor for the tasks of one caller. Only one of these tasks runs at a time, until it waits or yields. Then
    /// other callers have a turn.
    public func makeExecutor() -> any TaskExecutor { TurnExecutor(self) }

    /// Runs a part of a caller's work after the parts that already wait.
    fileprivate func add(_ work: @escaping @Sendable () -> Void) {
        queues[turns.wrappingAdd(1, ordering: .relaxed).oldValue % queues.count].async(execute: work)
    }
}

private final class TurnExecutor: TaskExecutor {
    private let scheduler: FairScheduler
    /// The jobs in their order. The first one is running, or waits for the caller's next turn.
    private let jobs = Mutex<[UnownedJob]>([])

    init(_ scheduler: FairScheduler) { self.scheduler = scheduler }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isOnly = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if isOnly { requestTurn() }
    }

    private func requestTurn() {
        scheduler.add { [self] in
            guard let job = jobs.withLock({ $0.first }) else { return }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            let hasMore = jobs.withLock { jobs in
                jobs.removeFirst()
                return !jobs.isEmpty
            }
            if hasMore { requestTurn() }
        }
    }
}

/// Threads for the tasks of an application that responds later.
///
/// Swift's common pool has one thread for each processor. Other code in the process that blocks some of these threads must not
/// delay responses.
public final class ApplicationThreads: TaskExecutor {
    public static let shared = ApplicationThreads()

    private let queue = DispatchQueue(label: "muniment.answers", attributes: .concurrent)

    private init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
