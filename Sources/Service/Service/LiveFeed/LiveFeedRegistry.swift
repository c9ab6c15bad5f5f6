internal import Credentials
internal import Dispatch
internal import Events
internal import Foundation
internal import HTTPServer
internal import Synchronization

/// The open feeds, their limits, and their work of every second.
final class LiveFeedRegistry: Sendable {
    /// Seconds between two heartbeats of a feed.
    static let beatSeconds: UInt64 = 15

    private let limits: LiveFeedLimits
    private let counts: ServiceCounts
    private let state = Mutex(State())
    /// The texts that feeds of replicas share.
    let replicaTexts = ReplicaTexts()
    private let timer: FeedTimer
    /// The tasks that send events.
    private let running = DispatchGroup()
    /// Half of the processors are left to commits and responses. Two threads are better than one on two processors as well: while one
    /// of them sends, the other one reads.
    private let scheduler = FairScheduler(threads: max(2, ProcessInfo.processInfo.activeProcessorCount / 2))

    private struct State {
        var feeds: [UInt64: LiveFeed] = [:]
        var byCaller: [String: (count: Int, executor: any TaskExecutor)] = [:]
        var lastID: UInt64 = 0
        var second: UInt64 = 0
    }

    init(_ limits: LiveFeedLimits, counts: ServiceCounts) {
        self.limits = limits
        self.counts = counts
        timer = FeedTimer()
        timer.start { [weak self] in self?.tick() }
    }

    /// Number of open feeds.
    var count: Int { state.withLock { $0.feeds.count } }

    /// Bytes buffered for clients that have not read them yet.
    var bufferedBytes: Int { state.withLock { $0.feeds.values.map(\.self) }.reduce(0) { $0 + $1.stream.bufferedBytes } }

    /// Opens a feed.
    ///
    /// - Parameters:
    ///   - cursor: the client's position.
    ///   - caller: the caller that listens.
    ///   - client: the client's address; anonymous callers are counted by it.
    ///   - sent: counts the writes of events; nil for the counter of notices.
    ///   - positionText: returns the text of a position.
    ///   - isAllowed: whether the caller may still listen. Called for each event, and every second.
    /// - Throws: ``Problem`` if too many feeds are open.
    func open(
        from cursor: FeedCursor, for caller: Caller, at client: String, sent: Counter? = nil,
        positionText: @escaping @Sendable (FeedCursor) -> String? = { "\($0)" }, isAllowed: @escaping @Sendable () -> Bool
    ) throws(Problem) -> LiveFeed {
        let callerID = Caller.shareKey(caller, from: client)
        let limit = limits.ofCaller(caller)
        let admission = state.withLock { state -> Result<(UInt64, any TaskExecutor), Problem> in
            if state.feeds.count >= limits.inAll {
                return .failure(Problem(.unavailable, "too many feeds are open: try again later", retryAfterSeconds: 5))
            }
            let (count, executor) = state.byCaller[callerID] ?? (0, scheduler.makeExecutor())
            if count >= limit {
                let detail = "the caller has \(limit) feeds open, its limit: close one"
                return .failure(Problem(.tooManyRequests, detail, retryAfterSeconds: 5))
            }
            state.lastID += 1
            state.byCaller[callerID] = (count + 1, executor)
            return .success((state.lastID, executor))
        }
        let (id, executor) = try admission.get()
        let stream = HTTPStream(isEndless: true) { [weak self] in self?.close(id) }
        let feed = LiveFeed(
            stream, from: cursor, callerID: callerID, running: running, on: executor, sent: sent ?? counts.noticesSent,
            positionText: positionText, isAllowed: isAllowed)
        state.withLock { $0.feeds[id] = feed }
        counts.openStreams.add(1)
        return feed
    }

    private func close(_ id: UInt64) {
        let feed = state.withLock { state in
            let feed = state.feeds.removeValue(forKey: id)
            if let callerID = feed?.callerID, let (count, executor) = state.byCaller[callerID] {
                state.byCaller[callerID] = count > 1 ? (count - 1, executor) : nil
            }
            return feed
        }
        guard let feed else { return }
        counts.openStreams.add(-1)
        feed.close()
    }

    /// Ends all feeds, and returns when no task reads for them. No feed may be opened afterwards.
    func end() {
        // The check whether a caller may still listen reads the stores, too.
        timer.stop()
        for feed in state.withLock({ $0.feeds.values.map(\.self) }) {
            feed.stream.finish()
            feed.close()
        }
        running.wait()
    }

    /// Called every second. Ends the feeds whose callers may no longer listen, and sends heartbeats to a part of the other feeds.
    func tick() {
        let (feeds, second) = state.withLock { state in
            state.second += 1
            return (state.feeds, state.second)
        }
        for (id, feed) in feeds {
            if !feed.isAllowed() {
                feed.stream.finish()
            } else if (id + second) % Self.beatSeconds == 0 {
                feed.beat()
            }
        }
    }
}

/// How many feeds may be open at once.
struct LiveFeedLimits: Sendable {
    var inAll = 8_000
    /// For a caller that acts as a user, or for one address of anonymous callers.
    var ofActing = 256
    /// For a caller that queries or administers. It may listen for many users.
    var ofAsking = 4_000

    func ofCaller(_ caller: Caller) -> Int {
        switch caller.right {
        case .ask, .administer: min(ofAsking, inAll)
        case .act(as: _), .observe: min(ofActing, inAll)
        }
    }
}

/// Calls a function every second until it is stopped.
private final class FeedTimer: @unchecked Sendable {
    private let queue = DispatchQueue(label: "muniment.feeds", qos: .utility)
    private let timer: any DispatchSourceTimer

    init() { timer = DispatchSource.makeTimerSource(queue: queue) }

    func start(_ body: @escaping @Sendable () -> Void) {
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        timer.setEventHandler(handler: body)
        timer.activate()
    }

    /// Stops the calls, and returns when no call is running.
    func stop() {
        timer.cancel()
        queue.sync {}
    }

    deinit { timer.cancel() }
}
