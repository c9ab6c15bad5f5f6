import Events
import Permissions
import TestSupport

@testable import MunimentReplica

/// A transport to a simulated service in the same process.
actor LoopbackTransport: ReplicaTransport {
    private let service: SimulatedService
    private var isReachable = true

    init(path: String) throws { service = try SimulatedService(path: path) }

    func commit(_ changes: [Change]) throws { try service.commit(changes) }
    func close() throws { try service.close() }

    /// Whether connections succeed. Open streams end when they do not.
    func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

    func receive(
        _ request: ReplicaStreamRequest, _ receive: @escaping @Sendable (ReplicaStreamPart) async throws -> Void
    ) async -> ReplicaStreamEnd {
        var stream = SimulatedStream(of: request.user, after: request.after, containing: request.containing)
        do {
            while isReachable, !Task.isCancelled {
                if let part = try stream.next(service) {
                    try await receive(part)
                } else {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
        } catch { return .lost(retryAfterSeconds: nil) }
        return .lost(retryAfterSeconds: nil)
    }

    func send(_ changes: [ReplicaChange], key: String, as user: Name) -> ReplicaSendOutcome {
        guard isReachable else { return .unknown(retryAfterSeconds: nil) }
        return (try? service.send(changes, key: key, as: user)) ?? .unknown(retryAfterSeconds: nil)
    }
}
