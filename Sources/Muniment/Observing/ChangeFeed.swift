internal import Dispatch
internal import Events
internal import Synchronization

/// Where those who observe wait for commits. A commit wakes only those that it may concern; what happened each finds out for
/// itself, from the index.
final class ChangeFeed: Sendable {
    private let state = Mutex(State())
    private let lastID = Atomic<UInt64>(0)
    /// Those that are reading at this moment.
    private let looks = DispatchGroup()

    private struct State {
        /// The last revision that the feed was told of.
        var told = Revision.genesis
        var isClosed = false
        /// Whether the index follows no more, so that there is nothing to wait for.
        var isStopped = false
        /// Whether somebody looks for the commits of another process.
        var isFollowed = false
        var waiters = Waiters()
    }

    // MARK: Reading

    /// Reads, unless the store was closed; then the answer is nil. Closing waits for it.
    func looking<R>(_ body: () throws -> R) rethrows -> R? {
        let isOpen = state.withLock { state in
            if !state.isClosed { looks.enter() }
            return !state.isClosed
        }
        guard isOpen else { return nil }
        defer { looks.leave() }
        return try body()
    }

    /// Ends every wait and returns when nobody reads any more.
    func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            return state.waiters.takeAll()
        }
        for continuation in woken { continuation.resume() }
        looks.wait()
    }

    // MARK: Waiting

    /// Waits until the feed is told of a commit behind a revision that touches one of some things, until it is closed, or until
    /// the task is cancelled.
    ///
    /// - Parameter follow: called where nobody looks for the commits of another process yet.
    func wait(
        behind revision: Revision, touching things: Set<UInt64>, isolation: isolated (any Actor)? = #isolation,
        follow: @Sendable () -> Void
    ) async {
        let id = lastID.add(1, ordering: .relaxed).newValue
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isWaiting, isFirst) = state.withLock { state in
                    // What was told since the waiter looked may concern it.
                    guard !state.isClosed, !state.isStopped, state.told <= revision else { return (false, false) }
                    state.waiters.add(id, things, continuation)
                    defer { state.isFollowed = true }
                    return (true, !state.isFollowed)
                }
                if isFirst { follow() }
                // Cancelled before it waited, it was not there to be woken.
                if !isWaiting { continuation.resume() } else if Task.isCancelled { wake(id) }
            }
        } onCancel: {
            wake(id)
        }
    }

    /// Whether somebody waits. Where nobody does, the next one that waits is the first again.
    func isAwaited() -> Bool {
        state.withLock { state in
            state.isFollowed = !state.waiters.isEmpty && !state.isClosed
            return state.isFollowed
        }
    }

    /// How many wait at this moment.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    private func wake(_ id: UInt64) {
        state.withLock { $0.waiters.take(id) }?.resume()
    }

    // MARK: Telling

    /// Wakes those whom commits may concern. They are in the index already.
    func tell(_ commits: [Commit]) {
        guard let last = commits.last else { return }
        let woken = state.withLock { state in
            state.told = max(state.told, last.revision)
            return state.waiters.take(touchedBy: commits)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Wakes everybody, where what was told before does not reach up to a head.
    func tell(_ head: Revision) {
        let woken = state.withLock { state in
            guard head > state.told else { return [Waiters.Continuation]() }
            state.told = head
            return state.waiters.takeAll()
        }
        for continuation in woken { continuation.resume() }
    }

    /// Wakes everybody and lets nobody wait again, where the index follows no more.
    func stop() {
        state.withLock { $0.isStopped = true }
        wakeAll()
    }

    func wakeAll() {
        for continuation in state.withLock({ $0.waiters.takeAll() }) { continuation.resume() }
    }
}
