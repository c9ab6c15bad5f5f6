internal import Dispatch

/// Threads for the tasks in which an application answers later.
///
/// Swift's common pool has a thread for each processor. Whatever blocks some of these, in the same process or by mistake, must not
/// hold up what is being answered.
public final class AnswerExecutor: TaskExecutor {
    public static let shared = AnswerExecutor()

    private let queue = DispatchQueue(label: "muniment.answers", attributes: .concurrent)

    private init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
