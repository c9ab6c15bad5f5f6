internal import Synchronization

/// The running tasks of a replica: its stream, its request and its timers.
final class ReplicaTasks: Sendable {
    enum Key: Hashable, Sendable {
        case stream(UInt64)
        case request(UInt64)
        case timer(ReplicaTimer)
    }

    private let tasks = Mutex<[Key: Task<Void, Never>]>([:])

    /// Runs a task, and forgets it when it ends.
    func run(_ key: Key, _ body: @escaping @Sendable () async -> Void) {
        tasks.withLock { tasks in
            tasks[key] = Task { [weak self] in
                await body()
                self?.tasks.withLock { $0[key] = nil }
            }
        }
    }

    func cancel(_ key: Key) { tasks.withLock { $0[key] }?.cancel() }

    func cancelAll() { for task in tasks.withLock({ Array($0.values) }) { task.cancel() } }
}
