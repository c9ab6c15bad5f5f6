internal import Events
internal import LMDB

/// Reads the newest versions from an index, for the writer. It is never interrupted, since a commit must be decided in full.
final class HeadReader {
    let transaction: ReadTransaction
    let tables: IndexTables
    private let documents: Cursor
    private let relations: Cursor
    let expiries: Cursor
    private let times: Cursor

    init(environment: Environment, tables: IndexTables) throws(StorageError) {
        transaction = try environment.beginReading(interruptible: false)
        self.tables = tables
        documents = try transaction.cursor(over: tables[.documents])
        relations = try transaction.cursor(over: tables[.relations])
        expiries = try transaction.cursor(over: tables[.expiries])
        times = try transaction.cursor(over: tables[.times])
    }

    /// Resets the read transaction, so that the map can grow and pages can be reused.
    func rest() { transaction.reset() }

    /// Renews the read transaction at the present state of the index.
    func renew() throws(StorageError) { try transaction.renew() }

    /// Whether a writer that does not know of this read transaction may have begun to reuse its pages.
    var isOvertaken: Bool { transaction.isOvertaken }

    func end() {
        for cursor in [documents, relations, expiries, times] { cursor.close() }
        transaction.end()
    }

    /// Returns the version of a document that has not ended.
    func document<Document: Versioned>(
        _ id: DocumentID, as type: Document.Type
    ) throws -> (begin: Revision, value: Document?) {
        guard try documents.seek(atOrAfter: id.key(.open)), id.matches(documents.fixedKey) else { return (.genesis, nil) }
        return try decodeOpen(documents, tag: .documents) { row, reader throws(CodecError) in
            try Document.decode(row, &reader)
        }
    }

    func relation(
        _ prefix: RelationPrefix, _ second: UInt64
    ) throws -> (begin: Revision, value: RelationDocument?) {
        guard try relations.seek(atOrAfter: prefix.key(second, .open)), prefix.matches(relations.fixedKey),
            relations.fixedKey.second == second
        else { return (.genesis, nil) }
        return try openRelation(prefix)
    }

    /// Returns every second entity that the first one is related to in the index, sorted.
    ///
    /// - Parameter willRead: called before each row; if it throws, the reading stops.
    func seconds(_ prefix: RelationPrefix, willRead: () throws -> Void) throws -> [UInt64] {
        var found: [UInt64] = []
        var previous: UInt64?
        var isThere = try relations.seek(atOrAfter: prefix.key(0, .open))
        while isThere, prefix.matches(relations.fixedKey) {
            try willRead()
            let second = relations.fixedKey.second
            if second != previous {
                previous = second
                if try openRelation(prefix).value != nil { found.append(second) }
                isThere = try relations.next()
            } else {
                // An ended version. The next relation takes one search, whatever the number of versions.
                isThere = try relations.seek(atOrAfter: prefix.key(second + 1, .open))
            }
        }
        return found
    }

    private func openRelation(_ prefix: RelationPrefix) throws -> (begin: Revision, value: RelationDocument?) {
        try decodeOpen(relations, tag: .relations) { row, reader throws(CodecError) in
            try RelationDocument.decode(prefix.kind, row, &reader)
        }
    }

    private func decodeOpen<Document>(
        _ cursor: Cursor, tag: IndexTables.Tag, _ decode: (Span<UInt8>, inout ByteReader) throws(CodecError) -> Document
    ) throws -> (begin: Revision, value: Document?) {
        let key = cursor.fixedKey
        return try cursor.withRow { _, row in
            let end = try VersionRow.end(key: key, tag: tag, row)
            guard end == .open else { return (end, nil) }
            var reader = ByteReader(offset: VersionRow.headerBytes)
            return (key.begin, try decode(row, &reader))
        }
    }

    /// Calls `body` with the commits in the index that are later than an instant, in order.
    func forEachTime(after instant: Instant, _ body: ((time: Instant, revision: Revision)) -> Void) throws {
        var isThere = try times.seek(atOrAfter: IndexTables.timeKey(instant, .open))
        while isThere {
            let found = try times.commitTime()
            if found.time > instant { body(found) }
            isThere = try times.next()
        }
    }
}
