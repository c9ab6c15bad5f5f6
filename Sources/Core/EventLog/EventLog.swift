public import Events
internal import Files
public import Hashing
public import LMDB
internal import Synchronization

/// The last commit of a log. Its hash covers the whole history.
public struct LogHead: Hashable, Sendable {
    public let revision: Revision
    public let time: Instant
    public let hash: Digest

    public init(revision: Revision, time: Instant, hash: Digest) {
        self.revision = revision
        self.time = time
        self.hash = hash
    }
}

/// The append-only log of commits: the source of truth. All other data is folded from it.
///
/// The key of a record is its revision. Its value is the commit, and SHA-256 over the previous hash and the commit's bytes.
/// Refused commands are stored in a separate table with a separate hash chain (CONFORMANCE E9). No record is ever changed or
/// removed (CONFORMANCE E1). After a failed write the log accepts no more writes.
public final class EventLog: Sendable {
    private let environment: Environment
    private let table: Table
    /// The table of refusals, after it was found to exist. The lock is held while the table is opened or created.
    private let refusals = Mutex<Table?>(nil)
    private let state: Mutex<State>
    private let gate = WriteGate()
    /// Held while a group is compared with the end and appended: several nodes of one process may race for it.
    let appending = Mutex(())
    private let soundRows = SoundRows()
    private let place: FilePathCheck

    private struct State {
        var head: LogHead?
        var lastRefusal: RefusalHead?
    }

    /// Opens the log in a folder, and creates it if it is writable and does not exist.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - isReadOnly: whether the log only reads.
    ///   - isStill: whether no process appends to the log, as in a backup. Then no lock file is created. Only for reading.
    ///   - mapBytes: bytes of address space to reserve.
    public init(
        path: String, isReadOnly: Bool, isStill: Bool = false, mapBytes: Int = EnvironmentOptions().mapBytes
    ) throws {
        environment = try Environment(
            path: path,
            options: EnvironmentOptions(
                mapBytes: mapBytes, isReadOnly: isReadOnly, isStill: isStill, syncsCommits: true, tableLimit: 1))
        place = FilePathCheck(path + "/data.mdb")
        do {
            table = try environment.table(nil, creating: !isReadOnly)
            state = Mutex(State())
            let (head, lastRefusal) = try readRefusals { (try $0.lastHead(), try $0.lastRefusal()) }
            state.withLock { ($0.head, $0.lastRefusal) = (head, lastRefusal) }
        } catch {
            environment.close()
            throw error
        }
    }

    public func close() { environment.close() }

    /// The last commit that this process knows; nil in an empty log.
    public var head: LogHead? { state.withLock { $0.head } }

    /// The last refused command that this process knows; nil without refusals.
    public var lastRefusal: RefusalHead? { state.withLock { $0.lastRefusal } }

    /// A number that changes whenever any process appends to the log. The cost is negligible.
    public var stamp: Int { environment.lastTransaction }

    /// Returns the used part of the log's file and map.
    public func usage() -> EnvironmentUsage { environment.usage() }

    /// Checks the structure of all pages of the log.
    ///
    /// - Returns: the bytes that reading all records uses; nil if another process wrote too often meanwhile.
    /// - Throws: a `StorageError` that describes the fault.
    public func checkPages() throws -> PageUse? { try environment.checkStructure() }

    /// The reason the log accepts no more writes; nil while it accepts them.
    public var failure: String? { gate.failure }

    /// Whether the log's path still refers to its file, which is not shorter than before. Takes one system call.
    public var isInPlace: Bool { place.isUnchanged }

    /// Whether the file still contains the head. False if it was overwritten in place, for example by `cp` with an older copy. The
    /// log must be open. Takes a few microseconds.
    public var hasHead: Bool {
        guard let head else { return true }
        let keys = [true, false].map { LogKeys.commit(head.revision, isAfterTheName: $0) }
        return environment.hasRow(head.hash, under: keys, in: table)
    }

    /// Finds commits that another process has appended.
    ///
    /// Can be called from any thread, even while this process appends: the head never moves back.
    ///
    /// - Returns: the last commit on the disk; nil in an empty log.
    public func refreshHead() throws -> LogHead? {
        let found = try read { reader in try reader.lastHead() }
        state.withLock { state in
            if let found, state.head.map({ $0.revision < found.revision }) ?? true { state.head = found }
        }
        return found
    }

    /// Appends commits and refused commands in one transaction. Returns the new head after they are durable.
    ///
    /// - Parameters:
    ///   - commits: the commits that follow the head, in order.
    ///   - refusals: the refusals that follow the last refusal, in order.
    /// - Throws: ``LogError/stopped(_:)`` after an earlier failure, ``LogError/outOfOrder(_:)`` for a revision, number or time
    ///   that does not follow. The `StorageError` of the write and ``LogError/displaced(path:)`` stop the log.
    public func append(_ commits: [Commit], refusals: [RecordedRefusal] = []) throws -> LogHead {
        let (head, lastRefusal) = state.withLock { ($0.head, $0.lastRefusal) }
        if let failure { throw LogError.stopped(failure) }
        guard !commits.isEmpty || !refusals.isEmpty else { throw LogError.outOfOrder("nothing to append") }
        let (rows, newHead) = try chain(commits, after: head, isAfterTheName: lastRefusal != nil)
        let (refusalRows, newLastRefusal) = try chain(refusals, after: lastRefusal)
        try write(rows, refusalRows, head: newHead, lastRefusal: newLastRefusal)
        return newHead
    }

    /// Writes rows that follow the present ones, and returns after they are durable.
    func write(_ rows: LogRows, _ refusalRows: LogRows, head: LogHead, lastRefusal: RefusalHead?) throws {
        try gate.pass {
            guard isInPlace, hasHead else { throw LogError.displaced(path: place.path) }
            try write(rows, refusals: refusalRows)
            // This check must precede the acknowledgement: a file that was moved away cannot be opened again.
            guard isInPlace else { throw LogError.displaced(path: place.path) }
        }
        state.withLock { ($0.head, $0.lastRefusal) = (head, lastRefusal) }
    }

    /// Returns the records of commits and refusals that follow the present ones, without writing them.
    ///
    /// - Throws: ``LogError/outOfOrder(_:)`` for a revision, number or time that does not follow.
    public func group(of commits: [Commit], refusals: [RecordedRefusal]) throws(LogError) -> LogGroup {
        let (head, lastRefusal) = state.withLock { ($0.head, $0.lastRefusal) }
        let (rows, _) = try chain(commits, after: head, isAfterTheName: lastRefusal != nil)
        let (refusalRows, _) = try chain(refusals, after: lastRefusal)
        return LogGroup(
            commits: rows.records(from: head.map { $0.revision.rawValue + 1 } ?? 0),
            refusals: refusalRows.records(from: (lastRefusal?.number.next ?? .first).rawValue))
    }

    /// The end of the log that this process knows; nil in an empty log.
    public var end: LogPosition? {
        state.withLock { state in
            state.head.map { LogPosition(revision: $0.revision, hash: $0.hash, refusal: state.lastRefusal) }
        }
    }

    /// Writes the present log to a new file without free pages, and syncs the file.
    ///
    /// - Parameter file: the path of the new file, which must not exist.
    public func copy(to file: String) throws(StorageError) { try environment.copy(to: file) }

    /// Stops the log from accepting writes, for example after a failure in the work that follows a write.
    public func stop(_ reason: String) { gate.shut(reason) }

    private func chain(
        _ commits: [Commit], after known: LogHead?, isAfterTheName: Bool
    ) throws(LogError) -> (LogRows, LogHead) {
        var head = known
        var rows = LogRows(after: known?.hash ?? .zero)
        for commit in commits {
            let expected = head?.revision.next ?? .genesis
            guard commit.revision == expected else {
                throw .outOfOrder("revision \(commit.revision), but \(expected) is next")
            }
            if let head, head.revision > .genesis, commit.time < head.time, !commit.correctsClock {
                throw .outOfOrder("the time \(commit.time) of revision \(commit.revision) is before \(head.time)")
            }
            rows.add(LogKeys.commit(commit.revision, isAfterTheName: isAfterTheName)) { CommitCodec.encode(commit, into: &$0) }
            head = LogHead(revision: commit.revision, time: commit.time, hash: rows.hash)
        }
        guard let head else { throw .outOfOrder("a refusal needs an earlier commit") }
        return (rows, head)
    }

    private func chain(
        _ refusals: [RecordedRefusal], after known: RefusalHead?
    ) throws(LogError) -> (LogRows, RefusalHead?) {
        var last = known
        var rows = LogRows(after: known?.hash ?? .zero)
        for refusal in refusals {
            let expected = last?.number.next ?? .first
            guard refusal.number == expected else {
                throw .outOfOrder("refusal \(refusal.number), but \(expected) is next")
            }
            rows.add(LogKeys.record(refusal.number.rawValue)) { RefusalCodec.encode(refusal, into: &$0) }
            last = RefusalHead(number: refusal.number, hash: rows.hash)
        }
        return (rows, last)
    }

    /// Writes rows in one transaction, and creates the table of refusals with the first one.
    private func write(_ rows: LogRows, refusals refusalRows: LogRows) throws(StorageError) {
        if refusalRows.isEmpty {
            return try environment.write { transaction throws(StorageError) in try rows.write(to: table, in: transaction) }
        }
        try refusals.withLock { refusals throws(StorageError) in
            var used = refusals
            try environment.write { transaction throws(StorageError) in
                try rows.write(to: table, in: transaction)
                // A table that was created in an aborted transaction does not exist afterwards.
                let opened = if let refusals { refusals } else { try transaction.table(LogKeys.refusals) }
                try refusalRows.write(to: opened, in: transaction)
                used = opened
            }
            refusals = used
        }
    }

    /// Opens the table of refusals if any process has created it.
    private func lookForRefusals() throws {
        guard refusals.withLock({ $0 == nil }), try read({ try $0.hasRefusals }) else { return }
        try refusals.withLock { $0 = try $0 ?? environment.table(LogKeys.refusals, creating: false) }
    }

    /// Begins reading the present commits of the log.
    public func beginReading() throws -> LogReader {
        let refusals = refusals.withLock { $0 }
        return LogReader(
            transaction: try environment.beginReading(), table: table, refusals: refusals, soundRows: soundRows)
    }

    /// Calls `body` with a reader of the present commits of the log.
    public func read<R>(_ body: (LogReader) throws -> R) throws -> R {
        let reader = try beginReading()
        defer { reader.end() }
        return try body(reader)
    }

    /// Calls `body` with a reader of the present refused commands.
    public func readRefusals<R>(_ body: (LogReader) throws -> R) throws -> R {
        try lookForRefusals()
        return try read(body)
    }
}
