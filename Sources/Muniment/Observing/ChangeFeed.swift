internal import Dispatch
internal import Events
internal import Synchronization

/// Where those who observe wait for commits. A commit wakes only those that it may concern; what happened each finds out for
/// itself, from the index.
final class ChangeFeed: Sendable {
    private let state: Mutex<State>
    private let lastID = Atomic<UInt64>(0)
    /// Those that are reading at this moment.
    private let looks = DispatchGroup()

    private struct State {
        /// The last revision that the feed was told of.
        var told: Revision
        /// The last revision up to which it was told of all: writers that write one behind another need not come here in that order.
        var toldThrough: Revision
        /// Spans that it was told of behind that, by their first revision.
        var toldAhead: [Revision: Revision] = [:]
        var isClosed = false
        /// Whether the index follows no more, so that there is nothing to wait for.
        var isStopped = false
        /// Whether somebody looks for the commits of another process.
        var isFollowed = false
        /// Those who wait for what happens to things.
        var waiters = Waiters()
        /// Those who wait for what concerns somebody.
        var subscribers = Waiters()
        /// Those who wait for any commit.
        var followers = Waiters()
        /// Tells whom a commit concerns; nil where that can be anybody.
        var concern: (@Sendable (Commit) -> Set<UInt64>?)?

        mutating func takeAll() -> [Waiters.Continuation] { waiters.takeAll() + subscribers.takeAll() + followers.takeAll() }

        var isAwaited: Bool { !waiters.isEmpty || !subscribers.isEmpty || !followers.isEmpty }

        /// Notes a span that the feed is told of; answers whether it was told of all before.
        mutating func note(_ first: Revision, _ last: Revision) -> Bool {
            told = max(told, last)
            guard first <= toldThrough.next else {
                toldAhead[first] = last
                return false
            }
            toldThrough = max(toldThrough, last)
            while let next = toldAhead.removeValue(forKey: toldThrough.next) { toldThrough = next }
            return true
        }
    }

    /// Sets how it is told whom a commit concerns.
    func tellConcerns(by concern: @escaping @Sendable (Commit) -> Set<UInt64>?) { state.withLock { $0.concern = concern } }

    /// - Parameter head: the newest revision there is.
    init(head: Revision) { state = Mutex(State(told: head, toldThrough: head)) }

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
            return state.takeAll()
        }
        for continuation in woken { continuation.resume(returning: nil) }
        looks.wait()
    }

    // MARK: Waiting

    /// For what a waiter waits.
    enum Awaited {
        /// A commit that touches one of some things.
        case touching(Set<UInt64>)
        /// A commit that concerns one of some subjects.
        case concerning(Set<UInt64>)
        /// Any commit.
        case anything
    }

    /// Waits until the feed is told of a commit behind a revision that a waiter waits for, until it is closed, or until the task is
    /// cancelled. It can return without one.
    ///
    /// - Parameters:
    ///   - revision: the last revision that the waiter has seen.
    ///   - awaited: what it waits for.
    ///   - position: told as which waiter it waits.
    ///   - follow: called where nobody looks for the commits of another process yet.
    /// - Returns: the commit, where the waiter waits for one that concerns somebody and none before it does.
    @discardableResult
    func wait(
        behind revision: Revision, for awaited: Awaited, telling position: FeedPosition? = nil,
        isolation: isolated (any Actor)? = #isolation, follow: @Sendable () -> Void
    ) async -> Commit? {
        let id = lastID.add(1, ordering: .relaxed).newValue
        position?.begin(as: id)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isWaiting, isFirst) = state.withLock { state in
                    // What was told since the waiter looked may concern it.
                    guard !state.isClosed, !state.isStopped, state.told <= revision else { return (false, false) }
                    switch awaited {
                    case .touching(let things): state.waiters.add(id, things, continuation)
                    case .concerning(let subjects): state.subscribers.add(id, subjects, continuation)
                    case .anything: state.followers.add(id, [], continuation)
                    }
                    defer { state.isFollowed = true }
                    return (true, !state.isFollowed)
                }
                if isFirst { follow() }
                // Cancelled before it waited, it was not there to be woken.
                if !isWaiting { continuation.resume(returning: nil) } else if Task.isCancelled { wake(id) }
            }
        } onCancel: {
            wake(id)
        }
    }

    /// Whether somebody waits. Where nobody does, the next one that waits is the first again.
    func isAwaited() -> Bool {
        state.withLock { state in
            state.isFollowed = state.isAwaited && !state.isClosed
            return state.isFollowed
        }
    }

    /// How many wait at this moment.
    var waitingCount: Int { state.withLock { $0.waiters.count + $0.subscribers.count + $0.followers.count } }

    /// The revision up to which nothing concerns somebody who waits for what does; nil where it does not wait.
    func passed(by id: UInt64) -> Revision? {
        // What concerns a waiter takes it out before the feed counts as told of it.
        state.withLock { $0.subscribers.contains(id) ? $0.toldThrough : nil }
    }

    private func wake(_ id: UInt64) {
        state.withLock { $0.waiters.take(id) ?? $0.subscribers.take(id) ?? $0.followers.take(id) }?.resume(returning: nil)
    }

    // MARK: Telling

    /// Wakes those whom commits may concern. They are in the index already.
    func tell(_ commits: [Commit]) {
        guard let first = commits.first, let last = commits.last else { return }
        // Asked before anybody is taken out, since it reads; who comes meanwhile is woken anyway.
        let concern = state.withLock { $0.subscribers.isEmpty ? nil : $0.concern }
        let concerned = concern.map { concern in commits.map { ($0, concern($0)) } }
        var woken: [(Waiters.Continuation, Commit?)] = []
        state.withLock { state in
            let isWhole = state.note(first.revision, last.revision)
            woken = (state.waiters.take(touchedBy: commits) + state.followers.takeAll()).map { ($0, nil) }
            guard let concerned else {
                woken += state.subscribers.takeAll().map { ($0, nil) }
                return
            }
            for (commit, subjects) in concerned where !state.subscribers.isEmpty {
                let taken = subjects.map { state.subscribers.take(waitingFor: $0) } ?? state.subscribers.takeAll()
                woken += taken.map { ($0, isWhole ? commit : nil) }
            }
        }
        for (continuation, commit) in woken { continuation.resume(returning: commit) }
    }

    /// Wakes everybody, where what was told before does not reach up to a head.
    func tell(_ head: Revision) {
        let woken = state.withLock { state in
            guard head > state.told else { return [Waiters.Continuation]() }
            state.told = head
            state.toldThrough = head
            state.toldAhead = state.toldAhead.filter { $0.key > head }
            return state.takeAll()
        }
        for continuation in woken { continuation.resume(returning: nil) }
    }

    /// Wakes everybody and lets nobody wait again, where the index follows no more.
    func stop() {
        state.withLock { $0.isStopped = true }
        wakeAll()
    }

    func wakeAll() {
        for continuation in state.withLock({ $0.takeAll() }) { continuation.resume(returning: nil) }
    }
}
