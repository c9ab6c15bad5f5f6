internal import Credentials
internal import Dispatch
internal import Events
internal import Foundation
internal import HTTPServer
internal import Synchronization

/// The feeds that are open: how many there may be, and what is done for all of them every second.
final class LiveFeeds: Sendable {
    /// Seconds between two signs of life of a feed.
    static let beatSeconds: UInt64 = 15

    private let limits: LiveFeedLimits
    private let counts: ServiceCounts
    private let state = Mutex(State())
    private let timer: FeedTimer
    /// What brings events.
    private let running = DispatchGroup()
    /// Half of the processors are left to commits and responses.
    private let scheduler = FairScheduler(threads: max(1, ProcessInfo.processInfo.activeProcessorCount / 2))

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

    /// How many feeds are open.
    var count: Int { state.withLock { $0.feeds.count } }

    /// Bytes that are kept for clients which have not read them yet.
    var bufferedBytes: Int { state.withLock { $0.feeds.values.map(\.self) }.reduce(0) { $0 + $1.stream.bufferedBytes } }

    /// Opens a feed.
    ///
    /// - Parameters:
    ///   - cursor: how far the client has come.
    ///   - caller: who listens.
    ///   - client: the address that it listens from; anonymous callers are counted by it.
    ///   - isAllowed: whether it may still listen; asked at each event, and every second.
    /// - Throws: ``Problem`` where too many are open.
    func open(
        from cursor: FeedCursor, for caller: Caller, at client: String, isAllowed: @escaping @Sendable () -> Bool
    ) throws(Problem) -> LiveFeed {
        let callerID = Caller.shareKey(caller, from: client)
        let limit = limits.ofCaller(caller)
        let admission = state.withLock { state -> Result<(UInt64, any TaskExecutor), Problem> in
            if state.feeds.count >= limits.inAll { return .failure(Problem.tooManyFeeds) }
            let (count, executor) = state.byCaller[callerID] ?? (0, scheduler.makeExecutor())
            if count >= limit { return .failure(Problem.tooManyFeeds(limit)) }
            state.lastID += 1
            state.byCaller[callerID] = (count + 1, executor)
            return .success((state.lastID, executor))
        }
        let (id, executor) = try admission.get()
        let stream = HTTPStream(isEndless: true) { [weak self] in self?.close(id) }
        let feed = LiveFeed(
            stream, from: cursor, callerID: callerID, running: running, on: executor, sent: counts.noticesSent,
            isAllowed: isAllowed)
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

    /// Ends all feeds, and returns when nothing reads for them any more. None may be opened any more.
    func end() {
        // Whether somebody may still listen is read from the stores, too.
        timer.stop()
        for feed in state.withLock({ $0.feeds.values.map(\.self) }) {
            feed.stream.finish()
            feed.close()
        }
        running.wait()
    }

    /// A second has passed: ends the feeds of those who may not listen any more, and gives signs of life to a part of the others.
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
    /// Of one caller that acts as a user, or of one address of anonymous callers.
    var ofActing = 256
    /// Of one caller that queries or administers: it may listen for many users.
    var ofAsking = 4_000

    func ofCaller(_ caller: Caller) -> Int {
        switch caller.right {
        case .ask, .administer: min(ofAsking, inAll)
        case .act(as: _): min(ofActing, inAll)
        }
    }
}

/// Calls something every second, until it is let go.
private final class FeedTimer: @unchecked Sendable {
    private let queue = DispatchQueue(label: "muniment.feeds", qos: .utility)
    private let timer: any DispatchSourceTimer

    init() { timer = DispatchSource.makeTimerSource(queue: queue) }

    func start(_ body: @escaping @Sendable () -> Void) {
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        timer.setEventHandler(handler: body)
        timer.activate()
    }

    /// Calls no more, and returns when no call goes on.
    func stop() {
        timer.cancel()
        queue.sync {}
    }

    deinit { timer.cancel() }
}

extension Problem {
    fileprivate static var tooManyFeeds: Problem {
        Problem(
            .unavailable, "too many feeds are open: try again later",
            headers: [HTTPHeader("Retry-After", "5")])
    }

    fileprivate static func tooManyFeeds(_ limit: Int) -> Problem {
        Problem(
            .tooManyRequests, "the caller has \(limit) feeds open, its limit: close one",
            headers: [HTTPHeader("Retry-After", "5")])
    }
}
