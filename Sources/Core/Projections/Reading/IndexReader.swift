public import Events
internal import LMDB
public import Permissions

/// A view of an index, for one thread at a time. It answers as of any revision up to the last one that the index has folded.
///
/// Each version in the index contains its begin and its end, so a lookup in the past takes one search, as in the present. The
/// subjects of callers, and the levels above objects, are cached with their span of revisions.
public final class IndexReader {
    /// The maximum number of cached spans of callers' subjects.
    private static let subjectLimit = 1 << 18
    /// The maximum number of cached spans of the levels of the store and the classes.
    private static let upperLimit = 1 << 12

    let transaction: ReadTransaction
    let tables: IndexTables
    /// A cursor at the current object.
    private let objects: Cursor
    let documents: Cursor
    let relations: Cursor
    private let times: Cursor

    /// The state that the index had folded when the view was opened.
    public private(set) var state: IndexState
    private var snapshotID: Int
    /// The revision of the answers. Set it with ``move(to:)``.
    public var revision: Revision { turnedTo }
    private var turnedTo: Revision

    /// The object that was read last.
    private var current: CurrentObject?
    private let subjectMemory = SpanMemory<SubjectSpan>(slotBits: 6, limit: subjectLimit)
    var actionMemory = ActionMemory()
    private let upperMemory = SpanMemory<UpperSpan>(slotBits: 4, limit: upperLimit)
    /// The span of the store that was used last.
    private var storeSpan: UpperSpan?
    private var administratorSpans: [RevisionSpan<PrincipalID>]?
    /// Kept as long as the view stays at a revision.
    private var linkMemories = LinkMemories()

    /// The relations between classes, cached as long as the view has the same snapshot.
    var classLinks: ClassLinks?

    struct CurrentObject {
        let id: ObjectID
        let place: ClassAndParent?
        let head: ObjectDocument.ObjectHead?
        let row: Row?
        /// The span of validity. If the object does not exist, the span is empty, and the result is valid only at the current
        /// revision.
        var begin = Revision.open
        var end = Revision.genesis
    }

    init(transaction: ReadTransaction, tables: IndexTables) throws {
        self.transaction = transaction
        self.tables = tables
        objects = try transaction.cursor(over: tables[.documents])
        documents = try transaction.cursor(over: tables[.documents])
        relations = try transaction.cursor(over: tables[.relations])
        times = try transaction.cursor(over: tables[.times])
        guard let state = try tables.readState(in: transaction) else { throw IndexError.unusable("it is empty") }
        self.state = state
        snapshotID = transaction.snapshotID
        turnedTo = state.revision
    }

    public func end() {
        for cursor in [objects, documents, relations, times] { cursor.close() }
        transaction.end()
    }

    /// Whether a writer that does not know of this view may have begun to reuse its pages: then all its answers are invalid.
    public var isOvertaken: Bool { transaction.isOvertaken }

    /// Resets the read transaction, so that it keeps no pages from being reused.
    public func rest() {
        transaction.reset()
        linkMemories.removeAll()
    }

    /// Renews the read transaction at the present state of the index, and moves to its head.
    public func renew() throws {
        try transaction.renew()
        current = nil
        linkMemories.removeAll()
        if transaction.snapshotID != snapshotID {
            classLinks = nil
            guard let state = try tables.readState(in: transaction) else { throw IndexError.unusable("it is empty") }
            if state.membershipRevision != self.state.membershipRevision {
                subjectMemory.removeAll()
                administratorSpans = nil
            }
            if state.schemaRevision != self.state.schemaRevision {
                upperMemory.removeAll()
                actionMemory.removeAll()
                storeSpan = nil
            }
            self.state = state
            snapshotID = transaction.snapshotID
        }
        turnedTo = state.revision
    }

    /// Moves to a revision; all later questions are about it.
    public func move(to revision: Revision) {
        precondition(revision <= state.revision, "a revision beyond the head")
        guard revision != turnedTo else { return }
        if let known = current, revision < known.begin || revision >= known.end { current = nil }
        turnedTo = revision
        linkMemories.removeAll()
    }

    /// Returns the revision of the last commit at or before an instant; 0 before the first commit. Logarithmic.
    public func revision(at instant: Instant) throws -> Revision {
        // The first row after every commit at this instant; the row before it is the answer.
        let isBehind = try times.seek(atOrAfter: IndexTables.timeKey(instant, .open))
        let next = isBehind ? try times.commitTime() : nil
        let last = try (isBehind ? times.previous() : times.last()) ? try times.commitTime() : nil
        // The neighbours must have consecutive revisions, so that a damaged or missing row is detected instead of giving a wrong
        // answer.
        let found = last?.revision ?? .genesis
        guard last?.time ?? instant <= instant, next.map({ $0.time > instant && $0.revision == found.next }) ?? true,
            next != nil || found >= state.revision
        else { throw IndexError.damaged }
        return found
    }
}

// MARK: - Reading for the rules of access

extension IndexReader: AccessState {
    public func place(of object: ObjectID) throws -> ClassAndParent? { try stand(on: object).place }

    /// Finds an object, and reads the first part of its document.
    @inline(__always)
    func stand(on object: ObjectID) throws -> CurrentObject {
        if let current, current.id == object { return current }
        let found = try find(object)
        current = found
        return found
    }

    private func find(_ object: ObjectID) throws -> CurrentObject {
        let id = DocumentID(kind: .object, id: object.rawValue)
        let revision = turnedTo
        guard let row = try objects.find(atOrAfter: id.key(revision)) else {
            return CurrentObject(id: object, place: nil, head: nil, row: nil)
        }
        let key = row.fixedKey
        guard id.matches(key) else { return CurrentObject(id: object, place: nil, head: nil, row: nil) }
        return try row.withBytes { _, bytes in
            let end = try VersionRow.end(key: key, tag: .documents, bytes)
            guard end > revision else { return CurrentObject(id: object, place: nil, head: nil, row: nil) }
            var reader = ByteReader(offset: VersionRow.headerBytes)
            let head = try ObjectDocument.ObjectHead(bytes, &reader)
            return CurrentObject(id: object, place: head.place, head: head, row: row, begin: key.begin, end: end)
        }
    }

    public func level(
        _ level: DecidingLevel, on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges
    ) throws -> Privileges {
        switch level {
        case .store: try live(storeLevelSpan(), for: subjects, at: instant)
        case .class: try live(upperSpan(of: object), for: subjects, at: instant)
        case .object: try storedLevel(on: object, for: subjects, at: instant, wanted: wanted)
        }
    }

    @inline(__always)
    private func live(_ span: UpperSpan, for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        guard let entries = span.entries else {
            return try storedLevel(on: span.object, for: subjects, at: instant, wanted: .all)
        }
        return entries.live(for: subjects, at: instant)
    }

    /// Returns the privileges that the entries in an object's rows give.
    private func storedLevel(
        on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges
    ) throws -> Privileges {
        let current = try stand(on: object)
        guard let head = current.head, let row = current.row else { return [] }
        var privileges: Privileges = []
        if head.isSpread {
            privileges = try spreadEntries(on: object, for: subjects).reduce(into: []) { $0.formUnion($1.live(at: instant)) }
        } else {
            try row.withBytes { _, bytes in
                var reader = ByteReader(offset: head.entriesOffset)
                var count = try reader.varint(bytes)
                while count > 0, !privileges.isSuperset(of: wanted) {
                    privileges.formUnion(try AccessEntry.live(bytes, &reader, for: subjects, at: instant))
                    count &-= 1
                }
            }
        }
        if head.attachedCount > 0 { privileges.formUnion(try attachedLevel(head, row, for: subjects)) }
        return privileges
    }

    private func attachedLevel(
        _ head: ObjectDocument.ObjectHead, _ row: Row, for subjects: SubjectSet
    ) throws -> Privileges {
        var permissions: [PermissionID] = []
        try row.withBytes { _, bytes in
            var reader = ByteReader(offset: head.attachedOffset)
            for _ in 0..<head.attachedCount { permissions.append(PermissionID(rawValue: try reader.varint(bytes))) }
        }
        return try permissions.reduce(into: []) { privileges, permission in
            guard let grant = try permissionGrant(permission).value, subjects.contains(grant.subject) else { return }
            privileges.formUnion(grant.privileges)
        }
    }

    public func options(of classID: ClassID) throws -> ClassOptions? { try upperSpan(of: ObjectID(classID)).options }

    /// Returns the cached entries of an upper level; nil for the level of an object.
    @inline(__always)
    func upperSpan(_ level: DecidingLevel, _ object: ObjectID) throws -> UpperSpan? {
        switch level {
        case .store: try storeLevelSpan()
        case .class: try upperSpan(of: object)
        case .object: nil
        }
    }

    @inline(__always)
    private func storeLevelSpan() throws -> UpperSpan {
        if let storeSpan, storeSpan.covers(.store, turnedTo) { return storeSpan }
        let span = try upperSpan(of: .store)
        storeSpan = span
        return span
    }

    /// Returns the cached entries and options of the store or a class.
    @inline(__always)
    func upperSpan(of object: ObjectID) throws -> UpperSpan {
        let revision = turnedTo
        if let known = upperMemory.find(object.rawValue, { $0.covers(object, revision) }) { return known }
        return try findUpperSpan(object)
    }

    private func findUpperSpan(_ object: ObjectID) throws -> UpperSpan {
        let options = try document(DocumentID(kind: .classOptions, id: object.rawValue), as: ClassOptions.self)
        let level = try upperLevel(object)
        let span = UpperSpan(
            object: object, begin: max(options.begin, level.begin), end: min(options.end, level.end), options: options.value,
            entries: level.value?.entries, attached: level.value?.attached ?? [])
        upperMemory.remember(object.rawValue, span)
        return span
    }

    /// Returns the entries on an object of an upper level and the permissions attached to it; nil if they are too many to cache.
    private func upperLevel(_ object: ObjectID) throws -> RevisionSpan<(entries: [AccessEntry], attached: [PermissionID])?> {
        let document = try document(DocumentID(kind: .object, id: object.rawValue), as: ObjectDocument.self)
        var (begin, end) = (document.begin, document.end)
        guard let value = document.value else { return RevisionSpan(begin: begin, end: end, value: ([], [])) }
        guard !value.isSpread else { return RevisionSpan(begin: begin, end: end, value: nil) }
        var (entries, attached) = (value.entries, [PermissionID]())
        for permission in value.attached {
            let grant = try permissionGrant(permission)
            (begin, end) = (max(begin, grant.begin), min(end, grant.end))
            guard let grant = grant.value else { continue }
            entries.append(AccessEntry(subject: grant.subject, withoutExpiry: grant.privileges))
            attached.append(permission)
        }
        return RevisionSpan(begin: begin, end: end, value: (entries, attached))
    }

    /// Takes one search for each caller, whatever the length of the links' history.
    public func links(to target: ObjectID, limit: Int) throws -> [CallerLinks] {
        let prefix = RelationPrefix(kind: .link, first: target.rawValue)
        var found: [CallerLinks] = []
        var writer: UInt64 = 0
        while found.count < limit, try relations.seek(atOrAfter: prefix.key(writer, revision)), prefix.matches(relations.fixedKey) {
            let key = relations.fixedKey
            guard key.begin <= revision else {
                // The current version, if one exists, follows the later versions.
                writer = key.second
                continue
            }
            try relations.withRow { _, row in
                guard try VersionRow.end(key: key, tag: .relations, row) > revision else { return }
                let sources = try decodeRelation(prefix, row).sources
                found.append(CallerLinks(writer: PrincipalID(rawValue: key.second), sources: sources))
            }
            writer = key.second + 1
        }
        return found
    }

    public func linkMemory(for subjects: SubjectSet, deciding: SubjectSet?, at instant: Instant) -> LinkMemory {
        linkMemories.memory(for: subjects, deciding: deciding, at: instant)
    }

    public func subjects(of caller: PrincipalID) throws -> SubjectSet { try subjectSpan(of: caller).subjects }

    @inline(__always)
    func subjectSpan(of caller: PrincipalID) throws -> SubjectSpan {
        // Counted also if the answer is in memory. Otherwise a long loop over callers might never be interrupted.
        try transaction.countRead()
        let revision = turnedTo
        if let known = subjectMemory.find(caller.rawValue, { $0.covers(caller, revision) }) { return known }
        let span = try findSubjects(of: caller)
        subjectMemory.remember(caller.rawValue, span)
        return span
    }

    private func findSubjects(of caller: PrincipalID) throws -> SubjectSpan {
        var (begin, end) = (Revision.genesis, Revision.open)
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
        let subjects = try SubjectSet(of: caller, isAdministrator: isAdministrator) { member in
            let document = try document(DocumentID(kind: .memberships, id: member.rawValue), as: MembershipDocument.self)
            (begin, end) = (max(begin, document.begin), min(end, document.end))
            return document.value?.roles ?? []
        }
        return SubjectSpan(begin: begin, end: end, subjects: subjects)
    }

    /// Returns the administrators with their spans of revisions.
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
