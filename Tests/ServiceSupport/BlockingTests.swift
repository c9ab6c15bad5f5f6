import Foundation
package import Service

/// Runs blocking work, such as a client that reads from a socket, on separate threads. The service needs the threads that tasks
/// share.
package func blocking<R>(_ body: () async throws -> R) async rethrows -> R {
    try await withTaskExecutorPreference(BlockingExecutor(), operation: body)
}

/// Runs task jobs on its own threads.
private final class BlockingExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs a test with a service and with blocking clients.
package func withListeners(
    _ change: (inout ServiceSettings) -> Void = { _ in }, _ body: (ServiceFixture) async throws -> Void
) async throws {
    try await blocking { try await withService(change, body) }
}
