internal import Dispatch
internal import EventLog
internal import Events
internal import Files
internal import Projections
internal import Synchronization

/// The one that writes. Transactions of concurrent callers are carried out one after another and reach the disk together: many
/// commits, one sync, each acknowledged only when it is durable.
///
/// Whoever comes when nobody writes leads: it takes what is waiting, commits it, and answers all. Those that come meanwhile
/// wait for the next group.
final class Writer: @unchecked Sendable {
    private let log: EventLog
    private let index: Index
    private let workingSet: WorkingSet
    private let clock: @Sendable () -> Instant
    private let waiting = Mutex(Waiting())
    /// Held while commits are made; guards the working set.
    private let turn = Mutex<Void>(())
    private let queue = DispatchQueue(label: "muniment.writer")
    /// Why the index is behind the log; nil while it is not.
    private let indexFailure = Mutex<String?>(nil)

    private struct Waiting {
        var requests: [Request] = []
        var isLed = false
    }

    /// Commits that go to the disk together at most.
    private static let groupLimit = 4096
    /// How often a leader looks for the callers of the last group to come back before it goes on with fewer.
    private static let looks = 64
    /// Events of an import that go to the log together.
    private static let eventsPerBatch = 100_000

    /// Commits of an import that are folded but not in the log yet.
    private var unwritten: [Commit] = []
    private var unwrittenEvents = 0
    /// Called before every write to the log.
    private let willWrite: @Sendable () throws -> Void

    private final class Request: @unchecked Sendable {
        let transaction: Transaction
        let completion: @Sendable (Result<Receipt, any Error>) -> Void

        init(_ transaction: Transaction, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void) {
            self.transaction = transaction
            self.completion = completion
        }
    }

    init(
        log: EventLog, index: Index, workingSet: WorkingSet, clock: @escaping @Sendable () -> Instant,
        willWrite: @escaping @Sendable () throws -> Void
    ) {
        self.log = log
        self.index = index
        self.workingSet = workingSet
        self.clock = clock
        self.willWrite = willWrite
    }

    /// Why reads of the present cannot be trusted; nil while they can.
    var failure: String? { indexFailure.withLock { $0 } }

    /// Carries out a transaction on this thread, or waits while another thread does it with its own.
    func commit(_ transaction: Transaction) throws -> Receipt {
        let outcome = Outcome()
        let leads = enqueue(Request(transaction) { outcome.set($0) })
        if leads {
            carryOutGroup(expecting: 1)
            // Those that came meanwhile are not this caller's to wait for.
            if isStillLed() { queue.async { self.carryOutAll() } }
        }
        return try outcome.wait().get()
    }

    /// Carries out a transaction, with those that wait, without holding up the calling thread.
    func commit(_ transaction: Transaction, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void) {
        if enqueue(Request(transaction, completion: completion)) { queue.async { self.carryOutAll() } }
    }

    /// Answers whether the caller leads from now on.
    private func enqueue(_ request: Request) -> Bool {
        waiting.withLock { waiting in
            waiting.requests.append(request)
            defer { waiting.isLed = true }
            return !waiting.isLed
        }
    }

    /// Gives up the lead where nobody waits; answers whether it is still held.
    private func isStillLed() -> Bool {
        waiting.withLock { waiting in
            if waiting.requests.isEmpty { waiting.isLed = false }
            return waiting.isLed
        }
    }

    private func carryOutAll() {
        var lastCount = 1
        repeat { lastCount = carryOutGroup(expecting: lastCount) } while isStillLed()
    }

    /// Carries out what is waiting; answers how many that were.
    ///
    /// - Parameter count: how many came last time. Callers that were just answered come back within microseconds, and a sync
    ///   takes a hundred times as long: so many are waited for, but not long.
    @discardableResult
    private func carryOutGroup(expecting count: Int) -> Int {
        var looks = 0
        while looks < Self.looks, waiting.withLock({ $0.requests.count }) < min(count, Self.groupLimit) {
            looks += 1
            yieldThread()
        }
        let group = waiting.withLock { waiting in
            let group = Array(waiting.requests.prefix(Self.groupLimit))
            waiting.requests.removeFirst(group.count)
            return group
        }
        turn.withLock { _ in carryOut(group) }
        return group.count
    }

    private func carryOut(_ group: [Request]) {
        var commits: [Commit] = []
        var committer = Committer(workingSet: workingSet, clock: clock)
        var results: [Result<Receipt, any Error>] = []
        for request in group {
            if let reason = log.failure {
                results.append(.failure(LogError.stopped(reason)))
            } else {
                results.append(Result { try committer.perform(request.transaction, appendingTo: &commits) })
            }
        }
        do { try persist(commits) } catch {
            // Nothing of the group is acknowledged: what was decided for one may rest on what another wrote.
            results = results.map { _ in .failure(error) }
        }
        for (request, result) in zip(group, results) { request.completion(result) }
    }

    /// Writes the ends that are due by an instant.
    func expire(by instant: Instant) throws {
        try turn.withLock { _ in
            var commits: [Commit] = []
            var committer = Committer(workingSet: workingSet, clock: clock)
            try committer.expire(by: instant, appendingTo: &commits)
            try persist(commits)
        }
    }

    /// Carries out a transaction without waiting for the disk: it gets there with many others, at the latest by
    /// ``writeOut()``.
    func add(_ transaction: Transaction) throws -> Receipt {
        try turn.withLock { _ in
            if let reason = log.failure { throw LogError.stopped(reason) }
            let before = unwritten.count
            var committer = Committer(workingSet: workingSet, clock: clock)
            let receipt = try committer.perform(transaction, appendingTo: &unwritten)
            for commit in unwritten[before...] { unwrittenEvents += commit.events.count }
            if unwrittenEvents >= Self.eventsPerBatch { try append([]) }
            if workingSet.heldCount > IndexOpening.versionsPerBatch { try persist([]) }
            return receipt
        }
    }

    /// Brings everything to the disk.
    func writeOut() throws { try turn.withLock { _ in try persist([]) } }

    /// Appends commits to the log, durably, behind those that still wait; what they lead to is in the working set.
    private func append(_ new: [Commit]) throws {
        let commits = unwritten + new
        guard !commits.isEmpty else { return }
        unwritten = []
        unwrittenEvents = 0
        do { try willWrite() } catch {
            // What was folded is not in the log and will not be.
            log.stop("\(error)")
            throw error
        }
        _ = try log.append(commits)
    }

    /// Appends commits to the log, and writes what they and earlier ones lead to into the index.
    private func persist(_ new: [Commit]) throws {
        try append(new)
        guard let head = log.head, workingSet.hasUnwritten else { return }
        do { try index.flush(workingSet, hash: head.hash) } catch {
            // The commits are durable, but the index does not show them: stop rather than answer from the past.
            log.stop("the index could not be written: \(error)")
            indexFailure.withLock { $0 = "\(error)" }
            throw StoreError.behindTheLog(why: "\(error)")
        }
    }

    func close() {
        turn.withLock { _ in workingSet.end() }
    }
}

/// The result of a transaction that another thread may carry out.
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
