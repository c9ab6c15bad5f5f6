internal import Events
internal import LMDB
internal import Permissions

/// Finding versions: of documents, which are one for each thing, and of relations, which are many.
extension IndexReader {
    /// The version of a document in force at the revision, and the span of revisions for which it is; nil, with the span of its
    /// absence, where there is none.
    func document<Document: Versioned>(_ id: DocumentID, as type: Document.Type) throws -> RevisionSpan<Document?> {
        var absentFrom = Revision.genesis
        let isThere = try documents.seek(atOrAfter: id.key(revision))
        if isThere, id.matches(documents.fixedKey) {
            let key = documents.fixedKey
            let found: RevisionSpan<Document?>? = try documents.withRow { _, row in
                let end = try VersionRow.end(key: key, tag: IndexTables.Tag.documents, row)
                guard end > revision else {
                    absentFrom = end
                    return nil
                }
                var reader = ByteReader(offset: VersionRow.headerBytes)
                return RevisionSpan(begin: key.begin, end: end, value: try Document.decode(row, &reader))
            }
            if let found { return found }
        }
        // Later versions stand before: the next one, if there is one, ends the absence.
        var absentUntil = Revision.open
        if try isThere ? documents.previous() : documents.last(), id.matches(documents.fixedKey) {
            absentUntil = documents.fixedKey.begin
        }
        return RevisionSpan(begin: absentFrom, end: absentUntil, value: nil)
    }

    /// Hands out every version of a document, the latest first.
    func forEachVersion<Document: Versioned>(
        of id: DocumentID, as type: Document.Type, _ body: (Document) throws -> Void
    ) throws {
        var isThere = try documents.seek(atOrAfter: id.key(.open))
        while isThere, id.matches(documents.fixedKey) {
            let key = documents.fixedKey
            try documents.withRow { _, row in
                _ = try VersionRow.end(key: key, tag: IndexTables.Tag.documents, row)
                var reader = ByteReader(offset: VersionRow.headerBytes)
                try body(try Document.decode(row, &reader))
            }
            isThere = try documents.next()
        }
    }

    /// Hands out the row of a document's version in force at the revision, where there is one: for reading a part of it.
    func withDocument(_ id: DocumentID, _ body: (Span<UInt8>) throws -> Void) throws {
        guard try documents.seek(atOrAfter: id.key(revision)) else { return }
        let key = documents.fixedKey
        guard id.matches(key) else { return }
        try documents.withRow { _, row in
            if try VersionRow.end(key: key, tag: IndexTables.Tag.documents, row) > revision { try body(row) }
        }
    }

    func permissionGrant(_ permission: PermissionID) throws -> RevisionSpan<PermissionGrant?> {
        try document(DocumentID(kind: .permission, id: permission.rawValue), as: PermissionGrant.self)
    }

    func objectDocument(_ object: ObjectID) throws -> ObjectDocument? {
        try document(DocumentID(kind: .object, id: object.rawValue), as: ObjectDocument.self).value
    }

    /// The relation of two things at the revision; nil where there is none.
    func relation(_ prefix: RelationPrefix, _ second: UInt64) throws -> RelationDocument? {
        guard try relations.seek(atOrAfter: prefix.key(second, revision)) else { return nil }
        let key = relations.fixedKey
        guard prefix.matches(key), key.second == second else { return nil }
        return try relations.withRow { _, row in
            guard try VersionRow.end(key: key, tag: IndexTables.Tag.relations, row) > revision else { return nil }
            return try decodeRelation(prefix, row)
        }
    }

    /// Everything that a thing is related to at the revision, sorted. Linear in the versions of its relations.
    func related(_ prefix: RelationPrefix) throws -> [UInt64] {
        var found: [UInt64] = []
        try forEachVersion(prefix) { key, end, _ in
            if key.begin <= revision, revision < end { found.append(key.second) }
            return true
        }
        return found
    }

    /// Hands out every version of a thing's relations, by the second thing from a number on and then the latest first, for as
    /// long as `body` answers true.
    func forEachVersion(
        _ prefix: RelationPrefix, from first: UInt64 = 0, _ body: (FixedKey, _ end: Revision, RelationDocument) throws -> Bool
    ) throws {
        var isThere = try relations.seek(atOrAfter: prefix.key(first, .open))
        while isThere {
            let key = relations.fixedKey
            guard prefix.matches(key) else { return }
            let goesOn = try relations.withRow { _, row in
                let end = try VersionRow.end(key: key, tag: IndexTables.Tag.relations, row)
                return try body(key, end, try decodeRelation(prefix, row))
            }
            guard goesOn else { return }
            isThere = try relations.next()
        }
    }

    func decodeRelation(_ prefix: RelationPrefix, _ row: Span<UInt8>) throws(DecodingFault) -> RelationDocument {
        var reader = ByteReader(offset: VersionRow.headerBytes)
        return try RelationDocument.decode(prefix.kind, row, &reader)
    }
}
