public import Events
public import Hashing
internal import LMDB

/// A snapshot of the log, for one thread at a time.
public final class LogReader {
    private let transaction: ReadTransaction
    private let table: Table
    private let refusals: Table?
    private let soundRows: SoundRows

    init(transaction: ReadTransaction, table: Table, refusals: Table?, soundRows: SoundRows) {
        self.transaction = transaction
        self.table = table
        self.refusals = refusals
        self.soundRows = soundRows
    }

    public func end() { transaction.end() }

    /// The rows of refusals; nil if no refusal is known.
    var refusalRows: NumberedRows? {
        refusals.map {
            NumberedRows(
                transaction: transaction, table: $0, missing: { .missingRefusal(RefusalNumber($0)) },
                broken: { .brokenRefusals(RefusalNumber($0)) })
        }
    }

    /// Whether the table of refusals exists.
    var hasRefusals: Bool {
        get throws { try transaction.withValue(in: table, for: Array(LogKeys.refusals.utf8).span) { _ in true } ?? false }
    }

    /// Returns the last commit; nil in an empty log. Logarithmic.
    ///
    /// - Throws: ``LogError/unexpectedRows`` for rows that are neither commits nor the name of a table: otherwise a commit with a
    ///   damaged key, or all refusals, would be missed silently.
    public func lastHead() throws -> LogHead? {
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        let others = try hasRefusals ? 1 : 0
        let rows = try transaction.environment.statistics(of: table, in: transaction).rows
        guard rows > 0, try cursor.last() else { return nil }
        // If no commit follows the first refusal, the name of the table is the last row.
        if others > 0, cursor.withRow({ key, _ in LogKeys.revision(key) == nil }), try !cursor.previous() { return nil }
        return try cursor.withRow { key, value in
            let record = try Record(key: key, value: value)
            guard record.revision.rawValue + 1 == UInt64(rows - others) else { throw LogError.unexpectedRows }
            return LogHead(revision: record.revision, time: try record.header(value).time, hash: record.row.hash)
        }
    }

    /// Returns the commit of a revision, after checking its hash and the previous one. Logarithmic, and linear in the commit.
    public func commit(at revision: Revision) throws -> Commit {
        var found: Commit?
        try forEachCommit(from: revision, to: revision) { commit, _ in found = commit }
        guard let found else { throw LogError.missing(revision) }
        return found
    }

    /// Returns the commit time of a revision, after checking its hash and the previous one. Logarithmic, and linear in the
    /// commit.
    public func time(of revision: Revision) throws -> Instant { try header(of: revision).time }

    /// Returns the commit of a revision without its events, after checking its hash and the previous one. Logarithmic, and linear
    /// in the commit.
    public func header(of revision: Revision) throws -> Commit {
        var header: Commit?
        try forEachRecord(from: revision, to: revision) { record, value, _ in header = try record.header(value) }
        guard let header else { throw LogError.missing(revision) }
        return header
    }

    /// Returns the stored hash of a revision. Logarithmic.
    public func hash(of revision: Revision) throws -> Digest {
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        guard try seek(revision, cursor) else { throw LogError.missing(revision) }
        return try cursor.withRow { key, value in try Record(key: key, value: value).row.hash }
    }

    /// Calls `body` with each commit of a range of revisions and its hash, in order, after checking the chain up to it.
    ///
    /// - Throws: ``LogError/missing(_:)`` for a gap, ``LogError/brokenChain(_:)``, ``LogError/unreadable(_:_:)``.
    public func forEachCommit(
        from first: Revision, to last: Revision, _ body: (Commit, Digest) throws -> Void
    ) throws {
        try forEachRecord(from: first, to: last) { record, value, commitBytes in
            try body(decodeCommit(record.revision, commitBytes), record.row.hash)
        }
    }

    /// Returns the records of commits from a revision on, until they have a number of bytes. Does not check their hashes.
    func commitRecords(from first: Revision, limitBytes: Int) throws -> [ChainedRecord] {
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        var records: [ChainedRecord] = []
        var size = 0
        var isThere = try seek(first, cursor)
        while isThere, size < limitBytes {
            let record = try cursor.withRow { key, value in
                let record = try Record(key: key, value: value)
                return ChainedRecord(record.revision.rawValue, value.extracting(record.row.body), record.row.hash)
            }
            records.append(record)
            size += record.bytes.count
            isThere = try next(cursor)
        }
        return records
    }

    /// Returns a commit with only some of its events, and its hash.
    ///
    /// The hash of a large commit is computed only once while the log is open. The indexes are in ascending order; those beyond the
    /// last event of the commit are ignored.
    ///
    /// - Throws: ``LogError/missing(_:)``, ``LogError/brokenChain(_:)``, ``LogError/unreadable(_:_:)``.
    public func commit(at revision: Revision, eventsAt indexes: [Int]) throws -> (commit: Commit, hash: Digest) {
        var found: (Commit, Digest)?
        try forEachRecord(from: revision, to: revision, trusting: soundRows) { record, _, commitBytes in
            do throws(CodecError) {
                found = (try CommitCodec.decode(commitBytes, eventsAt: indexes), record.row.hash)
            } catch { throw LogError.unreadable(record.revision, error) }
        }
        guard let found, found.0.revision == revision else { throw LogError.brokenChain(revision) }
        return found
    }

    /// Decodes every event of the log without checking hashes, for benchmarks; returns their number.
    public func scanEvents() throws -> Int {
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        var count = 0
        var isThere = try cursor.first()
        while isThere {
            try cursor.withRow { key, value in
                guard LogKeys.revision(key) != nil else { return }
                let record = try Record(key: key, value: value)
                count += try decodeCommit(record.revision, value.extracting(record.row.body)).events.count
            }
            isThere = try cursor.next()
        }
        return count
    }

    /// Moves to the row of a revision; returns false if it does not exist.
    private func seek(_ revision: Revision, _ cursor: Cursor) throws -> Bool {
        // With refusals, most commits are after the name of their table. Without refusals, no commit is after it.
        for isAfterTheName in [refusals != nil, refusals == nil] {
            let key = LogKeys.commit(revision, isAfterTheName: isAfterTheName)
            if try cursor.seek(atOrAfter: key), cursor.withRow({ key, _ in LogKeys.revision(key) == revision }) { return true }
        }
        return false
    }

    /// Moves to the next commit, and skips the name of a table.
    private func next(_ cursor: Cursor) throws -> Bool {
        guard try cursor.next() else { return false }
        return try cursor.withRow { key, _ in LogKeys.revision(key) != nil } || cursor.next()
    }

    /// - Parameter soundRows: the rows whose hash need not be computed again.
    private func forEachRecord(
        from first: Revision, to last: Revision, trusting soundRows: SoundRows? = nil,
        _ body: (Record, Span<UInt8>, Span<UInt8>) throws -> Void
    ) throws {
        guard first <= last else { return }
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        var previous = Digest.zero
        // The record before the first one contains the previous hash of the chain.
        let start = first == .genesis ? first : Revision(first.rawValue - 1)
        var expected = start
        var isThere = try seek(start, cursor)
        while expected <= last {
            guard isThere else { throw LogError.missing(expected) }
            try cursor.withRow { key, value in
                let record = try Record(key: key, value: value)
                guard record.revision == expected else { throw LogError.missing(expected) }
                let commitBytes = value.extracting(record.row.body)
                if expected >= first {
                    if soundRows?.contains(record.row, at: expected) != true {
                        guard record.row.isSound(value, after: previous) else { throw LogError.brokenChain(expected) }
                        soundRows?.insert(record.row, at: expected)
                    }
                    try body(record, value, commitBytes)
                }
                previous = record.row.hash
            }
            expected = expected.next
            if expected <= last { isThere = try next(cursor) }
        }
    }
}

/// A row of the main table: a revision, the commit's bytes, a hash.
private struct Record {
    let revision: Revision
    let row: LogRow

    init(key: Span<UInt8>, value: Span<UInt8>) throws(LogError) {
        guard let revision = LogKeys.revision(key) else { throw .unexpectedRows }
        guard let row = LogRow(value) else { throw .brokenChain(revision) }
        self.revision = revision
        self.row = row
    }

    func header(_ value: Span<UInt8>) throws(LogError) -> Commit {
        do throws(CodecError) { return try CommitCodec.decodeHeader(value.extracting(row.body)) } catch {
            throw .unreadable(revision, error)
        }
    }
}
