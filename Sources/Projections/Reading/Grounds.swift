internal import Events
internal import LMDB
internal import Permissions

/// What the rules of access read of an index at one revision, noting on the way until when all of it holds and which things it
/// is about: while none of these changes, neither does a verdict that rests on them.
final class Grounds: AccessState {
    private let reader: IndexReader
    /// Where the first of the versions that were read ends.
    private(set) var until = Revision.open
    /// The numbers of what was read about. Some can come twice.
    private(set) var things: [UInt64] = []
    /// The objects whose parents are among the things.
    private var climbed: Set<ObjectID> = []
    /// The object read last, which the rules ask for several times.
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

    /// Notes everything above an object, with which the object goes when it is deleted. That ends the object's own version, so no
    /// version above has to hold for that.
    private func noteParents(of object: ObjectID, _ parent: ObjectID?) throws {
        var (below, above) = (object, parent)
        while climbed.insert(below).inserted, let next = above {
            things.append(next.rawValue)
            (below, above) = (next, try reader.place(of: next)?.parent)
        }
    }

    /// Whom a question about a name asks about; nil for a role that is not there.
    func principal(_ name: Name) throws -> PrincipalID? {
        if name.kind == .role, let number = try reader.number(of: name) { _ = try objectDocument(ObjectID(rawValue: number)) }
        return try reader.caller(name)
    }

    // MARK: What the rules read

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

    func sources(linkingTo target: ObjectID) throws -> [ObjectID] {
        var sources: [ObjectID] = []
        try reader.forEachVersion(RelationPrefix(kind: .link, first: target.rawValue)) { key, end, _ in
            if key.begin > reader.revision {
                until = min(until, key.begin)
            } else if end > reader.revision {
                until = min(until, end)
                sources.append(ObjectID(rawValue: key.second))
            }
            return true
        }
        return sources
    }
}

extension IndexReader {
    /// The entry of a subject that has a row of its own, with the span of revisions for which it is that; nil, with the span of
    /// its absence, where there is none.
    func entryVersion(_ prefix: RelationPrefix, _ subject: PrincipalID) throws -> RevisionSpan<AccessEntry?> {
        var found = RevisionSpan<AccessEntry?>(begin: .genesis, end: .open, value: nil)
        // Later versions stand before, so the last one met that begins behind the revision is the next one.
        var isThere = try relations.seek(atOrAfter: prefix.key(subject.rawValue, .open))
        while isThere {
            let key = relations.fixedKey
            guard prefix.matches(key), key.second == subject.rawValue else { break }
            let (end, entry) = try relations.withRow { _, row in
                let end = try VersionRow.end(key: key, tag: IndexTables.Tag.relations, row)
                var reader = ByteReader(offset: VersionRow.headerBytes)
                return (end, try AccessEntry.decode(row, &reader))
            }
            guard key.begin > revision else {
                if end > revision { found = RevisionSpan(begin: key.begin, end: end, value: entry) }
                break
            }
            found = RevisionSpan(begin: .genesis, end: key.begin, value: nil)
            isThere = try relations.next()
        }
        return found
    }
}
