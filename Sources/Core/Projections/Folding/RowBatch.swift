internal import Events
internal import LMDB

/// Rows of one table, collected and then written in the order of their keys.
struct RowBatch {
    private let tag: UInt32
    private let keyBytes: Int
    private var arena = ByteWriter(capacity: 1 << 10)
    private var rows: [Row] = []

    private struct Row {
        let key: UInt128
        let offset: Int
        let byteCount: Int
    }

    init(tag: UInt32, keyBytes: Int) {
        self.tag = tag
        self.keyBytes = keyBytes
    }

    var count: Int { rows.count }

    /// Adds a version of a document or relation.
    mutating func add(_ key: FixedKey, end: Revision, _ document: some Versioned) {
        let range = VersionRow.write(key: key, tag: tag, end: end, into: &arena) { document.encode(into: &$0) }
        rows.append(Row(key: key.number, offset: range.lowerBound, byteCount: range.count))
    }

    /// Adds a row without versions.
    mutating func add(_ key: FixedKey, plain payload: (inout ByteWriter) -> Void) {
        let start = arena.bytes.count
        key.withBytes { keyBytes in arena.raw(PlainRow.bytes(key: keyBytes, tag: tag, payload)) }
        rows.append(Row(key: key.number, offset: start, byteCount: arena.bytes.count - start))
    }

    /// Sorts the rows by key. `n log n`.
    mutating func sort() { rows.sort { $0.key < $1.key } }

    /// Writes the sorted rows.
    func write(
        to table: Table, in transaction: borrowing WriteTransaction, appending: Bool
    ) throws(StorageError) {
        let bytes = arena.bytes.span
        let appender = appending ? try transaction.appender(to: table) : nil
        defer { appender?.close() }
        for row in rows {
            let value = bytes.extracting(row.offset..<row.offset + row.byteCount)
            let key = FixedKey(row.key, byteCount: keyBytes)
            if let appender { try appender.append(value, for: key) } else { try transaction.put(value, in: table, for: key) }
        }
    }
}
