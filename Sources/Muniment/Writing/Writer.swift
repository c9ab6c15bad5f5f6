internal import Dispatch
internal import EventLog
internal import Events
internal import Projections
internal import Synchronization

/// The one that writes. Transactions of concurrent callers are carried out one after another and reach the disk together: many
/// commits, one sync, each acknowledged only when it is durable.
///
/// Whoever comes first leads: it takes what is waiting, commits it, and answers all. Those that come meanwhile wait for the
/// next lead.
final class Writer: @unchecked Sendable {
    private let log: EventLog
    private let index: Index
    private let workingSet: WorkingSet
    private let clock: @Sendable () -> Instant
    private let waiting = Mutex<[Request]>([])
    /// Held by the leader; guards the working set.
    private let lead = Mutex<Void>(())
    private let queue = DispatchQueue(label: "muniment.writer")
    /// Why the index is behind the log; nil while it is not.
    private let indexFailure = Mutex<String?>(nil)

    /// Commits that go to the disk together at most.
    private static let groupLimit = 4096
    /// Events of an import that go to the disk together: large enough for the index to be written in long sorted runs.
    private static let eventsPerBatch = 100_000
    private static let versionsPerBatch = 400_000

    /// Commits of an import that are folded but not on the disk yet.
    private var unwritten: [Commit] = []
    private var unwrittenEvents = 0
    /// Called before the first write and every later one.
    private let willWrite: @Sendable () -> Void

    final class Request: @unchecked Sendable {
        let transaction: Transaction
        /// Written by the leader, read after the lead was free again.
        var result: Result<Receipt, any Error>?
        let completion: (@Sendable (Result<Receipt, any Error>) -> Void)?

        init(_ transaction: Transaction, completion: (@Sendable (Result<Receipt, any Error>) -> Void)? = nil) {
            self.transaction = transaction
            self.completion = completion
        }
    }

    init(log: EventLog, index: Index, workingSet: WorkingSet, clock: @escaping @Sendable () -> Instant, willWrite: @escaping @Sendable () -> Void) {
        self.willWrite = willWrite
        self.log = log
        self.index = index
        self.workingSet = workingSet
        self.clock = clock
    }

    /// Why reads of the present cannot be trusted; nil while they can.
    var failure: String? { indexFailure.withLock { $0 } }

    /// Carries out a transaction on this thread, with those that wait.
    func commit(_ transaction: Transaction) throws -> Receipt {
        let request = Request(transaction)
        waiting.withLock { $0.append(request) }
        lead.withLock { _ in if request.result == nil { drain() } }
        guard let result = request.result else { throw StoreError.closed }
        return try result.get()
    }

    /// Carries out a transaction, with those that wait, without holding up the calling thread.
    func commit(_ transaction: Transaction, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void) {
        waiting.withLock { $0.append(Request(transaction, completion: completion)) }
        queue.async { self.lead.withLock { _ in self.drain() } }
    }

    /// Writes the ends that are due by an instant.
    func expire(by instant: Instant) throws {
        try lead.withLock { _ in
            var commits: [Commit] = []
            var committer = Committer(workingSet: workingSet, clock: clock)
            try committer.expire(by: instant, appendingTo: &commits)
            try persist(commits)
        }
    }

    private func drain() {
        while true {
            let group = waiting.withLock { waiting in
                let group = Array(waiting.prefix(Self.groupLimit))
                waiting.removeFirst(group.count)
                return group
            }
            if group.isEmpty { return }
            carryOut(group)
        }
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
        for (request, result) in zip(group, results) {
            request.result = result
            request.completion?(result)
        }
    }

    /// Appends commits to the log, durably, behind those that still wait, and writes what they lead to into the index.
    private func persist(_ new: [Commit]) throws {
        let commits = unwritten + new
        guard !commits.isEmpty else { return }
        unwritten = []
        unwrittenEvents = 0
        willWrite()
        let head = try log.append(commits)
        do { try index.flush(workingSet, hash: head.hash) } catch {
            // The commits are durable, but the index does not show them: stop rather than answer from the past.
            log.stop("the index could not be written: \(error)")
            indexFailure.withLock { $0 = "\(error)" }
            throw StoreError.behindTheLog(why: "\(error)")
        }
    }

    /// Carries out a transaction without waiting for the disk: it gets there with many others, at the latest by
    /// ``writeOut()``.
    func add(_ transaction: Transaction) throws -> Receipt {
        try lead.withLock { _ in
            if let reason = log.failure { throw LogError.stopped(reason) }
            let before = unwritten.count
            var committer = Committer(workingSet: workingSet, clock: clock)
            let receipt = try committer.perform(transaction, appendingTo: &unwritten)
            for commit in unwritten[before...] { unwrittenEvents += commit.events.count }
            if unwrittenEvents >= Self.eventsPerBatch || workingSet.heldCount > Self.versionsPerBatch { try persist([]) }
            return receipt
        }
    }

    /// Brings everything to the disk.
    func writeOut() throws { try lead.withLock { _ in try persist([]) } }

    func close() {
        lead.withLock { _ in workingSet.end() }
    }
}
