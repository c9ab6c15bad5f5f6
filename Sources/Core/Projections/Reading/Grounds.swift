internal import Events
internal import LMDB
internal import Permissions

/// Reads an index at one revision for the rules of access, and records the entities that were read and the end of their versions.
/// As long as none of them changes, a verdict based on them does not change either.
final class Grounds: AccessState {
    private let reader: IndexReader
    /// The first end among the versions that were read.
    private(set) var until = Revision.open
    /// The numbers of the entities that were read. It may contain duplicates.
    private(set) var things: [UInt64] = []
    /// The objects with parents that are already among the entities.
    private var climbed: Set<ObjectID> = []
    /// The last object read, which the rules read several times.
    private var current: (id: ObjectID, document: ObjectDocument?)?

    init(_ reader: IndexReader) { self.reader = reader }

    private func note(_ thing: some EntityID, until end: Revision) {
        things.append(thing.rawValue)
        until = min(until, end)
    }

    func objectDocument(_ object: ObjectID) throws -> ObjectDocument? {
        if let current, current.id == object { return current.document }
        let version = try reader.document(DocumentID(kind: .object, id: object.rawValue), as: ObjectDocument.self)
        note(object, until: version.end)
        current = (object, version.value)
        return version.value
    }

    /// Records every object above an object, since deleting one of them deletes the object. That ends the object's own version,
    /// so the ends of the versions above need not be recorded.
    private func noteParents(of object: ObjectID, _ parent: ObjectID?) throws {
        var (below, above) = (object, parent)
        while climbed.insert(below).inserted, let next = above {
            things.append(next.rawValue)
            (below, above) = (next, try reader.place(of: next)?.parent)
        }
    }

    /// Returns the principal that a question about a name refers to; nil for a role that does not exist.
    func principal(_ name: Name) throws -> PrincipalID? {
        if name.kind == .role, let number = try reader.number(of: name) { _ = try objectDocument(ObjectID(rawValue: number)) }
        return try reader.caller(name)
    }

    // MARK: Reading for the rules

    func subjects(of caller: PrincipalID) throws -> SubjectSet {
        let span = try reader.subjectSpan(of: caller)
        until = min(until, span.end)
        for subject in span.subjects.members { things.append(subject.rawValue) }
        return span.subjects
    }

    func place(of object: ObjectID) throws -> Place? {
        guard let document = try objectDocument(object) else { return nil }
        try noteParents(of: object, document.parent)
        return Place(classID: document.classID, parent: document.parent)
    }

    func level(on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges) throws -> Privileges {
        guard let document = try objectDocument(object) else { return [] }
        var entries = document.entries
        if document.isSpread {
            let prefix = RelationPrefix(kind: .entry, first: object.rawValue)
            for subject in subjects.members {
                let version = try reader.entryVersion(prefix, subject)
                until = min(until, version.end)
                if let entry = version.value { entries.append(entry) }
            }
        }
        for permission in document.attached {
            let grant = try reader.permissionGrant(permission)
            note(permission, until: grant.end)
            if let grant = grant.value { entries.append(AccessEntry(subject: grant.subject, forGood: grant.privileges)) }
        }
        return live(entries, for: subjects, at: instant)
    }

    func storeLevel(for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        try live(reader.storeLevelSpan(), on: .store, for: subjects, at: instant)
    }

    func classLevel(of classID: ClassID, for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        try live(reader.classSpan(classID), on: ObjectID(classID), for: subjects, at: instant)
    }

    private func live(_ span: ClassSpan, on object: ObjectID, for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        note(object, until: span.end)
        guard let entries = span.entries else { return try level(on: object, for: subjects, at: instant, wanted: .all) }
        return live(entries, for: subjects, at: instant)
    }

    private func live(_ entries: [AccessEntry], for subjects: SubjectSet, at instant: Instant) -> Privileges {
        var privileges: Privileges = []
        for entry in entries where subjects.contains(entry.subject) { privileges.formUnion(entry.live(at: instant)) }
        return privileges
    }

    func options(of classID: ClassID) throws -> ClassOptions? {
        let span = try reader.classSpan(classID)
        note(classID, until: span.end)
        return span.options
    }

    func links(to target: ObjectID, limit: Int) throws -> [CallerLinks] {
        let prefix = RelationPrefix(kind: .link, first: target.rawValue)
        var found: [CallerLinks] = []
        var writer: PrincipalID? = try reader.nextRelated(prefix, from: 0).map(PrincipalID.init(rawValue:))
        while found.count < limit, let next = writer {
            let version = try reader.relationVersion(prefix, next.rawValue)
            until = min(until, version.end)
            if let links = version.value { found.append(CallerLinks(writer: next, sources: links.sources)) }
            writer = try reader.nextRelated(prefix, from: next.rawValue + 1).map(PrincipalID.init(rawValue:))
        }
        return found
    }
}

extension IndexReader {
    /// Returns the entry of a subject in a separate row, with its span of revisions; nil, with the span of its absence, without
    /// such an entry.
    func entryVersion(_ prefix: RelationPrefix, _ subject: PrincipalID) throws -> RevisionSpan<AccessEntry?> {
        let version = try relationVersion(prefix, subject.rawValue)
        return RevisionSpan(begin: version.begin, end: version.end, value: version.value?.entry)
    }

    /// Returns a relation with its span of revisions; nil, with the end of its absence, if it does not exist.
    func relationVersion(_ prefix: RelationPrefix, _ second: UInt64) throws -> RevisionSpan<RelationDocument?> {
        let isThere = try relations.seek(atOrAfter: prefix.key(second, revision))
        if isThere, prefix.matches(relations.fixedKey), relations.fixedKey.second == second {
            let key = relations.fixedKey
            let (end, document) = try relations.withRow { _, row in
                (try VersionRow.end(key: key, tag: IndexTables.Tag.relations, row), try decodeRelation(prefix, row))
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
