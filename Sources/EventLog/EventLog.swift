public import Events
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
/// A record is keyed by its revision and holds the commit and SHA-256 over the hash before it and the commit's bytes. Nothing
/// here changes or removes a record (CONFORMANCE E1). After a write that failed nothing more is written, since LMDB would go on
/// after a failed sync and acknowledge what is not on the disk.
public final class EventLog: Sendable {
    private let environment: Environment
    private let table: Table
    private let state: Mutex<State>

    private struct State {
        var head: LogHead?
        var failure: String?
    }

    /// Opens the log in a folder, creating it where it is to be written.
    public init(path: String, isReadOnly: Bool, mapBytes: Int = EnvironmentOptions().mapBytes) throws {
        environment = try Environment(
            path: path, options: EnvironmentOptions(mapBytes: mapBytes, isReadOnly: isReadOnly, syncsCommits: true))
        do {
            table = try environment.table(nil, creating: !isReadOnly)
            state = Mutex(State())
            let head = try readHead()
            state.withLock { $0.head = head }
        } catch {
            environment.close()
            throw error
        }
    }

    public func close() { environment.close() }

    /// The last commit that this process knows of; nil in an empty log.
    public var head: LogHead? { state.withLock { $0.head } }

    /// Tells whether anything was appended since, by whomever: it is another number then. Takes no time worth counting.
    public var stamp: Int { environment.lastTransaction }

    /// Why the log takes no more writes; nil while it does.
    public var failure: String? { state.withLock { $0.failure } }

    /// Looks for commits that another process has appended.
    public func refreshHead() throws -> LogHead? {
        let head = try readHead()
        state.withLock { $0.head = head }
        return head
    }

    /// Appends commits in one transaction and returns when they are on the disk, with the new head.
    ///
    /// - Throws: ``LogError/stopped(_:)`` after an earlier failure, ``LogError/outOfOrder(_:)`` for a revision or time that does
    ///   not follow, or the `StorageError` of the write, after which the log is stopped.
    public func append(_ commits: [Commit]) throws -> LogHead {
        let (known, failure) = state.withLock { ($0.head, $0.failure) }
        if let failure { throw LogError.stopped(failure) }
        let (records, head) = try chain(commits, behind: known)
        do {
            try write(records)
        } catch {
            state.withLock { $0.failure = "\(error)" }
            throw error
        }
        state.withLock { $0.head = head }
        return head
    }

    /// Stops the log from taking writes, such as when what follows a write has failed.
    public func stop(_ reason: String) { state.withLock { $0.failure = $0.failure ?? reason } }

    private func chain(_ commits: [Commit], behind known: LogHead?) throws(LogError) -> ([LogRecord], LogHead) {
        var head = known
        var records: [LogRecord] = []
        records.reserveCapacity(commits.count)
        var writer = ByteWriter(capacity: 256)
        for commit in commits {
            let expected = head?.revision.next ?? .genesis
            guard commit.revision == expected else {
                throw .outOfOrder("revision \(commit.revision) where \(expected) follows")
            }
            if let head, head.revision > .genesis, commit.time < head.time {
                throw .outOfOrder("the time \(commit.time) of revision \(commit.revision) is before \(head.time)")
            }
            // The hash before stands in front while the new one is computed.
            writer.removeAll()
            writer.raw((head?.hash ?? .zero).bytes)
            CommitCodec.encode(commit, into: &writer)
            let hash = Digest(of: writer.bytes.span)
            records.append(LogRecord(key: commit.revision.logKey, value: writer.bytes[Digest.byteCount...] + hash.bytes))
            head = LogHead(revision: commit.revision, time: commit.time, hash: hash)
        }
        guard let head else { throw .outOfOrder("nothing to append") }
        return (records, head)
    }

    private func write(_ records: [LogRecord]) throws(StorageError) {
        try environment.write { transaction throws(StorageError) in
            for record in records {
                try transaction.put(record.value.span, in: table, for: record.key.span, appending: true)
            }
        }
    }

    /// Begins to read the log as it is now.
    public func beginReading() throws -> LogReader {
        LogReader(transaction: try environment.beginReading(), table: table)
    }

    /// Reads the log as it is now, inside `body`.
    public func read<R>(_ body: (LogReader) throws -> R) throws -> R {
        let reader = try beginReading()
        defer { reader.end() }
        return try body(reader)
    }

    private func readHead() throws -> LogHead? {
        try read { reader in try reader.lastHead() }
    }
}

private struct LogRecord {
    let key: [UInt8]
    let value: ArraySlice<UInt8>
}

extension Revision {
    /// Eight bytes, the most significant first, so that the order of the bytes is that of the revisions.
    var logKey: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: rawValue >> UInt64(56 - 8 * $0)) } }
}
