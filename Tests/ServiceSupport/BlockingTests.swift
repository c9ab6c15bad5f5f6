import Foundation
package import Service

/// Runs what blocks, such as a client that reads from a socket, beside the threads that tasks share: the service needs those.
package func blocking<R>(_ body: () async throws -> R) async rethrows -> R {
    try await withTaskExecutorPreference(BlockingExecutor(), operation: body)
}

/// Runs the pieces of tasks on threads of its own.
private final class BlockingExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs a test with a service, and with clients that block.
package func withListeners(
    _ change: (inout ServiceSettings) -> Void = { _ in }, _ body: (ServiceFixture) async throws -> Void
) async throws {
    try await blocking { try await withService(change, body) }
}
