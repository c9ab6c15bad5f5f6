internal import Dispatch
internal import Events
internal import Hashing
internal import LMDB

/// The changes of a working set, as rows for the index.
package struct PendingRows {
    /// Whether the rows are the whole index, and replace its present rows.
    var isWhole = false
    /// The state of the index after these rows.
    var state = IndexState()

    var documents = RowBatch(tag: .documents, keyBytes: 11)
    var relations = RowBatch(tag: .relations, keyBytes: 16)
    var times = RowBatch(tag: .times, keyBytes: 13)
    var requests = RowBatch(tag: .requests, keyBytes: 16)
    var ids = RowBatch(tag: .ids, keyBytes: 5)
    var properties = KeyedRows(tag: .properties)
    var outdatedTimes: [FixedKey] = []
    var names: [(key: [UInt8], row: [UInt8])] = []
    var expiries: [(key: [UInt8], row: [UInt8]?)] = []
    var audit = RowBatch(tag: .audit, keyBytes: 6)

    /// The minimum number of rows in a table for sorting with a second thread.
    private static let longRun = 50_000

    /// Sorts the rows of each table by key.
    mutating func sort() {
        // The two large tables of a long run are sorted in parallel.
        let sorting = [SortedBatch(documents), SortedBatch(relations)]
        (documents, relations) = (RowBatch(tag: .documents, keyBytes: 0), RowBatch(tag: .relations, keyBytes: 0))
        if sorting.allSatisfy({ $0.batch.count > Self.longRun }) {
            DispatchQueue.concurrentPerform(iterations: sorting.count) { sorting[$0].batch.sort() }
        } else {
            for batch in sorting { batch.batch.sort() }
        }
        (documents, relations) = (sorting[0].batch, sorting[1].batch)
        times.sort()
        requests.sort()
        ids.sort()
        properties.sort()
        audit.sort()
    }

    /// Writes all rows in a transaction. It can be repeated after the map has grown.
    ///
    /// - Parameter hash: the hash of the last folded commit.
    func write(
        to tables: IndexTables, in transaction: borrowing WriteTransaction, hash: Digest
    ) throws(StorageError) {
        // In empty tables each row is appended after the previous one, so that pages become full.
        let appending = isWhole
        if isWhole { for (_, table) in tables.all { try transaction.empty(table) } }
        for key in outdatedTimes { try transaction.delete(from: tables[.times], key: key) }
        for batch in [documents, relations, times, requests, ids] {
            try batch.write(to: tables, in: transaction, appending: appending)
        }
        try properties.write(to: tables, in: transaction, appending: appending)
        for (key, row) in names { try transaction.put(row.span, in: tables[.names], for: key.span, appending: appending) }
        for (key, row) in expiries {
            if let row {
                try transaction.put(row.span, in: tables[.expiries], for: key.span)
            } else {
                try transaction.delete(from: tables[.expiries], key: key.span)
            }
        }
        try audit.write(to: tables, in: transaction, appending: false)
        var state = state
        state.hash = hash
        let stateKey = IndexTables.stateKey
        let row = PlainRow.bytes(key: stateKey.span, tag: .state) { state.encode(into: &$0) }
        try transaction.put(row.span, in: tables[.state], for: stateKey.span)
    }
}

/// A batch to be sorted in parallel with another one.
private final class SortedBatch: @unchecked Sendable {
    var batch: RowBatch

    init(_ batch: RowBatch) { self.batch = batch }
}

extension WorkingSet {
    /// Smaller batches are added to an almost empty index. Larger ones rewrite it as a whole.
    private static let largeBatch = 1000

    /// Adds the whole store to the next batch if that is efficient; returns whether it did.
    private func prepareToWriteEverything() -> Bool {
        guard holdsEverything else { return false }
        if isIndexEmpty { return true }
        guard heldCount > Self.largeBatch else { return false }
        objects.touchAll()
        memberships.touchAll()
        classes.touchAll()
        permissions.touchAll()
        values.touchAll()
        properties.touchAll()
        slots.touchAll()
        relations.versions.touchAll()
        introduceAgain()
        return true
    }

    /// Returns the changes since the last call, sorted. The caller must write them before rows that are taken later.
    package func takePendingRows() -> PendingRows {
        let isWhole = prepareToWriteEverything()
        var rows = PendingRows()
        rows.isWhole = isWhole
        swap(&rows.properties, &pastProperties)
        properties.forEachUnwritten { object, document in
            for item in document.items where isWhole || item.begin > writtenRevision {
                rows.properties.add(PropertyRow.key(.present, document.classID, item, object), end: .open)
            }
        }
        objects.flush(into: &rows.documents)
        memberships.flush(into: &rows.documents)
        classes.flush(into: &rows.documents)
        permissions.flush(into: &rows.documents)
        values.flush(into: &rows.documents)
        properties.flush(into: &rows.documents)
        slots.flush(into: &rows.documents)
        relations.versions.flush(into: &rows.relations)
        for (time, revision) in newTimes { rows.times.add(IndexTables.timeKey(time, revision), plain: { _ in }) }
        rows.outdatedTimes = outdatedTimes.map { IndexTables.timeKey($0.time, $0.revision) }
        for (key, request) in newRequests {
            rows.requests.add(key) { request.encode(into: &$0) }
        }
        for (id, name) in newNames {
            rows.ids.add(IndexTables.idKey(id)) { $0.text(name) }
            let key = IndexTables.nameKey(name)
            rows.names.append((key, PlainRow.bytes(key: key.span, tag: .names) { $0.varint(id) }))
        }
        rows.names.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for (expiry, isPending) in expiries {
            let key = expiry.key
            let row = isPending ? PlainRow.bytes(key: key.span, tag: .expiries) { _ in } : nil
            rows.expiries.append((key, row))
        }
        rows.expiries.sort { $0.key.lexicographicallyPrecedes($1.key) }
        rows.audit = blocks.takeRows()
        rows.sort()
        rows.state = state
        countAsTaken()
        return rows
    }
}
