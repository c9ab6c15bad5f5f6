internal import Dispatch
internal import EventLog
internal import Events
internal import Files
internal import Permissions
internal import Projections
internal import Synchronization

/// The one that writes. Transactions of concurrent callers are carried out one after another and reach the disk together: many
/// commits, one sync, each acknowledged only when it is durable.
///
/// A group of transactions has its turn, in which they are decided and folded in memory, and then goes to the disk: first the
/// log, then the index. While one group is on its way to the disk the next can have its turn. Whoever comes when nobody leads
/// a group leads the next one, with all that wait.
final class Writer: @unchecked Sendable {
    private let log: EventLog
    private let index: Index
    private let workingSet: WorkingSet
    private let clock: @Sendable () -> Instant
    let clockGuard: ClockGuard?
    /// Steps that a transaction may take if its caller does not administer the store. A group that has taken as many ends.
    private let workLimit: Int
    /// Calls when access comes to its end. Nil where ends are recorded with commits only.
    private(set) var ends: EndWatch?
    private let waiting = Mutex(Waiting())
    /// Held while transactions are decided; guards the working set. Whoever holds it takes `disk` before giving it up, so that
    /// groups reach the disk in the order of their turns.
    private let turn = DispatchSemaphore(value: 1)
    /// Held while commits go to the log and rows to the index.
    private let disk = DispatchSemaphore(value: 1)
    private let queue = DispatchQueue(label: "muniment.writer", attributes: .concurrent)
    /// Carries out what a group has left over. A serial queue has a thread even if callers block all threads of concurrent queues.
    private let leftOver = DispatchQueue(label: "muniment.writer.leftover")
    let activity = WriteActivity()
    /// Why the index is behind the log; nil while it is not.
    private let indexFailure = Mutex<String?>(nil)

    private struct Waiting {
        var requests: [Request] = []
        /// Whether somebody is about to take a turn with all that wait.
        var isLed = false
    }

    /// Commits that go to the disk together at most.
    private static let groupLimit = 4096
    /// How often a leader looks for callers to come back.
    private static let looks = 256
    /// How many the last two groups were; guarded by the turn.
    private var lastCounts = (1, 1)
    /// Events of an import that go to the log together.
    private static let eventsPerBatch = 100_000

    /// Commits of an import that are folded but not in the log yet.
    private var unwritten: [Commit] = []
    private var unwrittenEvents = 0
    /// Whether an import goes on, whose times are its own; guarded by the turn.
    private var isImporting = false
    /// The number of the next refusal; guarded by the turn.
    private var nextRefusal: RefusalNumber
    /// The store's folder.
    private let path: String
    /// Called before anything is decided that may be written to the log.
    private let willWrite: @Sendable () throws -> Void
    /// Told of commits once the index has them.
    private let feed: ChangeFeed
    /// Whether there are commits in the log that the index has not; guarded by `disk`.
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
        clockGuard: ClockGuard?, workLimit: Int, recordsEnds: EndRecording, feed: ChangeFeed,
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
        self.willWrite = willWrite
        nextRefusal = log.lastRefusal?.number.next ?? .first
        if recordsEnds == .byItself {
            ends = EndWatch(clock: clock) { [weak self] in self?.recordEnds() ?? false }
            // Where the index cannot say when the first end comes, the first look finds that out.
            _ = try? workingSet.nextExpiries(by: .distantPast)
        }
        workingSet.endTurn()
    }

    /// Begins to record ends without being asked. Called once, before anything is written.
    func watchEnds() { ends?.expect(workingSet.earliestExpiry) }

    /// Why reads of the present cannot be trusted; nil while they can.
    var failure: String? { indexFailure.withLock { $0 } }

    // MARK: Transactions

    /// Carries out a transaction on this thread, or waits while another thread does it with its own.
    func commit(_ transaction: Transaction) throws -> Receipt {
        let outcome = Outcome()
        if enqueue(Request(transaction) { outcome.set($0) }) { carryOutGroup() }
        return try outcome.wait().get()
    }

    /// Carries out a transaction, with those that wait, without holding up the calling thread.
    func commit(_ transaction: Transaction, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void) {
        if enqueue(Request(transaction, completion: completion)) { queue.async { self.carryOutGroup() } }
    }

    /// Answers whether the caller has to lead a group, in which the request then is.
    private func enqueue(_ request: Request) -> Bool {
        waiting.withLock { waiting in
            waiting.requests.append(request)
            defer { waiting.isLed = true }
            return !waiting.isLed
        }
    }

    /// Takes a turn with all that wait.
    private func carryOutGroup() {
        turn.wait()
        gather()
        // Those that come from now on are the next leader's.
        let candidates = waiting.withLock { waiting in
            waiting.requests = Self.inTurns(waiting.requests)
            let group = Array(waiting.requests.prefix(Self.groupLimit))
            waiting.requests.removeFirst(group.count)
            waiting.isLed = false
            return group
        }
        var (commits, refused): ([Commit], [RefusedTransaction]) = ([], [])
        var results = decide(candidates, &commits, &refused)
        let group = candidates.prefix(results.count)
        let mustLeadMore = waiting.withLock { waiting in
            waiting.requests.insert(contentsOf: candidates.dropFirst(results.count), at: 0)
            guard !waiting.isLed, !waiting.requests.isEmpty else { return false }
            waiting.isLed = true
            return true
        }
        if mustLeadMore { leftOver.async { self.carryOutGroup() } }
        lastCounts = (lastCounts.1, group.count)
        do { try endTurn(writing: commits, refused) } catch {
            // Nothing of the group is acknowledged: what was decided for one may rest on what another wrote.
            results = results.map { _ in .failure(error) }
        }
        for (request, result) in zip(group, results) { request.completion(result) }
    }

    /// The requests in an order in which callers take turns: the first of each caller, then the second of each, and so on. The
    /// requests of one caller stay in their order.
    private static func inTurns(_ requests: [Request]) -> [Request] {
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

    /// Waits a moment for the callers of the group before the last, who were just answered or are about to be: a group costs a
    /// sync whether it is large or small. It does not wait for all, so that two groups take turns, one being decided while the
    /// other is on its way to the disk. A caller that is alone waits for nobody.
    private func gather() {
        let expected = min((lastCounts.0 + lastCounts.1) / 3, Self.groupLimit)
        for _ in 0..<Self.looks where waiting.withLock({ $0.requests.count }) < expected { yieldThread() }
    }

    /// The results of the first requests of a group. The others wait for the next group once these have taken as much work as one
    /// transaction may, so that a caller waits for little more than two transactions of others.
    private func decide(
        _ group: [Request], _ commits: inout [Commit], _ refused: inout [RefusedTransaction]
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
            do { results.append(.success(try committer.perform(request.transaction, appendingTo: &commits))) } catch {
                if let refusal = error as? Refusal { refused.append(committer.refused(request.transaction, refusal)) }
                results.append(.failure(error))
            }
        }
        return results
    }

    /// Writes the ends that are due by an instant.
    func expire(by instant: Instant) throws {
        turn.wait()
        try decideAlone { try $0.expire(by: instant, appendingTo: &$1) }
    }

    /// Writes the ends that are due by the clock, but not into an import. Answers whether anything can be written later on.
    private func recordEnds() -> Bool {
        turn.wait()
        guard log.failure == nil, !isImporting else {
            turn.signal()
            return log.failure == nil
        }
        // Where it fails and the log goes on, the next commit meets the same, and its caller is told.
        do { try clockGuard?.check(head: workingSet.state.time) } catch {
            // A wrong clock ends no access.
            turn.signal()
            return true
        }
        try? decideAlone { try $0.expire(by: clock(), appendingTo: &$1) }
        return log.failure == nil
    }

    /// Commits that the clock was ahead. All that was folded before is in the index by then.
    func correctClock(as caller: Name, comment: String?) throws -> ClockCorrectionReceipt {
        try writeOut()
        turn.wait()
        disk.wait()
        disk.signal()
        return try decideAlone { try $0.correctClock(as: caller, comment: comment, appendingTo: &$1) }
    }

    /// Called with the turn, which it gives up.
    private func decideAlone<R>(_ decide: (inout Committer, inout [Commit]) throws -> R) throws -> R {
        var commits: [Commit] = []
        let decided = Result {
            try beginTurn()
            var committer = Committer(workingSet: workingSet, clock: clock)
            return try decide(&committer, &commits)
        }
        try endTurn(writing: commits)
        return try decided.get()
    }

    // MARK: Imports

    /// Carries out a transaction without waiting for the disk: it gets there with many others, at the latest by
    /// ``writeOut()``.
    func add(_ transaction: Transaction) throws -> Receipt {
        turn.wait()
        isImporting = true
        let before = unwritten.count
        var refused: [RefusedTransaction] = []
        let decided = Result { () throws -> Receipt in
            if let reason = log.failure { throw LogError.stopped(reason) }
            if before == 0 { try beginTurn() }
            var committer = Committer(workingSet: workingSet, clock: clock)
            do { return try committer.perform(transaction, appendingTo: &unwritten) } catch let refusal as Refusal {
                refused = [committer.refused(transaction, refusal)]
                throw refusal
            }
        }
        for commit in unwritten[before...] { unwrittenEvents += commit.events.count }
        if workingSet.heldCount > IndexOpening.versionsPerBatch {
            try endTurn(writing: [], refused)
        } else if unwrittenEvents >= Self.eventsPerBatch || !refused.isEmpty {
            // Nobody is told of a refusal before it is on the disk, and what it rests on goes with it.
            try endTurn(writing: [], refused, toIndex: false)
        } else {
            turn.signal()
        }
        return try decided.get()
    }

    /// Brings everything to the disk.
    func writeOut() throws {
        turn.wait()
        isImporting = false
        try endTurn(writing: [])
    }

    func close() {
        turn.wait()
        disk.wait()
        workingSet.end()
        disk.signal()
        turn.signal()
    }

    // MARK: Turns

    /// Takes up the index. Called with the turn.
    private func beginTurn() throws {
        // Nothing is decided yet, so writing goes on once the folder is back, or the disk has room, or a descriptor is free.
        guard log.isInPlace else { throw StoreError.displaced(path: path) }
        if DiskRoom(at: path)?.isShort == true { throw StoreError.lacksResources(path: path, why: "the disk is full") }
        do { try willWrite() } catch let error as FileError where error.isLackOfResources {
            throw StoreError.lacksResources(path: path, why: "\(error)")
        }
        var isSettled = disk.wait(timeout: .now()) == .success
        if !isSettled, workingSet.shouldSettle {
            disk.wait()
            isSettled = true
        }
        defer { if isSettled { disk.signal() } }
        // What an import has folded and not written is in no row yet.
        try workingSet.beginTurn(isSettled: isSettled && !workingSet.hasUnwritten)
    }

    /// Gives up the turn, and brings commits to the log, behind those of an import that still wait, and refusals with them, and to
    /// the index what the commits and earlier ones lead to.
    private func endTurn(writing new: [Commit], _ refused: [RefusedTransaction] = [], toIndex: Bool = true) throws {
        let commits = unwritten + new
        unwritten = []
        unwrittenEvents = 0
        let refusals = record(refused)
        let rows = toIndex && workingSet.hasUnwritten ? workingSet.takePendingRows() : nil
        ends?.expect(workingSet.earliestExpiry)
        workingSet.endTurn()
        disk.wait()
        turn.signal()
        let settled = Result { () throws -> Settled in
            defer { disk.signal() }
            return try bringToDisk(commits, refusals, rows)
        }
        switch try settled.get() {
        case .commits: feed.tell(commits)
        case .everything(let head): feed.tell(head)
        case .nothing: break
        }
    }

    /// What a turn has made visible.
    private enum Settled {
        case nothing
        /// The turn's own commits.
        case commits
        /// These and earlier ones, up to a head.
        case everything(Revision)
    }

    /// Writes the log and then the index. Called with the disk.
    private func bringToDisk(
        _ commits: [Commit], _ refusals: [RecordedRefusal], _ rows: PendingRows?
    ) throws -> Settled {
        // Even what needs no write may rest on a group before this one that never got to the disk.
        if let reason = log.failure { throw LogError.stopped(reason) }
        if !commits.isEmpty || !refusals.isEmpty {
            try activity.measure(commits, refusals) { _ = try log.append(commits, refusals: refusals) }
        }
        guard let rows, let head = log.head else {
            if !commits.isEmpty { isIndexOwed = true }
            return .nothing
        }
        do { try index.write(rows, hash: head.hash) } catch {
            // The commits are durable, but the index does not show them: stop rather than answer from the past.
            log.stop("the index could not be written: \(error)")
            indexFailure.withLock { $0 = "\(error)" }
            feed.stop()
            // The commits are durable, so their callers get their receipts.
            return .nothing
        }
        defer { isIndexOwed = false }
        return isIndexOwed ? .everything(head.revision) : .commits
    }
}

extension Writer {
    /// The records of refused transactions, behind those before. Called with the turn.
    private func record(_ refused: [RefusedTransaction]) -> [RecordedRefusal] {
        refused.map { refused in
            defer { nextRefusal = nextRefusal.next }
            let refusal = RecordedRefusal(refused, number: nextRefusal)
            workingSet.fold(refusal)
            return refusal
        }
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
