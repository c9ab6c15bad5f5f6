internal import Events
internal import LMDB

/// Rows of one table of versions, collected and then written in the order of their keys.
struct RowBatch {
    private let tag: UInt32
    private var arena = ByteWriter(capacity: 1 << 12)
    private var rows: [(key: FixedKey, range: Range<Int>)] = []

    init(tag: UInt32) { self.tag = tag }

    var count: Int { rows.count }

    /// The versions of a thing that have changed: those that ended, and the present one.
    mutating func add<Document>(_ slot: Slot<Document>, _ key: (Revision) -> FixedKey) {
        for version in slot.ended { add(key(version.begin), end: version.end, version.value) }
        if let value = slot.value { add(key(slot.begin), end: .open, value) }
    }

    private mutating func add(_ key: FixedKey, end: Revision, _ document: some Versioned) {
        rows.append((key, VersionRow.write(key: key, tag: tag, end: end, into: &arena) { document.encode(into: &$0) }))
    }

    mutating func add(_ key: FixedKey, plain payload: (inout ByteWriter) -> Void) {
        let start = arena.bytes.count
        key.withBytes { keyBytes in arena.raw(PlainRow.bytes(key: keyBytes, tag: tag, payload)) }
        rows.append((key, start..<arena.bytes.count))
    }

    /// Puts the rows into the order of their keys. `n log n`.
    mutating func sort() { rows.sort { $0.key.number < $1.key.number } }

    /// Writes the rows, which are sorted.
    func write(
        to table: Table, in transaction: borrowing WriteTransaction, appending: Bool
    ) throws(StorageError) {
        let bytes = arena.bytes.span
        for (key, range) in rows { try transaction.put(bytes.extracting(range), in: table, for: key, appending: appending) }
    }
}
