internal import Events
internal import LMDB
internal import Permissions

/// Finding versions: of documents, one for each entity, and of relations, several for each entity.
extension IndexReader {
    /// Returns the current version of a document at the revision, and its span of revisions; nil, with the span of its absence,
    /// if it does not exist.
    func document<Document: Versioned>(_ id: DocumentID, as type: Document.Type) throws -> RevisionSpan<Document?> {
        var absentFrom = Revision.genesis
        let isThere = try documents.seek(atOrAfter: id.key(revision))
        if isThere, id.matches(documents.fixedKey) {
            let key = documents.fixedKey
            let found: RevisionSpan<Document?>? = try documents.withRow { _, row in
                let end = try VersionRow.end(key: key, tag: .documents, row)
                guard end > revision else {
                    absentFrom = end
                    return nil
                }
                return RevisionSpan(begin: key.begin, end: end, value: try Document.decode(row))
            }
            if let found { return found }
        }
        // Later versions come first: the next version, if one exists, ends the absence.
        var absentUntil = Revision.open
        if try isThere ? documents.previous() : documents.last(), id.matches(documents.fixedKey) {
            absentUntil = documents.fixedKey.begin
        }
        return RevisionSpan(begin: absentFrom, end: absentUntil, value: nil)
    }

    /// Calls `body` with the span and the row of each version of a document, the latest first, until it returns false.
    ///
    /// - Parameter revision: the revision to begin with.
    func forEachVersion(
        of id: DocumentID, from revision: Revision = .open,
        _ body: (_ begin: Revision, _ end: Revision, _ row: Span<UInt8>) throws -> Bool
    ) throws {
        var isThere = try documents.seek(atOrAfter: id.key(revision))
        while isThere, id.matches(documents.fixedKey) {
            let key = documents.fixedKey
            let goesOn = try documents.withRow { _, row in
                try body(key.begin, VersionRow.end(key: key, tag: .documents, row), row)
            }
            guard goesOn else { return }
            isThere = try documents.next()
        }
    }

    /// Calls `body` with the row of a document's current version at the revision, if one exists: for reading a part of it.
    func withDocument(_ id: DocumentID, _ body: (Span<UInt8>) throws -> Void) throws {
        try forEachVersion(of: id, from: revision) { _, end, row in
            if end > revision { try body(row) }
            return false
        }
    }

    func permissionGrant(_ permission: PermissionID) throws -> RevisionSpan<PermissionGrant?> {
        try document(DocumentID(kind: .permission, id: permission.rawValue), as: PermissionGrant.self)
    }

    func objectDocument(_ object: ObjectID) throws -> ObjectDocument? {
        try document(DocumentID(kind: .object, id: object.rawValue), as: ObjectDocument.self).value
    }

    /// Returns the relation of two entities at the revision; nil if it does not exist.
    func relation(_ prefix: RelationPrefix, _ second: UInt64) throws -> RelationDocument? {
        guard try relations.seek(atOrAfter: prefix.key(second, revision)) else { return nil }
        let key = relations.fixedKey
        guard prefix.matches(key), key.second == second else { return nil }
        return try relations.withRow { _, row in
            guard try VersionRow.end(key: key, tag: .relations, row) > revision else { return nil }
            return try decodeRelation(prefix, row)
        }
    }

    /// Returns all entities that an entity is related to at the revision, sorted. Linear in the versions of its relations.
    package func related(_ prefix: RelationPrefix) throws -> [UInt64] {
        var found: [UInt64] = []
        try forEachVersion(prefix) { key, end, _ in
            if key.begin <= revision, revision < end { found.append(key.second) }
            return true
        }
        return found
    }

    /// Calls `body` with every version of an entity's relations, until it returns false. They are sorted by the second entity,
    /// from a number on, and then by revision, the latest first; for the first number from a revision on.
    func forEachVersion(
        _ prefix: RelationPrefix, from first: UInt64 = 0, _ revision: Revision = .open,
        _ body: (FixedKey, _ end: Revision, RelationDocument) throws -> Bool
    ) throws {
        var isThere = try relations.seek(atOrAfter: prefix.key(first, revision))
        while isThere {
            let key = relations.fixedKey
            guard prefix.matches(key) else { return }
            let goesOn = try relations.withRow { _, row in
                let end = try VersionRow.end(key: key, tag: .relations, row)
                return try body(key, end, try decodeRelation(prefix, row))
            }
            guard goesOn else { return }
            isThere = try relations.next()
        }
    }

    func decodeRelation(_ prefix: RelationPrefix, _ row: Span<UInt8>) throws(CodecError) -> RelationDocument {
        var reader = ByteReader(offset: VersionRow.headerBytes)
        return try RelationDocument.decode(prefix.kind, row, &reader)
    }

    /// Returns a relation with its span of revisions; nil, with the end of its absence, if it does not exist.
    func relationVersion(_ prefix: RelationPrefix, _ second: UInt64) throws -> RevisionSpan<RelationDocument?> {
        let isThere = try relations.seek(atOrAfter: prefix.key(second, revision))
        if isThere, prefix.matches(relations.fixedKey), relations.fixedKey.second == second {
            let key = relations.fixedKey
            let (end, document) = try relations.withRow { _, row in
                (try VersionRow.end(key: key, tag: .relations, row), try decodeRelation(prefix, row))
            }
            if end > revision { return RevisionSpan(begin: key.begin, end: end, value: document) }
        }
        // Later versions come first, so the previous row is the next version.
        guard try isThere ? relations.previous() : relations.last(), prefix.matches(relations.fixedKey),
            relations.fixedKey.second == second
        else { return RevisionSpan(begin: .genesis, end: .open, value: nil) }
        return RevisionSpan(begin: .genesis, end: relations.fixedKey.begin, value: nil)
    }

    /// Returns the smallest number, from a given one on, that an entity was ever related to; nil if none exists.
    func nextRelated(_ prefix: RelationPrefix, from second: UInt64) throws -> UInt64? {
        guard try relations.seek(atOrAfter: prefix.key(second, .open)), prefix.matches(relations.fixedKey) else { return nil }
        return relations.fixedKey.second
    }
}

extension Versioned {
    /// Returns the document in the row of a version.
    static func decode(_ row: Span<UInt8>) throws(CodecError) -> Self {
        var reader = ByteReader(offset: VersionRow.headerBytes)
        return try decode(row, &reader)
    }
}
