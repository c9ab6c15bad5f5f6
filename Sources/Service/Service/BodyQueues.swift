/// Queues for requests with large bodies. Handling a request needs up to 20 times the memory of its body.
struct BodyQueues: Sendable {
    /// The largest body that needs no queue, in bytes.
    private static let smallBytes = 64 << 10
    private static let mediumBytes = 512 << 10

    private let medium = WorkQueue(WorkLimits(running: 8, waiting: 1_024, runningOfCaller: 4, waitingOfCaller: 512))
    private let large = WorkQueue(WorkLimits(running: 2, waiting: 256, runningOfCaller: 1, waitingOfCaller: 64))

    var all: [WorkQueue] { [medium, large] }

    /// Returns the queue for a request.
    ///
    /// - Parameter bytes: the length of its body.
    /// - Returns: nil if the body is small.
    func queue(forBodyOf bytes: Int) -> WorkQueue? {
        if bytes <= Self.smallBytes { return nil }
        return bytes <= Self.mediumBytes ? medium : large
    }
}
