internal import Dispatch
internal import Events
internal import HTTPServer
internal import Muniment
internal import Synchronization

/// One feed that a client listens to.
final class LiveFeed: Sendable {
    let stream: HTTPStream
    /// Whom it counts against.
    let callerID: String
    /// Whether the caller may still listen.
    let isAllowed: @Sendable () -> Bool
    private let running: DispatchGroup
    private let executor: any TaskExecutor
    private let sent: Counter
    private let state: Mutex<State>

    private struct State {
        /// How far the client is told that it has come.
        var told: FeedCursor
        /// Where the feed is that the events come from.
        var position: FeedPosition?
        var task: Task<Void, Never>?
        var isClosed = false
    }

    init(
        _ stream: HTTPStream, from cursor: FeedCursor, callerID: String, running: DispatchGroup, on executor: any TaskExecutor,
        sent: Counter, isAllowed: @escaping @Sendable () -> Bool
    ) {
        self.stream = stream
        self.callerID = callerID
        self.running = running
        self.executor = executor
        self.sent = sent
        self.isAllowed = isAllowed
        state = Mutex(State(told: cursor))
    }

    /// Starts what brings the events.
    func run(following position: FeedPosition?, _ body: @escaping @Sendable (LiveFeed) async -> Void) {
        running.enter()
        // Detached, because the deadline of the request that opens the feed must not interrupt the reads of the feed.
        let task = Task.detached(executorPreference: executor) { [self] in
            await body(self)
            stream.finish()
            running.leave()
        }
        let isClosed = state.withLock { state in
            state.position = position
            if !state.isClosed { state.task = task }
            return state.isClosed
        }
        if isClosed { task.cancel() }
    }

    /// Sends an event. Waits while the client is slow.
    ///
    /// - Parameters:
    ///   - event: its bytes, made by ``ServerSentEvent/event(_:at:)``.
    ///   - cursor: how far the client has come with it.
    /// - Throws: `HTTPStreamClosed` where the client is gone, or may not listen any more.
    func send(_ event: [UInt8], at cursor: FeedCursor) async throws(HTTPStreamClosed) {
        guard isAllowed() else { throw HTTPStreamClosed() }
        // Before the event is there, so that no sign of life behind it brings the client back to before it.
        state.withLock { $0.told = cursor }
        try await stream.write(event)
        sent.add()
    }

    /// Gives a sign of life, and says how far nothing happened, unless the client has enough to read.
    func beat() {
        state.withLock { state in
            if let revision = state.position?.passed, FeedCursor(revision) > state.told {
                let cursor = FeedCursor(revision)
                if stream.offer(ServerSentEvent.silence(at: cursor)) { state.told = cursor }
            } else {
                _ = stream.offer(ServerSentEvent.heartbeat)
            }
        }
    }

    /// The client is gone.
    func close() {
        let task = state.withLock { state in
            state.isClosed = true
            defer { state.task = nil }
            return state.task
        }
        task?.cancel()
    }
}
