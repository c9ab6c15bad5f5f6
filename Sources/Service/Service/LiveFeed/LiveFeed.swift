internal import Dispatch
internal import Events
internal import HTTPServer
internal import Muniment
internal import Synchronization

/// A feed that a client listens to.
final class LiveFeed: Sendable {
    let stream: HTTPStream
    /// The caller for whom the feed is counted.
    let callerID: String
    /// Whether the caller may still listen.
    let isAllowed: @Sendable () -> Bool
    private let running: DispatchGroup
    private let executor: any TaskExecutor
    private let sent: Counter
    /// Returns the text of a position; nil if it cannot be read.
    private let positionText: @Sendable (FeedCursor) -> String?
    private let state: Mutex<State>

    private struct State {
        /// The last position that was sent to the client.
        var told: FeedCursor
        /// The feed's position in the source of its events.
        var position: FeedPosition?
        var task: Task<Void, Never>?
        var isClosed = false
    }

    init(
        _ stream: HTTPStream, from cursor: FeedCursor, callerID: String, running: DispatchGroup, on executor: any TaskExecutor,
        sent: Counter, positionText: @escaping @Sendable (FeedCursor) -> String?, isAllowed: @escaping @Sendable () -> Bool
    ) {
        self.stream = stream
        self.callerID = callerID
        self.running = running
        self.executor = executor
        self.sent = sent
        self.positionText = positionText
        self.isAllowed = isAllowed
        state = Mutex(State(told: cursor))
    }

    /// Starts the task that sends the events.
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
    ///   - cursor: the client's position after the event.
    /// - Throws: `HTTPStreamClosedError` if the client has closed the connection or may no longer listen.
    func send(_ event: [UInt8], at cursor: FeedCursor) async throws(HTTPStreamClosedError) {
        guard isAllowed() else { throw HTTPStreamClosedError() }
        // Set before the event is sent, so that a later heartbeat cannot set the client back to an earlier position.
        state.withLock { $0.told = cursor }
        try await stream.write(event)
        sent.add()
    }

    /// Sends a heartbeat with the current position, unless the client still has unread events.
    func beat() {
        state.withLock { state in
            if let cursor = state.position?.passed.map({ FeedCursor($0) }), cursor > state.told, let text = positionText(cursor) {
                if stream.offer(ServerSentEvent.silence(at: text)) { state.told = cursor }
            } else {
                _ = stream.offer(ServerSentEvent.heartbeat)
            }
        }
    }

    /// Ends the feed because the client has closed its connection.
    func close() {
        let task = state.withLock { state in
            state.isClosed = true
            defer { state.task = nil }
            return state.task
        }
        task?.cancel()
    }
}
