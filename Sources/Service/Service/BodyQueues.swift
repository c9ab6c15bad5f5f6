/// Queues for requests with large bodies: what is made of a body takes up to 20 times its bytes until the request is answered.
struct BodyQueues: Sendable {
    /// Bytes up to which a body needs no queue.
    private static let smallBytes = 64 << 10
    private static let mediumBytes = 512 << 10

    private let medium = WorkQueue(WorkLimits(running: 8, waiting: 1_024, runningOfCaller: 4, waitingOfCaller: 512))
    private let large = WorkQueue(WorkLimits(running: 2, waiting: 256, runningOfCaller: 1, waitingOfCaller: 64))

    var all: [WorkQueue] { [medium, large] }

    /// The queue in which a request waits for its turn.
    ///
    /// - Parameter bytes: the length of its body.
    /// - Returns: nil if the body is small.
    func queue(forBodyOf bytes: Int) -> WorkQueue? {
        if bytes <= Self.smallBytes { return nil }
        return bytes <= Self.mediumBytes ? medium : large
    }
}
