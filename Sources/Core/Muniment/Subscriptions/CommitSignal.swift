internal import Dispatch
internal import Events
internal import Synchronization

/// Wakes waiting observers after commits. A commit wakes only the observers that it may affect; each of them then reads its
/// changes from the index.
final class CommitSignal: Sendable {
    private let state: Mutex<State>
    private let lastID = Atomic<UInt64>(0)
    private let looks = DispatchGroup()

    private struct State {
        /// The last revision that was announced.
        var told: Revision
        /// The last revision without a gap before it: consecutive writers may announce out of order.
        var toldThrough: Revision
        /// Announced spans after a gap, by their first revision.
        var toldAhead: [Revision: Revision] = [:]
        var isClosed = false
        /// Whether the index has stopped following the log, so that waiting is useless.
        var isStopped = false
        /// Whether a follower is checking for commits of another process.
        var isFollowed = false
        var waiters: [Awaited: Waiters] = [:]
        /// Returns the subscribers that a commit may affect; nil if it may affect all.
        var affectedSubscribers: AffectedSubscribersSearch?

        mutating func takeAll() -> [Waiters.Continuation] {
            Awaited.allCases.flatMap { waiters[$0]?.takeAll() ?? [] }
        }

        var waitingCount: Int { waiters.values.reduce(0) { $0 + $1.count } }

        func has(_ awaited: Awaited) -> Bool { waiters[awaited]?.isEmpty == false }

        /// Records an announced span; returns whether all earlier commits were announced.
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

    /// Returns the subscribers that a commit may affect, for subscribers who receive values or only notices.
    typealias AffectedSubscribersSearch = @Sendable (_ commit: Commit, _ readsValues: Bool) -> Set<UInt64>?

    func findAffectedSubscribers(by find: @escaping AffectedSubscribersSearch) {
        state.withLock { $0.affectedSubscribers = find }
    }

    /// - Parameter head: the newest revision.
    init(head: Revision) { state = Mutex(State(told: head, toldThrough: head)) }

    // MARK: Reading

    /// Calls `body`, or returns nil if the store was closed. Closing waits for `body`.
    func looking<R>(_ body: () throws -> R) rethrows -> R? {
        let isOpen = state.withLock { state in
            if !state.isClosed { looks.enter() }
            return !state.isClosed
        }
        guard isOpen else { return nil }
        defer { looks.leave() }
        return try body()
    }

    /// Ends every wait and returns after the last active reader has finished.
    func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            return state.takeAll()
        }
        for continuation in woken { continuation.resume(returning: Wakening()) }
        looks.wait()
    }

    // MARK: Waiting

    enum Awaited: CaseIterable {
        /// A commit that touches one of some entities.
        case touching
        /// A commit that may affect one of some subjects.
        case affecting
        /// A commit that may affect the read access of one of some subjects.
        case affectingValues
        /// Any commit.
        case anything
    }

    /// Waits for an announced commit after a revision that satisfies a condition, until the feed is closed or the task is
    /// cancelled. It can also return without such a commit.
    ///
    /// - Parameters:
    ///   - revision: the last revision that the waiter has processed.
    ///   - awaited: the condition.
    ///   - keys: the numbers of the entities or subjects.
    ///   - position: receives the id of the waiter.
    ///   - follow: called if no follower checks for commits of another process yet.
    /// - Returns: the commit and what is before it, if the waiter waits for one that affects a subscriber.
    @discardableResult
    func wait(
        after revision: Revision, for awaited: Awaited, _ keys: Set<UInt64> = [], telling position: FeedPosition? = nil,
        isolation: isolated (any Actor)? = #isolation, follow: @Sendable () -> Void
    ) async -> Wakening {
        let id = lastID.add(1, ordering: .relaxed).newValue
        position?.begin(as: id)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isWaiting, isFirst) = state.withLock { state in
                    // A commit announced since the waiter's last read may affect it.
                    guard !state.isClosed, !state.isStopped, state.told <= revision else { return (false, false) }
                    state.waiters[awaited, default: Waiters()].add(id, keys, continuation)
                    defer { state.isFollowed = true }
                    return (true, !state.isFollowed)
                }
                if isFirst { follow() }
                // A task that was cancelled before it waited was not registered, so it must be resumed here.
                if !isWaiting { continuation.resume(returning: Wakening()) } else if Task.isCancelled { wake(id) }
            }
        } onCancel: {
            wake(id)
        }
    }

    /// Whether a waiter exists. If not, the next waiter starts a follower again.
    func isAwaited() -> Bool {
        state.withLock { state in
            state.isFollowed = state.waitingCount > 0 && !state.isClosed
            return state.isFollowed
        }
    }

    var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// Whether further commits can be announced: the store is open, and its index follows the log.
    var isTelling: Bool { state.withLock { !$0.isClosed && !$0.isStopped } }

    /// Returns the last announced revision for a waiting subscriber or observer. No commit up to it affects the waiter. Nil if it is
    /// not waiting.
    func passed(by id: UInt64) -> Revision? {
        // A waiter is removed before a commit that affects it counts as announced.
        state.withLock { state in
            let isWaiting = [.affecting, .affectingValues, .touching].contains { state.waiters[$0]?.contains(id) == true }
            return isWaiting ? state.toldThrough : nil
        }
    }

    private func wake(_ id: UInt64) {
        for awaited in Awaited.allCases {
            state.withLock { $0.waiters[awaited]?.take(id) }?.resume(returning: Wakening())
        }
    }

    // MARK: Telling

    /// Wakes the waiters that commits may affect. The commits must already be in the index.
    func tell(_ commits: [Commit]) {
        guard let first = commits.first, let last = commits.last else { return }
        // Computed before a waiter is removed, since it reads; waiters that arrive in the meantime are woken in any case.
        let (find, hasSubscribers, hasReplicas) = state.withLock {
            ($0.affectedSubscribers, $0.has(.affecting), $0.has(.affectingValues))
        }
        let affected = hasSubscribers ? find.map { find in commits.map { find($0, false) } } : nil
        let affectedReplicas = hasReplicas ? find.map { find in commits.map { find($0, true) } } : nil
        var woken: [(Waiters.Continuation, Wakening)] = []
        state.withLock { state in
            let passed = state.toldThrough
            let isWhole = state.note(first.revision, last.revision)
            let touched = state.waiters[.touching]?.take(touchedBy: commits) ?? []
            woken = (touched + (state.waiters[.anything]?.takeAll() ?? [])).map { ($0, Wakening()) }
            let commits = commits.map { isWhole ? $0 : nil }
            woken += Self.take(&state.waiters[.affecting, default: Waiters()], affectedBy: commits, affected, passed: passed)
            woken += Self.take(
                &state.waiters[.affectingValues, default: Waiters()], affectedBy: commits, affectedReplicas, passed: passed)
        }
        for (continuation, wakening) in woken { continuation.resume(returning: wakening) }
    }

    /// Removes the waiters that commits may affect, each with the first such commit if all earlier commits were announced.
    private static func take(
        _ waiters: inout Waiters, affectedBy commits: [Commit?], _ affected: [Set<UInt64>?]?, passed: Revision
    ) -> [(Waiters.Continuation, Wakening)] {
        guard let affected else { return waiters.takeAll().map { ($0, Wakening(passed: passed)) } }
        return zip(commits, affected).flatMap { commit, subjects in
            let taken = waiters.isEmpty ? [] : subjects.map { waiters.take(waitingFor: $0) } ?? waiters.takeAll()
            return taken.map { ($0, Wakening(commit: commit, passed: passed)) }
        }
    }

    /// Wakes all waiters if announcements have not reached a head.
    func tell(_ head: Revision) {
        let woken = state.withLock { state in
            guard head > state.told else { return [Waiters.Continuation]() }
            state.told = head
            state.toldThrough = head
            state.toldAhead = state.toldAhead.filter { $0.key > head }
            return state.takeAll()
        }
        for continuation in woken { continuation.resume(returning: Wakening()) }
    }

    /// Wakes all waiters and refuses new ones, after the index has stopped following the log.
    func stop() {
        state.withLock { $0.isStopped = true }
        wakeAll()
    }

    func wakeAll() {
        for continuation in state.withLock({ $0.takeAll() }) { continuation.resume(returning: Wakening()) }
    }
}
