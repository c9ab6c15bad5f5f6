internal import Events
internal import Hashing
internal import LMDB

/// The value of a row of the log: the bytes of a commit or a refusal, followed by the hash of the chain.
struct LogRow {
    let body: Range<Int>
    let hash: Digest

    /// Returns nil for a value that is too short.
    init?(_ value: Span<UInt8>) {
        guard value.count > Digest.byteCount else { return nil }
        body = 0..<value.count - Digest.byteCount
        guard let hash = Digest(bytes: [UInt8](copying: value.extracting(body.upperBound..<value.count))) else { return nil }
        self.hash = hash
    }

    /// Whether the hash matches the body and the previous hash.
    func isSound(_ value: Span<UInt8>, after previous: Digest) -> Bool {
        Digest(chaining: previous, value.extracting(body)) == hash
    }
}

/// Decodes the commit of a revision.
func decodeCommit(_ revision: Revision, _ bytes: Span<UInt8>) throws(LogError) -> Commit {
    let commit: Commit
    do throws(CodecError) { commit = try CommitCodec.decode(bytes) } catch { throw .unreadable(revision, error) }
    guard commit.revision == revision else { throw .brokenChain(revision) }
    return commit
}

/// Decodes the refusal of a number.
func decodeRefusal(_ number: RefusalNumber, _ bytes: Span<UInt8>) throws(LogError) -> RecordedRefusal {
    let refusal: RecordedRefusal
    do throws(CodecError) { refusal = try RefusalCodec.decode(bytes) } catch { throw .unreadableRefusal(number, error) }
    guard refusal.number == number else { throw .brokenRefusals(number) }
    return refusal
}

/// Consecutive rows to append to the log, each chained to the previous one.
struct LogRows {
    /// The previous hash, and then the values of all rows. Each value ends with its hash, so the previous hash always precedes the
    /// next body, and both are hashed together.
    private var writer = ByteWriter(capacity: 256)
    private var rows: [(key: FixedKey, value: Range<Int>)] = []
    /// The hash of the last row.
    private(set) var hash: Digest

    init(after previous: Digest) {
        hash = previous
        writer.raw(previous.bytes)
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Adds a row. `encode` appends its body.
    mutating func add(_ key: FixedKey, _ encode: (inout ByteWriter) -> Void) {
        let start = writer.bytes.count
        encode(&writer)
        end(key, start, Digest(of: writer.bytes.span.extracting(start - Digest.byteCount..<writer.bytes.count)))
    }

    /// Adds a record after its hash was checked.
    mutating func add(_ key: FixedKey, _ record: ChainedRecord) {
        let start = writer.bytes.count
        writer.raw(record.bytes)
        end(key, start, record.hash)
    }

    private mutating func end(_ key: FixedKey, _ start: Int, _ hash: Digest) {
        writer.raw(hash.bytes)
        rows.append((key, start..<writer.bytes.count))
        self.hash = hash
    }

    /// Returns the rows as records, numbered from `first`.
    func records(from first: UInt64) -> [ChainedRecord] {
        zip(first..., rows).compactMap { number, row in
            let body = row.value.lowerBound..<row.value.upperBound - Digest.byteCount
            guard let hash = Digest(bytes: Array(writer.bytes[body.upperBound..<row.value.upperBound])) else { return nil }
            return ChainedRecord(number: number, bytes: Array(writer.bytes[body]), hash: hash)
        }
    }

    /// Appends the rows to a table.
    func write(to table: Table, in transaction: borrowing WriteTransaction) throws(StorageError) {
        let bytes = writer.bytes.span
        let rowWriter = try transaction.rowWriter(to: table, appending: true)
        defer { rowWriter.close() }
        for row in rows { try rowWriter.put(bytes.extracting(row.value), for: row.key) }
    }
}

extension Environment {
    /// Whether a row with a hash is in a table, under one of some keys. False if the file was overwritten in place by an older copy
    /// or by another file. Takes a few microseconds.
    func hasRow(_ hash: Digest, under keys: [FixedKey], in table: Table) -> Bool {
        do throws(StorageError) {
            let transaction = try beginReading(interruptible: false)
            defer { transaction.end() }
            for key in keys {
                let row = try key.withBytes { key throws(StorageError) in
                    try transaction.withValue(in: table, for: key) { value throws(StorageError) in LogRow(value) }
                }
                if row??.hash == hash { return true }
            }
            return false
        } catch {
            // The file was not read.
            return [.tooManyReaders, .insufficientResources, .processIDTaken].contains(error.kind)
        }
    }
}
