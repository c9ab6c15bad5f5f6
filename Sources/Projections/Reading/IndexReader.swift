public import Events
internal import LMDB
public import Permissions

/// A view of an index, for one thread at a time: answers as of any revision up to the one that the index has folded.
///
/// Each version in the index says where it begins and where it ends, so that looking back is one search, as looking at the
/// present is. Who counts as whom, and the levels above objects, are kept in memory with the span of revisions they hold for.
public final class IndexReader {
    /// Spans of callers' subjects kept in memory.
    private static let subjectCacheLimit = 200_000

    let transaction: ReadTransaction
    let tables: IndexTables
    /// On the object last looked at.
    private let objects: Cursor
    let documents: Cursor
    let relations: Cursor
    private let times: Cursor

    /// How far the index had folded when the view was taken.
    public private(set) var state: IndexState
    private var snapshotID: Int
    /// The revision that answers are about. Set it with ``look(at:)``.
    public private(set) var revision: Revision

    /// The object that `objects` stands on; nil after it has moved on.
    private var current: CurrentObject?
    private var subjectSpans: [PrincipalID: [RevisionSpan<SubjectSet>]] = [:]
    private var subjectSpanCount = 0
    private var optionSpans: [ClassID: [RevisionSpan<ClassOptions?>]] = [:]
    private var levelSpans: [ObjectID: [RevisionSpan<UpperLevel>]] = [:]
    private var administratorSpans: [RevisionSpan<PrincipalID>]?

    private struct CurrentObject {
        let id: ObjectID
        let place: Place?
        let isSpread: Bool
        let attachedCount: Int
        let attachedOffset: Int
    }

    /// The entries of the store or of a class.
    private struct UpperLevel {
        /// Own entries and those of attached permissions; nil where they are too many to keep.
        let entries: [AccessEntry]?
    }

    init(transaction: ReadTransaction, tables: IndexTables) throws {
        self.transaction = transaction
        self.tables = tables
        objects = try transaction.cursor(over: tables.documents)
        documents = try transaction.cursor(over: tables.documents)
        relations = try transaction.cursor(over: tables.relations)
        times = try transaction.cursor(over: tables.times)
        guard let state = try tables.readState(in: transaction) else { throw IndexError.unusable("it is empty") }
        self.state = state
        snapshotID = transaction.snapshotID
        revision = state.revision
    }

    public func end() {
        for cursor in [objects, documents, relations, times] { cursor.close() }
        transaction.end()
    }

    /// Rests the view, so that it holds nothing back.
    public func rest() { transaction.reset() }

    /// Takes the view up as the index is now, looking at its head.
    public func renew() throws {
        try transaction.renew()
        current = nil
        if transaction.snapshotID != snapshotID {
            guard let state = try tables.readState(in: transaction) else { throw IndexError.unusable("it is empty") }
            if state.membershipRevision != self.state.membershipRevision {
                subjectSpans.removeAll(keepingCapacity: true)
                subjectSpanCount = 0
                administratorSpans = nil
            }
            if state.schemaRevision != self.state.schemaRevision {
                optionSpans.removeAll(keepingCapacity: true)
                levelSpans.removeAll(keepingCapacity: true)
            }
            self.state = state
            snapshotID = transaction.snapshotID
        }
        revision = state.revision
    }

    /// Turns to a revision; everything that is asked from now on is about it.
    public func look(at revision: Revision) {
        precondition(revision <= state.revision, "a revision beyond the head")
        if revision != self.revision { current = nil }
        self.revision = revision
    }

    /// The last revision whose commit was at or before an instant; 0 before the first commit. Logarithmic.
    public func revision(at instant: Instant) throws -> Revision {
        // The first key behind every commit at this instant; the one before it is the answer.
        let isBehind = try times.seek(atOrAfter: IndexTables.timeKey(instant, .open))
        guard try isBehind ? times.previous() : times.last() else { return .genesis }
        let revision = Revision(UInt64(truncatingIfNeeded: times.fixedKey.number) & Revision.open.rawValue)
        return min(revision, state.revision)
    }
}

// MARK: - What the rules of access read

extension IndexReader: AccessState {
    public func place(of object: ObjectID) throws -> Place? { try stand(on: object).place }

    /// Moves to an object, and reads the front of its document.
    @inline(__always)
    private func stand(on object: ObjectID) throws -> CurrentObject {
        if let current, current.id == object { return current }
        let id = DocumentID(kind: .object, id: object.rawValue)
        var found = CurrentObject(id: object, place: nil, isSpread: false, attachedCount: 0, attachedOffset: 0)
        if try objects.seek(atOrAfter: id.key(revision)) {
            let key = objects.fixedKey
            if id.matches(key) {
                try objects.withRow { _, row in
                    guard try VersionRow.end(key: key, tag: IndexTables.Tag.documents, row) > revision else { return }
                    var reader = ByteReader(offset: VersionRow.headerBytes)
                    let head = try ObjectDocument.ObjectHead(row, &reader)
                    found = CurrentObject(
                        id: object, place: head.place, isSpread: head.isSpread, attachedCount: head.attachedCount,
                        attachedOffset: head.attachedOffset)
                }
            }
        }
        current = found
        return found
    }

    public func level(on object: ObjectID, for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        let current = try stand(on: object)
        guard current.place != nil else { return [] }
        var privileges: Privileges = []
        if current.attachedCount > 0 { privileges.formUnion(try attachedLevel(current, for: subjects)) }
        if current.isSpread {
            privileges.formUnion(try spreadLevel(on: object, for: subjects, at: instant))
        } else {
            try objects.withRow { _, row in
                var reader = ByteReader(offset: current.attachedOffset)
                for _ in 0..<current.attachedCount { _ = try reader.varint(row) }
                _ = try reader.varint(row)
                _ = try reader.varint(row)
                _ = try reader.varint(row)
                let count = try reader.varint(row)
                for _ in 0..<count {
                    privileges.formUnion(try AccessEntry.live(row, &reader, for: subjects, at: instant))
                }
            }
        }
        return privileges
    }

    private func attachedLevel(_ current: CurrentObject, for subjects: SubjectSet) throws -> Privileges {
        var permissions: [PermissionID] = []
        try objects.withRow { _, row in
            var reader = ByteReader(offset: current.attachedOffset)
            for _ in 0..<current.attachedCount { permissions.append(PermissionID(rawValue: try reader.varint(row))) }
        }
        return try permissions.reduce(into: []) { privileges, permission in
            guard let grant = try permissionGrant(permission).value, subjects.contains(grant.subject) else { return }
            privileges.formUnion(grant.privileges)
        }
    }

    private func spreadLevel(on object: ObjectID, for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        let prefix = RelationPrefix(kind: .entry, first: object.rawValue)
        return try subjects.members.reduce(into: []) { privileges, subject in
            guard let entry = try relation(prefix, subject.rawValue)?.entry else { return }
            privileges.formUnion(entry.live(at: instant))
        }
    }

    public func storeLevel(for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        try upperLevel(.store, for: subjects, at: instant)
    }

    public func classLevel(of classID: ClassID, for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        try upperLevel(ObjectID(classID), for: subjects, at: instant)
    }

    private func upperLevel(_ object: ObjectID, for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        let level: UpperLevel
        if let known = levelSpans[object]?.first(where: { $0.covers(revision) }) {
            level = known.value
        } else {
            let span = try loadUpperLevel(object)
            levelSpans[object, default: []].append(span)
            level = span.value
        }
        guard let entries = level.entries else { return try self.level(on: object, for: subjects, at: instant) }
        var privileges: Privileges = []
        for entry in entries where subjects.contains(entry.subject) { privileges.formUnion(entry.live(at: instant)) }
        return privileges
    }

    private func loadUpperLevel(_ object: ObjectID) throws -> RevisionSpan<UpperLevel> {
        let document = try document(DocumentID(kind: .object, id: object.rawValue), as: ObjectDocument.self)
        guard let value = document.value else { return RevisionSpan(begin: document.begin, end: document.end, value: UpperLevel(entries: [])) }
        guard !value.isSpread else { return RevisionSpan(begin: document.begin, end: document.end, value: UpperLevel(entries: nil)) }
        var (begin, end) = (document.begin, document.end)
        var entries = value.entries
        for permission in value.attached {
            let grant = try permissionGrant(permission)
            (begin, end) = (max(begin, grant.begin), min(end, grant.end))
            if let grant = grant.value { entries.append(AccessEntry(subject: grant.subject, forGood: grant.privileges)) }
        }
        return RevisionSpan(begin: begin, end: end, value: UpperLevel(entries: entries))
    }

    public func options(of classID: ClassID) throws -> ClassOptions? {
        if let known = optionSpans[classID]?.first(where: { $0.covers(revision) }) { return known.value }
        let span = try document(DocumentID(kind: .classOptions, id: classID.rawValue), as: ClassOptions.self)
        optionSpans[classID, default: []].append(span)
        return span.value
    }

    public func sources(linkingTo target: ObjectID) throws -> [ObjectID] {
        try related(RelationPrefix(kind: .link, first: target.rawValue)).map(ObjectID.init(rawValue:))
    }

    public func subjects(of caller: PrincipalID) throws -> SubjectSet {
        if let known = subjectSpans[caller]?.first(where: { $0.covers(revision) }) { return known.value }
        let span = try findSubjects(of: caller)
        if subjectSpanCount >= Self.subjectCacheLimit {
            subjectSpans.removeAll(keepingCapacity: true)
            subjectSpanCount = 0
        }
        subjectSpans[caller, default: []].append(span)
        subjectSpanCount += 1
        return span.value
    }

    private func findSubjects(of caller: PrincipalID) throws -> RevisionSpan<SubjectSet> {
        var (begin, end) = (Revision.genesis, Revision.open)
        var members: Set<PrincipalID> = [caller]
        if caller != .anonymous {
            members.formUnion([.everyone, .anonymous])
            var pending = [caller, .everyone]
            while let next = pending.popLast() {
                let document = try document(DocumentID(kind: .memberships, id: next.rawValue), as: MembershipDocument.self)
                (begin, end) = (max(begin, document.begin), min(end, document.end))
                for role in document.value?.roles ?? [] where members.insert(role).inserted { pending.append(role) }
            }
        }
        var isAdministrator = false
        for span in try administrators() where span.value == caller {
            if span.covers(revision) {
                isAdministrator = true
                (begin, end) = (max(begin, span.begin), min(end, span.end))
            } else if span.end <= revision {
                begin = max(begin, span.end)
            } else {
                end = min(end, span.begin)
            }
        }
        let subjects = SubjectSet(caller: caller, isAdministrator: isAdministrator, members: Array(members))
        return RevisionSpan(begin: begin, end: end, value: subjects)
    }

    /// Who was an administrator when.
    func administrators() throws -> [RevisionSpan<PrincipalID>] {
        if let administratorSpans { return administratorSpans }
        var spans: [RevisionSpan<PrincipalID>] = []
        try forEachVersion(RelationPrefix(kind: .administrator, first: 0)) { key, end, _ in
            spans.append(RevisionSpan(begin: key.begin, end: end, value: PrincipalID(rawValue: key.second)))
            return true
        }
        administratorSpans = spans
        return spans
    }
}
