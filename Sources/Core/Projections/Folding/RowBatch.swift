internal import Events
internal import LMDB

/// Rows of one table, collected and then written in the order of their keys.
struct RowBatch {
    private let tag: IndexTables.Tag
    private let keyBytes: Int
    private var arena = ByteWriter(capacity: 0)
    private var rows: [Row] = []

    private struct Row {
        let key: UInt128
        let offset: Int
        let byteCount: Int
    }

    init(tag: IndexTables.Tag, keyBytes: Int) {
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
        let range = key.withBytes { PlainRow.write(key: $0, tag: tag, into: &arena, payload) }
        rows.append(Row(key: key.number, offset: range.lowerBound, byteCount: range.count))
    }

    /// Moves the rows of another batch to the end of this one.
    mutating func append(_ other: inout RowBatch) {
        if other.rows.isEmpty { return }
        if rows.isEmpty {
            swap(&self, &other)
            return
        }
        let start = arena.bytes.count
        arena.raw(other.arena.bytes)
        rows.append(
            contentsOf: other.rows.lazy.map { Row(key: $0.key, offset: start + $0.offset, byteCount: $0.byteCount) })
        other = RowBatch(tag: other.tag, keyBytes: other.keyBytes)
    }

    /// Removes the last rows.
    ///
    /// - Parameter count: the number of rows to keep. They must have been added after the last sort.
    mutating func truncate(to count: Int) {
        guard count < rows.count else { return }
        arena.truncate(to: rows[count].offset)
        rows.removeSubrange(count...)
    }

    /// Calls `body` with the bytes of a version's row, and a reader at the document in it.
    func withPayload<R>(_ row: Int, _ body: (Span<UInt8>, inout ByteReader) -> R) -> R {
        let (offset, count) = (rows[row].offset, rows[row].byteCount)
        var reader = ByteReader(offset: VersionRow.headerBytes)
        return body(arena.bytes.span.extracting(offset..<offset + count), &reader)
    }

    /// Sorts the rows by key. `n log n`.
    mutating func sort() { rows.sort { $0.key < $1.key } }

    /// Writes the sorted rows.
    func write(
        to tables: IndexTables, in transaction: borrowing WriteTransaction, appending: Bool
    ) throws(StorageError) {
        if rows.isEmpty { return }
        let bytes = arena.bytes.span
        let writer = try transaction.rowWriter(to: tables[tag], appending: appending)
        defer { writer.close() }
        for row in rows {
            let value = bytes.extracting(row.offset..<row.offset + row.byteCount)
            try writer.put(value, for: FixedKey(row.key, byteCount: keyBytes))
        }
    }
}
