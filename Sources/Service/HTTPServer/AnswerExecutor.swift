internal import Dispatch

/// Threads for the tasks of an application that responds later.
///
/// Swift's common pool has one thread for each processor. Other code in the process that blocks some of these threads must not
/// delay responses.
public final class AnswerExecutor: TaskExecutor {
    public static let shared = AnswerExecutor()

    private let queue = DispatchQueue(label: "muniment.answers", attributes: .concurrent)

    private init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
