public import Events
internal import LMDB
internal import Permissions

/// Whether a caller has privileges on an object at a revision, and the basis of the answer.
public struct TrackedAccess: Sendable {
    public let isAllowed: Bool
    /// Whether access is allowed because the caller administers the store.
    public let isAdministrator: Bool
    /// The revision that created the object, which distinguishes it from an earlier one of the same name; nil if it does not
    /// exist.
    public let created: Revision?
    /// The first later revision at which the answer can be different; ``Primitives/Revision/open`` if nothing has changed up to the
    /// head.
    public let until: Revision
    /// The numbers of all entities that the answer is based on, and of all objects above them. They may contain duplicates.
    public let entities: [UInt64]
}

extension IndexReader {
    /// Returns whether a caller has privileges according to the log: access expires at the revision that records the expiry. Costs
    /// as much as a check; if links are followed, linear in the versions of the links to the object.
    ///
    /// - Parameters:
    ///   - caller: the caller.
    ///   - isRole: whether the caller is a role. A role that does not exist has no privileges.
    ///   - wanted: the privileges; the caller must have all of them.
    ///   - object: the object.
    ///   - asAdministrator: whether administering the store counts.
    public func access(
        of caller: PrincipalID, isRole: Bool = false, _ wanted: Privileges, to object: ObjectID, asAdministrator: Bool = true
    ) throws -> TrackedAccess {
        let grounds = TrackingReader(self)
        let created = try grounds.objectDocument(object)?.created
        var (isAllowed, isAdministrator) = (false, false)
        if try !isRole || grounds.objectDocument(ObjectID(caller)) != nil {
            var subjects = try grounds.subjects(of: caller)
            if !asAdministrator { subjects = subjects.withoutAdministration }
            // All expiries up to a revision's commit time are in the log before that revision, so no clock is needed.
            isAllowed = try AccessRules(grounds, at: .distantPast)
                .verdict(for: subjects, on: object, wanted: wanted).allows(wanted)
            isAdministrator = isAllowed && subjects.isAdministrator
        }
        return TrackedAccess(
            isAllowed: isAllowed, isAdministrator: isAdministrator, created: created, until: grounds.until,
            entities: grounds.entities)
    }

    /// Returns whether a caller may read an object, like ``access(of:isRole:_:to:asAdministrator:)``. A name that is not a
    /// caller's is treated as a role that does not exist.
    public func readAccess(of caller: Name, to object: ObjectID) throws -> TrackedAccess {
        let isRole = caller.kind == .role
        let principal = try isRole ? number(of: caller).map(PrincipalID.init(rawValue:)) : self.caller(caller)
        return try access(of: principal ?? .unlistedUser, isRole: isRole || principal == nil, .read, to: object)
    }
}

/// Reads an index at one revision for the rules of access, and records the entities that were read and the end of their versions.
/// As long as none of them changes, a verdict based on them does not change either.
final class TrackingReader: AccessState {
    private let reader: IndexReader
    /// The first end among the versions that were read.
    private(set) var until = Revision.open
    /// The numbers of the entities that were read. It may contain duplicates.
    private(set) var entities: [UInt64] = []
    /// The first end, after the instant of the verdict, among the entries that were read for the caller's subjects.
    private(set) var nextEnd = Instant.forever
    /// The objects with parents that are already among the entities.
    private var climbed: Set<ObjectID> = []
    /// The last object read, which the rules read several times.
    private var current: (id: ObjectID, document: ObjectDocument?)?

    init(_ reader: IndexReader) { self.reader = reader }

    private func note(_ entity: some EntityID, until end: Revision) {
        entities.append(entity.rawValue)
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
            entities.append(next.rawValue)
            (below, above) = (next, try reader.place(of: next)?.parent)
        }
    }

    // MARK: Reading for the rules

    func subjects(of caller: PrincipalID) throws -> SubjectSet {
        let span = try reader.subjectSpan(of: caller)
        until = min(until, span.end)
        for subject in span.subjects.members { entities.append(subject.rawValue) }
        return span.subjects
    }

    func place(of object: ObjectID) throws -> ClassAndParent? {
        guard let document = try objectDocument(object) else { return nil }
        try noteParents(of: object, document.parent)
        return ClassAndParent(classID: document.classID, parent: document.parent)
    }

    func level(
        _ level: DecidingLevel, on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges
    ) throws -> Privileges {
        if let span = try reader.upperSpan(level, object) {
            note(object, until: span.end)
            if let entries = span.entries { return live(entries, for: subjects, at: instant) }
        }
        guard let document = try objectDocument(object) else { return [] }
        var entries = document.entries
        if document.isSpread {
            let prefix = RelationPrefix(kind: .entry, first: object.rawValue)
            for subject in subjects.members {
                let version = try reader.relationVersion(prefix, subject.rawValue)
                until = min(until, version.end)
                if let entry = version.value?.entry { entries.append(entry) }
            }
        }
        for permission in document.attached {
            let grant = try reader.permissionGrant(permission)
            note(permission, until: grant.end)
            if let grant = grant.value { entries.append(AccessEntry(subject: grant.subject, withoutExpiry: grant.privileges)) }
        }
        return live(entries, for: subjects, at: instant)
    }

    private func live(_ entries: [AccessEntry], for subjects: SubjectSet, at instant: Instant) -> Privileges {
        for entry in entries where !entry.ending.isEmpty && subjects.contains(entry.subject) {
            // The earliest end comes first.
            if let end = entry.ending.first(where: { $0.until > instant })?.until { nextEnd = min(nextEnd, end) }
        }
        return entries.live(for: subjects, at: instant)
    }

    func options(of classID: ClassID) throws -> ClassOptions? {
        let span = try reader.upperSpan(of: ObjectID(classID))
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
