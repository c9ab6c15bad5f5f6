public import Events
public import Hashing
internal import LMDB

/// A view of the log at one moment, for one thread at a time.
public final class LogReader {
    private let transaction: ReadTransaction
    private let table: Table

    init(transaction: ReadTransaction, table: Table) {
        self.transaction = transaction
        self.table = table
    }

    public func end() { transaction.end() }

    /// The last commit; nil in an empty log. Logarithmic.
    func lastHead() throws -> LogHead? {
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        guard try cursor.last() else { return nil }
        return try cursor.withRow { key, value in
            let record = try Record(key: key, value: value)
            let header = try record.header(value)
            return LogHead(revision: record.revision, time: header.time, hash: record.hash)
        }
    }

    /// The commit of a revision, checked against its hash and the one before. Logarithmic, and linear in the commit.
    public func commit(at revision: Revision) throws -> Commit {
        var found: Commit?
        try forEachCommit(from: revision, to: revision) { commit, _ in found = commit }
        guard let found else { throw LogError.missing(revision) }
        return found
    }

    /// When a revision was committed, checked against its hash and the one before. Logarithmic, and linear in the commit.
    public func time(of revision: Revision) throws -> Instant { try header(of: revision).time }

    /// The commit of a revision without its events, checked against its hash and the one before. Logarithmic, and linear in the
    /// commit.
    public func header(of revision: Revision) throws -> Commit {
        var header: Commit?
        try forEachRecord(from: revision, to: revision) { record, value, _ in header = try record.header(value) }
        guard let header else { throw LogError.missing(revision) }
        return header
    }

    /// The hash of a revision, as the log has it. Logarithmic.
    public func hash(of revision: Revision) throws -> Digest { try record(of: revision) { record, _ in record.hash } }

    private func record<R>(of revision: Revision, _ body: (Record, Span<UInt8>) throws -> R) throws -> R {
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        guard try cursor.seek(atOrAfter: revision.logKey.span) else { throw LogError.missing(revision) }
        return try cursor.withRow { key, value in
            let record = try Record(key: key, value: value)
            guard record.revision == revision else { throw LogError.missing(revision) }
            return try body(record, value)
        }
    }

    /// Hands out the commits of a span of revisions in order, each with its hash, after checking the chain up to it.
    ///
    /// - Throws: ``LogError/missing(_:)`` for a gap, ``LogError/brokenChain(_:)``, ``LogError/unreadable(_:_:)``.
    public func forEachCommit(
        from first: Revision, to last: Revision, _ body: (Commit, Digest) throws -> Void
    ) throws {
        try forEachRecord(from: first, to: last) { record, value, commitBytes in
            let commit: Commit
            do throws(DecodingFault) { commit = try CommitCodec.decode(commitBytes) } catch {
                throw LogError.unreadable(record.revision, error)
            }
            guard commit.revision == record.revision else { throw LogError.brokenChain(record.revision) }
            try body(commit, record.hash)
        }
    }

    /// Decodes every event of the log without looking at hashes, for measuring; answers how many there are.
    public func scanEvents() throws -> Int {
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        var count = 0
        var isThere = try cursor.first()
        while isThere {
            try cursor.withRow { key, value in
                let record = try Record(key: key, value: value)
                do throws(DecodingFault) {
                    count += try CommitCodec.decode(value.extracting(record.commitRange)).events.count
                } catch {
                    throw LogError.unreadable(record.revision, error)
                }
            }
            isThere = try cursor.next()
        }
        return count
    }

    private func forEachRecord(
        from first: Revision, to last: Revision, _ body: (Record, Span<UInt8>, Span<UInt8>) throws -> Void
    ) throws {
        guard first <= last else { return }
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        var previous = Digest.zero
        // The record before the first one holds the hash that the chain goes on from.
        let start = first == .genesis ? first : Revision(first.rawValue - 1)
        var expected = start
        var isThere = try cursor.seek(atOrAfter: start.logKey.span)
        while expected <= last {
            guard isThere else { throw LogError.missing(expected) }
            try cursor.withRow { key, value in
                let record = try Record(key: key, value: value)
                guard record.revision == expected else { throw LogError.missing(expected) }
                let commitBytes = value.extracting(record.commitRange)
                if expected >= first {
                    try record.check(commitBytes, behind: previous)
                    try body(record, value, commitBytes)
                }
                previous = record.hash
            }
            expected = expected.next
            if expected <= last { isThere = try cursor.next() }
        }
    }
}

/// A row of the log: a revision, the commit's bytes, a hash.
private struct Record {
    let revision: Revision
    let hash: Digest
    let commitRange: Range<Int>

    init(key: Span<UInt8>, value: Span<UInt8>) throws(LogError) {
        var number: UInt64 = 0
        for index in key.indices.prefix(8) { number = number << 8 | UInt64(key[index]) }
        revision = Revision(number)
        guard key.count == 8, value.count > Digest.byteCount else { throw .brokenChain(revision) }
        commitRange = 0..<value.count - Digest.byteCount
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Digest.byteCount)
        for index in commitRange.upperBound..<value.count { bytes.append(value[index]) }
        guard let hash = Digest(bytes: bytes) else { throw .brokenChain(revision) }
        self.hash = hash
    }

    func header(_ value: Span<UInt8>) throws(LogError) -> Commit {
        do throws(DecodingFault) { return try CommitCodec.decodeHeader(value.extracting(commitRange)) } catch {
            throw .unreadable(revision, error)
        }
    }

    func check(_ commitBytes: Span<UInt8>, behind previous: Digest) throws(LogError) {
        guard Digest(chaining: previous, commitBytes) == hash else { throw .brokenChain(revision) }
    }
}
