internal import Dispatch
internal import EventLog
internal import Events
internal import Files
internal import Permissions
internal import Projections
internal import Synchronization

/// The writer of a store. It runs transactions of concurrent callers one after another and writes them to the disk together: many
/// commits, one sync. Each commit is acknowledged only after it is durable.
///
/// A group of transactions is decided and folded in memory during its turn. Then it is written to the disk: first the log, then the
/// index. While one group is being written, the next can have its turn. A caller that arrives while no group has a leader leads the
/// next group, which contains all waiting transactions.
final class Writer: @unchecked Sendable {
    let log: EventLog
    let index: Index
    /// Guarded by the turn.
    var workingSet: WorkingSet
    /// The log that several nodes share, of which `log` is a copy; nil for a store on one machine.
    let shared: SharedWriting?
    let clock: @Sendable () -> Instant
    let clockGuard: ClockGuard?
    /// Steps that a transaction may take if its caller does not administer the store. A group ends when its transactions have taken
    /// this many steps.
    private let workLimit: Int
    /// Records expiries when they are due. Nil if expiries are recorded with commits only.
    private(set) var ends: ExpiryTimer?
    private let waiting = Mutex(Waiting())
    /// Held while transactions are decided; guards the working set. The holder takes `disk` before releasing it, so that groups are
    /// written in the order of their turns.
    let turn = DispatchSemaphore(value: 1)
    /// Held while commits are written to the log and rows to the index.
    let disk = DispatchSemaphore(value: 1)
    /// The queues of leaders, which take them in turn: one group is written, one is decided, and one is gathered. A serial queue has a
    /// thread of its own. The threads of a concurrent queue also run the tasks that send transactions: two leaders that wait would
    /// leave these tasks no thread, and groups would stay small.
    private let queues = (0..<3).map { DispatchQueue(label: "muniment.writer.\($0)") }
    /// The number of leaders that have been sent to ``queues``.
    private let leaders = Atomic(0)
    let activity = WriteActivity()
    /// Why the index could not be updated from the log; nil if it is up to date.
    let indexFailure = Mutex<String?>(nil)

    private struct Waiting {
        var requests: [Request] = []
        /// Whether a leader is about to take a turn with all waiting transactions.
        var isLed = false
    }

    /// The largest number of commits that are written together.
    private static let groupLimit = 4096
    /// The number of times a leader checks for returning callers.
    private static let looks = 256
    /// The sizes of the last two groups; guarded by the turn.
    private var lastCounts = (1, 1)
    /// Events of an import that are written to the log together.
    static let eventsPerBatch = 100_000

    /// Commits of an import that are folded but not in the log yet.
    var unwritten: [Commit] = []
    var unwrittenEvents = 0
    /// Whether an import, which sets its own times, is active; guarded by the turn.
    var isImporting = false
    /// The number of the next refusal; guarded by the turn.
    var nextRefusal: RefusalNumber
    private let path: String
    /// Called before the writer decides anything that may be written to the log.
    private let willWrite: @Sendable () throws -> Void
    /// Receives commits after they are in the index.
    let feed: CommitSignal
    /// Whether the log contains commits that the index lacks; guarded by `disk`.
    private var isIndexOwed = false

    private final class Request: @unchecked Sendable {
        let transaction: Transaction
        let completion: @Sendable (Result<Receipt, any Error>) -> Void

        init(_ transaction: Transaction, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void) {
            self.transaction = transaction
            self.completion = completion
        }
    }

    init(
        path: String, log: EventLog, index: Index, workingSet: WorkingSet, clock: @escaping @Sendable () -> Instant,
        clockGuard: ClockGuard?, workLimit: Int, expiryRecording: ExpiryRecording, feed: CommitSignal, shared: SharedWriting?,
        willWrite: @escaping @Sendable () throws -> Void
    ) {
        self.path = path
        self.log = log
        self.index = index
        self.workingSet = workingSet
        self.clock = clock
        self.clockGuard = clockGuard
        self.workLimit = workLimit
        self.feed = feed
        self.shared = shared
        self.willWrite = willWrite
        nextRefusal = log.lastRefusal?.number.next ?? .first
        if expiryRecording == .byItself {
            ends = ExpiryTimer(clock: clock) { [weak self] in self?.recordEnds() ?? false }
            // If the index cannot return the first expiry, the first check finds it.
            _ = try? workingSet.nextExpiries(by: .distantPast)
        }
        workingSet.endTurn()
    }

    /// Tells the timer of expiries about the next one. Called before anything is written, and then while holding the turn.
    func watchEnds() { ends?.expect(workingSet.earliestExpiry) }

    /// Why reads of the current state are unreliable; nil if they are reliable.
    var failure: String? { indexFailure.withLock { $0 } }

    // MARK: Transactions

    /// Commits a transaction on this thread, or waits while another thread commits it with its own.
    func commit(_ transaction: Transaction) throws -> Receipt {
        let outcome = Outcome()
        if enqueue(Request(transaction) { outcome.set($0) }) { commitGroup() }
        return try outcome.wait().get()
    }

    /// Commits a transaction together with the waiting ones. Does not block the calling thread.
    func commit(_ transaction: Transaction, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void) {
        if enqueue(Request(transaction, completion: completion)) { sendLeader() }
    }

    var waitingCount: Int { waiting.withLock { $0.requests.count } }

    /// Adds a request to the queue. Returns whether the caller must lead a group, which then contains the request.
    private func enqueue(_ request: Request) -> Bool {
        waiting.withLock { waiting in
            waiting.requests.append(request)
            defer { waiting.isLed = true }
            return !waiting.isLed
        }
    }

    private func sendLeader() {
        let number = leaders.wrappingAdd(1, ordering: .relaxed).newValue
        queues[number % queues.count].async { self.commitGroup() }
    }

    private func commitGroup() {
        turn.wait()
        gather()
        // Later requests belong to the next leader.
        let candidates = waiting.withLock { waiting in
            waiting.requests = Self.inTurns(waiting.requests)
            let group = Array(waiting.requests.prefix(Self.groupLimit))
            waiting.requests.removeFirst(group.count)
            waiting.isLed = false
            return group
        }
        let (results, announce) = shared.map { share(candidates, $0) } ?? write(candidates)
        for (request, result) in zip(candidates, results) { request.completion(result) }
        // After the acknowledgement, because it takes longer if more observers wait.
        announce()
    }

    /// Decides the first of some requests and writes what was decided. Called while holding the turn, and releases it.
    private func write(_ candidates: [Request]) -> ([Result<Receipt, any Error>], Announcement) {
        var (commits, refused): ([Commit], [RecordedRefusal]) = ([], [])
        let results = decide(candidates, &commits, &refused)
        keepWaiting(candidates.dropFirst(results.count), afterGroupOf: results.count)
        do {
            let announce = try endTurn(writing: commits, refused)
            return (hashed(results), announce)
        } catch {
            // Nothing of the group is acknowledged: a decision may depend on the writes of another transaction.
            return (results.map { _ in .failure(error) }, {})
        }
    }

    /// Decides the first of some requests and appends what was decided to the shared log. Called while holding the turn, and releases
    /// it.
    private func share(
        _ candidates: [Request], _ shared: SharedWriting
    ) -> ([Result<Receipt, any Error>], Announcement) {
        defer { turn.signal() }
        do {
            let (results, announce) = try append(to: shared) { decide(candidates, &$0, &$1) }
            keepWaiting(candidates.dropFirst(results.count), afterGroupOf: results.count)
            return (hashed(results), announce)
        } catch {
            return (candidates.map { _ in .failure(error) }, {})
        }
    }

    /// Puts requests that were not decided back to the front, and lets another thread lead them. Called while holding the turn.
    private func keepWaiting(_ requests: ArraySlice<Request>, afterGroupOf count: Int) {
        let mustLeadMore = waiting.withLock { waiting in
            waiting.requests.insert(contentsOf: requests, at: 0)
            guard !waiting.isLed, !waiting.requests.isEmpty else { return false }
            waiting.isLed = true
            return true
        }
        if mustLeadMore { sendLeader() }
        lastCounts = (lastCounts.1, count)
    }

    /// Returns the requests in a fair order: the first of each caller, then the second of each, and so on. The requests of one
    /// caller keep their order.
    private static func inTurns(_ requests: [Request]) -> [Request] {
        guard let first = requests.first, requests.contains(where: { $0.transaction.caller != first.transaction.caller }) else {
            return requests
        }
        var counts: [Name: Int] = [:]
        var rounds: [[Request]] = []
        for request in requests {
            let round = counts[request.transaction.caller, default: 0]
            counts[request.transaction.caller] = round + 1
            if round == rounds.count { rounds.append([]) }
            rounds[round].append(request)
        }
        return Array(rounds.joined())
    }

    /// Waits briefly for the callers of the group before the last, which were just answered or will be soon: a group costs one sync
    /// whatever its size. It does not wait for all of them, so that two groups alternate: one is decided while the other is
    /// written. A single caller never waits.
    private func gather() {
        let expected = min((lastCounts.0 + lastCounts.1) / 3, Self.groupLimit)
        for _ in 0..<Self.looks where waiting.withLock({ $0.requests.count }) < expected { yieldThread() }
    }

    /// Returns the results of the first requests of a group. When these have taken the work limit of one transaction, the others
    /// wait for the next group. So a caller waits for little more than two transactions of others.
    private func decide(
        _ group: [Request], _ commits: inout [Commit], _ refused: inout [RecordedRefusal]
    ) -> [Result<Receipt, any Error>] {
        do { try beginTurn() } catch { return group.map { _ in .failure(error) } }
        var committer = Committer(workingSet: workingSet, clock: clock, clockGuard: clockGuard, workLimit: workLimit)
        var results: [Result<Receipt, any Error>] = []
        let before = workingSet.work.total
        for request in group {
            if !results.isEmpty, workingSet.work.total - before >= workLimit { break }
            if let reason = log.failure {
                results.append(.failure(LogError.stopped(reason)))
                continue
            }
            let (result, refusal) = committer.outcome(of: request.transaction, appendingTo: &commits)
            // At once: the rest of the group may repeat the request.
            if let refusal { refused.append(record(refusal)) }
            results.append(result)
        }
        return results
    }

    /// Writes the expiries that are due by an instant.
    func expire(by instant: Instant) throws {
        turn.wait()
        try decideAlone { try $0.expire(by: instant, appendingTo: &$1) }
    }

    /// Writes the expiries that are due by the clock, except during an import. Returns whether the store can still write.
    private func recordEnds() -> Bool {
        turn.wait()
        guard log.failure == nil, !isImporting else {
            turn.signal()
            return log.failure == nil
        }
        // If it fails and the log still works, the next commit fails in the same way and its caller gets the error.
        do { try clockGuard?.check(head: workingSet.state.time) } catch {
            // If the clock is wrong, no access expires.
            turn.signal()
            return true
        }
        try? decideAlone { try $0.expire(by: clock(), appendingTo: &$1) }
        return log.failure == nil
    }

    /// Commits that the clock was ahead. All earlier commits are in the index by then.
    func correctClock(as caller: Name, comment: String?) throws -> ClockCorrectionReceipt {
        try writeOut()
        turn.wait()
        disk.wait()
        disk.signal()
        return try decideAlone { try $0.correctClock(as: caller, comment: comment, appendingTo: &$1) }
    }

    /// Called while holding the turn, and releases it.
    private func decideAlone<R>(_ decide: (inout Committer, inout [Commit]) throws -> R) throws -> R {
        func result(_ commits: inout [Commit]) -> Result<R, any Error> {
            Result {
                try beginTurn()
                var committer = Committer(workingSet: workingSet, clock: clock)
                return try decide(&committer, &commits)
            }
        }
        if let shared {
            defer { turn.signal() }
            let (decided, announce) = try append(to: shared) { commits, _ in result(&commits) }
            announce()
            return try decided.get()
        }
        var commits: [Commit] = []
        let decided = result(&commits)
        try endTurn(writing: commits)()
        return try decided.get()
    }

    func close() {
        turn.wait()
        disk.wait()
        workingSet.end()
        disk.signal()
        turn.signal()
    }

    // MARK: Turns

    /// Updates the working set from the index. Called while holding the turn.
    func beginTurn() throws {
        // Nothing is decided yet, so writing can continue after the folder is back, or the disk has space, or a descriptor is free.
        guard log.isInPlace, log.hasHead else { throw StoreError.displaced(path: path) }
        if let lack = StoreError.lackOfDiskSpace(at: path) { throw lack }
        do { try willWrite() } catch let error as FileError where error.isLackOfResources {
            throw StoreError.insufficientResources(path: path, why: "\(error)")
        }
        var isSettled = disk.wait(timeout: .now()) == .success
        if !isSettled, workingSet.shouldSettle {
            disk.wait()
            isSettled = true
        }
        defer { if isSettled { disk.signal() } }
        // Folded but unwritten commits of an import have no rows yet.
        try workingSet.beginTurn(isSettled: isSettled && !workingSet.hasUnwritten)
    }

    /// Wakes the observers that new commits may affect.
    typealias Announcement = () -> Void

    /// Releases the turn. Writes waiting commits of an import, then the new commits and the refusals, to the log. Then updates the
    /// index from these and earlier commits. The result must be called.
    func endTurn(
        writing new: [Commit], _ refused: [RecordedRefusal] = [], toIndex: Bool = true
    ) throws -> Announcement {
        let commits = unwritten + new
        unwritten = []
        unwrittenEvents = 0
        let rows = toIndex && workingSet.hasUnwritten ? workingSet.takePendingRows() : nil
        watchEnds()
        workingSet.endTurn()
        disk.wait()
        turn.signal()
        defer { disk.signal() }
        return try writeToDisk(commits, refused, rows)
    }

    /// Writes the log and then the index. Called while holding `disk`.
    private func writeToDisk(
        _ commits: [Commit], _ refusals: [RecordedRefusal], _ rows: PendingRows?
    ) throws -> Announcement {
        // Even a result without a write may depend on an earlier group that was not written to the disk.
        if let reason = log.failure { throw LogError.stopped(reason) }
        if !commits.isEmpty || !refusals.isEmpty {
            try activity.measure(commits, refusals) { _ = try log.append(commits, refusals: refusals) }
        }
        guard let rows, let head = log.head else {
            if !commits.isEmpty { isIndexOwed = true }
            return {}
        }
        do { try index.write(rows, hash: head.hash) } catch {
            // The commits are durable, but the index does not contain them: stop, because reads would return old data.
            stop("the index could not be written: \(error)")
            // The commits are durable, so their callers get their receipts.
            return {}
        }
        defer { isIndexOwed = false }
        return isIndexOwed ? { self.feed.tell(head.revision) } : { self.feed.tell(commits) }
    }
}

/// The result of a transaction that may run on another thread.
private final class Outcome: @unchecked Sendable {
    private let result = Mutex<Result<Receipt, any Error>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func set(_ value: Result<Receipt, any Error>) {
        result.withLock { $0 = value }
        isThere.signal()
    }

    func wait() -> Result<Receipt, any Error> {
        isThere.wait()
        return result.withLock { $0 } ?? .failure(StoreError.closed)
    }
}
