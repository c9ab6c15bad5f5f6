internal import Events
internal import LMDB

/// Rows without payload under keys of any length, and deletions: collected, and then written in the order of their keys.
struct KeyedRows {
    private let tag: IndexTables.Tag
    private var arena: [UInt8] = []
    private var rows: [Row] = []

    private struct Row {
        /// The first sixteen bytes of the key, which decide most comparisons.
        let front: UInt128
        let offset: Int
        let byteCount: Int
        /// nil for a row to delete.
        let end: Revision?
    }

    init(tag: IndexTables.Tag) { self.tag = tag }

    var count: Int { rows.count }

    /// Adds a version that ends at a revision; nil to delete its row.
    mutating func add(_ key: [UInt8], end: Revision?) {
        let front = (0..<16).reduce(UInt128(0)) { $0 << 8 | UInt128($1 < key.count ? key[$1] : 0) }
        rows.append(Row(front: front, offset: arena.count, byteCount: key.count, end: end))
        arena.append(contentsOf: key)
    }

    /// Sorts the rows by key. `n log n`.
    mutating func sort() {
        let arena = arena
        rows.sort { left, right in
            if left.front != right.front { return left.front < right.front }
            return arena[left.offset..<left.offset + left.byteCount]
                .lexicographicallyPrecedes(arena[right.offset..<right.offset + right.byteCount])
        }
    }

    /// Writes the sorted rows. If they are appended to an empty table, deletions are skipped.
    func write(
        to tables: IndexTables, in transaction: borrowing WriteTransaction, appending: Bool
    ) throws(StorageError) {
        let bytes = arena.span
        for row in rows {
            let key = bytes.extracting(row.offset..<row.offset + row.byteCount)
            if let end = row.end {
                let value = PlainRow.bytes(key: key, tag: tag) { $0.bigEndian(end.rawValue, byteCount: 5) }
                try transaction.put(value.span, in: tables[tag], for: key, appending: appending)
            } else if !appending {
                try transaction.delete(from: tables[tag], key: key)
            }
        }
    }
}
