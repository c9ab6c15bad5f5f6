public import Events
internal import Files
public import Hashing
public import LMDB
internal import Synchronization

/// The last commit of a log. Its hash vouches for the whole history.
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

/// The append-only log of commits: the truth that everything else is folded from.
///
/// A record is keyed by its revision and holds the commit and SHA-256 over the hash before it and the commit's bytes. Beside the
/// commits stand the refused commands, in a table and a chain of their own (CONFORMANCE E9). Nothing here changes or removes a
/// record (CONFORMANCE E1). After a write that failed nothing more is written.
public final class EventLog: Sendable {
    private let environment: Environment
    private let table: Table
    /// The table of refusals, once it is known to be there. Its lock is held while it is being opened or made.
    private let refusals = Mutex<Table?>(nil)
    private let state: Mutex<State>
    private let gate = WriteGate()
    private let place: FilePlace

    private struct State {
        var head: LogHead?
        var lastRefusal: RefusalHead?
    }

    /// Opens the log in a folder, creating it where it is to be written.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - isReadOnly: whether nothing is to be appended.
    ///   - isStill: whether no process appends to it, as in a backup. No file is then made beside it. Only for reading.
    ///   - mapBytes: bytes of address space to reserve.
    public init(
        path: String, isReadOnly: Bool, isStill: Bool = false, mapBytes: Int = EnvironmentOptions().mapBytes
    ) throws {
        environment = try Environment(
            path: path,
            options: EnvironmentOptions(
                mapBytes: mapBytes, isReadOnly: isReadOnly, isStill: isStill, syncsCommits: true, tableLimit: 1))
        place = FilePlace(path + "/data.mdb")
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

    /// The last commit that this process knows of; nil in an empty log.
    public var head: LogHead? { state.withLock { $0.head } }

    /// The last refused command that this process knows of; nil where there is none.
    public var lastRefusal: RefusalHead? { state.withLock { $0.lastRefusal } }

    /// Tells whether anything was appended since, by whomever: it is another number then. Takes no time worth counting.
    public var stamp: Int { environment.lastTransaction }

    /// How much of the log's file and map is in use.
    public func usage() -> EnvironmentUsage { environment.usage() }

    /// Why the log takes no more writes; nil while it does.
    public var failure: String? { gate.failure }

    /// Whether the log's path still leads to its file. One call of the system.
    public var isInPlace: Bool { place.isUnchanged }

    /// Looks for commits that another process has appended.
    ///
    /// Any thread may, also while this process appends: what was appended since the look is known already, and stays so.
    ///
    /// - Returns: the last commit on the disk; nil in an empty log.
    public func refreshHead() throws -> LogHead? {
        let found = try read { reader in try reader.lastHead() }
        state.withLock { state in
            if let found, state.head.map({ $0.revision < found.revision }) ?? true { state.head = found }
        }
        return found
    }

    /// Appends commits and refused commands in one transaction and returns when they are on the disk, with the head.
    ///
    /// - Parameters:
    ///   - commits: those that follow on the head, in order.
    ///   - refusals: those that follow on the last refusal, in order.
    /// - Throws: ``LogError/stopped(_:)`` after an earlier failure, ``LogError/outOfOrder(_:)`` for a revision, number or time
    ///   that does not follow, or the `StorageError` of the write or ``LogError/displaced(path:)``, after which the log is stopped.
    public func append(_ commits: [Commit], refusals: [RecordedRefusal] = []) throws -> LogHead {
        let (head, lastRefusal) = state.withLock { ($0.head, $0.lastRefusal) }
        if let failure { throw LogError.stopped(failure) }
        guard !commits.isEmpty || !refusals.isEmpty else { throw LogError.outOfOrder("nothing to append") }
        let (rows, newHead) = try chain(commits, behind: head, isBehindTheName: lastRefusal != nil)
        let (refusalRows, newLastRefusal) = try chain(refusals, behind: lastRefusal)
        try gate.pass {
            try refusalRows.isEmpty ? write(rows) : write(rows, refusals: refusalRows)
            // Before anything is acknowledged: nobody could open this file again.
            guard isInPlace else { throw LogError.displaced(path: place.path) }
        }
        state.withLock { ($0.head, $0.lastRefusal) = (newHead, newLastRefusal) }
        return newHead
    }

    /// Writes the log as it is now into a new file without free pages, and brings the file to the disk.
    ///
    /// - Parameter file: where there must be no file yet.
    public func copy(to file: String) throws(StorageError) { try environment.copy(to: file) }

    /// Stops the log from taking writes, such as when what follows a write has failed.
    public func stop(_ reason: String) { gate.shut(reason) }

    private func chain(
        _ commits: [Commit], behind known: LogHead?, isBehindTheName: Bool
    ) throws(LogError) -> ([AppendedRow], LogHead) {
        var head = known
        var rows: [AppendedRow] = []
        rows.reserveCapacity(commits.count)
        var writer = LogRowWriter()
        for commit in commits {
            let expected = head?.revision.next ?? .genesis
            guard commit.revision == expected else {
                throw .outOfOrder("revision \(commit.revision) where \(expected) follows")
            }
            if let head, head.revision > .genesis, commit.time < head.time, !commit.correctsClock {
                throw .outOfOrder("the time \(commit.time) of revision \(commit.revision) is before \(head.time)")
            }
            let (value, hash) = writer.row(behind: head?.hash ?? .zero) { CommitCodec.encode(commit, into: &$0) }
            rows.append(AppendedRow(key: LogKeys.commit(commit.revision, isBehindTheName: isBehindTheName), value: value))
            head = LogHead(revision: commit.revision, time: commit.time, hash: hash)
        }
        guard let head else { throw .outOfOrder("nothing can be refused before there is a commit") }
        return (rows, head)
    }

    private func chain(
        _ refusals: [RecordedRefusal], behind known: RefusalHead?
    ) throws(LogError) -> ([AppendedRow], RefusalHead?) {
        var last = known
        var rows: [AppendedRow] = []
        var writer = LogRowWriter()
        for refusal in refusals {
            let expected = last?.number.next ?? .first
            guard refusal.number == expected else {
                throw .outOfOrder("refusal \(refusal.number) where \(expected) follows")
            }
            let (value, hash) = writer.row(behind: last?.hash ?? .zero) { RefusalCodec.encode(refusal, into: &$0) }
            rows.append(AppendedRow(key: LogKeys.refusal(refusal.number), value: value))
            last = RefusalHead(number: refusal.number, hash: hash)
        }
        return (rows, last)
    }

    private func write(_ rows: [AppendedRow]) throws(StorageError) {
        try environment.write { transaction throws(StorageError) in
            for row in rows { try transaction.put(row.value.span, in: table, for: row.key.span, appending: true) }
        }
    }

    /// Writes refusals too, and makes their table with the first one.
    private func write(_ rows: [AppendedRow], refusals refusalRows: [AppendedRow]) throws(StorageError) {
        try refusals.withLock { refusals throws(StorageError) in
            var used = refusals
            try environment.write { transaction throws(StorageError) in
                for row in rows { try transaction.put(row.value.span, in: table, for: row.key.span, appending: true) }
                // A table that was made in a transaction that came to nothing is gone with it.
                let opened = if let refusals { refusals } else { try transaction.table(LogKeys.refusals) }
                for row in refusalRows { try transaction.put(row.value.span, in: opened, for: row.key.span, appending: true) }
                used = opened
            }
            refusals = used
        }
    }

    /// Makes the table of refusals known where it is there, made by whatever process.
    private func lookForRefusals() throws {
        try refusals.withLock { refusals in
            guard try refusals == nil && hasRefusals() else { return }
            refusals = try environment.table(LogKeys.refusals, creating: false)
        }
    }

    private func hasRefusals() throws -> Bool {
        let reader = LogReader(transaction: try environment.beginReading(), table: table, refusals: nil)
        defer { reader.end() }
        return try reader.hasRefusals
    }

    /// Begins to read the commits of the log as they are now.
    public func beginReading() throws -> LogReader {
        let refusals = refusals.withLock { $0 }
        return LogReader(transaction: try environment.beginReading(), table: table, refusals: refusals)
    }

    /// Reads the commits of the log as they are now, inside `body`.
    public func read<R>(_ body: (LogReader) throws -> R) throws -> R {
        let reader = try beginReading()
        defer { reader.end() }
        return try body(reader)
    }

    /// Reads the refused commands as they are now, inside `body`.
    public func readRefusals<R>(_ body: (LogReader) throws -> R) throws -> R {
        try lookForRefusals()
        return try read(body)
    }
}

private struct AppendedRow {
    let key: [UInt8]
    let value: ArraySlice<UInt8>
}
