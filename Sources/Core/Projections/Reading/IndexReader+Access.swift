public import Events
internal import LMDB
internal import Permissions

/// Whether a caller has privileges on an object at a revision, and the basis of the answer.
public struct AccessGround: Sendable {
    public let isAllowed: Bool
    /// Whether access is allowed because the caller administers the store.
    public let isAdministrator: Bool
    /// The first later revision at which the answer can be different.
    public let until: Revision
    /// The numbers of all entities that the answer is based on. They may contain duplicates.
    public let things: [UInt64]
}

/// Access over a span of revisions.
extension IndexReader {
    /// Returns whether a caller has privileges according to the log: access expires at the revision that records the expiry. Costs as
    /// much as a check; if links are followed, linear in the versions of the links to the object.
    ///
    /// - Parameters:
    ///   - caller: the caller.
    ///   - isRole: whether the caller is a role. A deleted role has no privileges.
    ///   - wanted: the privileges; the caller must have all of them.
    ///   - object: the object.
    ///   - asAdministrator: whether administering the store counts.
    public func access(
        of caller: PrincipalID, isRole: Bool = false, _ wanted: Privileges, to object: ObjectID, asAdministrator: Bool = true
    ) throws -> AccessGround {
        let grounds = Grounds(self)
        if isRole, try grounds.objectDocument(ObjectID(caller)) == nil {
            return AccessGround(isAllowed: false, isAdministrator: false, until: grounds.until, things: grounds.things)
        }
        var subjects = try grounds.subjects(of: caller)
        if !asAdministrator { subjects = subjects.withoutAdministration }
        // All expiries up to a revision's commit time are in the log before that revision, so no clock is needed.
        let verdict = try AccessRules(grounds, at: .distantPast).verdict(for: subjects, on: object, wanted: wanted)
        let isAllowed = verdict.allows(wanted)
        return AccessGround(
            isAllowed: isAllowed, isAdministrator: isAllowed && subjects.isAdministrator, until: grounds.until,
            things: grounds.things)
    }

    /// Returns the users and things whose access to an object may have differed from everyone's at some revision of a span: the
    /// administrators, and the principals named, directly or as members, on any object that the answer can be based on.
    ///
    /// Linear in the versions, within the span, of the object and its access, of all objects above it, and of the roles named
    /// there.
    public func possibleCallers(on object: ObjectID, during span: ClosedRange<Revision>) throws -> Set<PrincipalID> {
        var walk = NamedWalk(reader: self, span: span)
        try walk.visit(.store)
        try walk.visit(object)
        var callers = try Set(callersAmong: walk.named) { subject in
            var members: [PrincipalID] = []
            try forEachVersion(RelationPrefix(kind: .member, first: subject.rawValue)) { key, end, _ in
                if key.begin <= span.upperBound, end > span.lowerBound { members.append(PrincipalID(rawValue: key.second)) }
                return true
            }
            return members.isEmpty ? nil : members
        }
        for administrator in try administrators()
        where administrator.begin <= span.upperBound && administrator.end > span.lowerBound {
            callers.insert(administrator.value)
        }
        return try callers.filter { try $0.rawValue >= ReservedID.firstFree && Name(name(of: $0)).kind == .caller }
    }

    /// Any signed-in caller without an entry.
    public var stranger: PrincipalID { .stranger }

    /// Returns the roles that a principal is a direct member of, sorted.
    public func directRoles(of principal: PrincipalID) throws -> [PrincipalID] {
        try document(DocumentID(kind: .memberships, id: principal.rawValue), as: MembershipDocument.self).value?.roles ?? []
    }

    /// Returns the ends up to an instant that the log does not contain yet, sorted.
    public func pendingEnds(by instant: Instant) throws -> [Instant] {
        let cursor = try transaction.cursor(over: tables.expiries)
        defer { cursor.close() }
        var ends: [Instant] = []
        var isThere = try cursor.first()
        while isThere {
            let expiry = try cursor.withRow { key, row in
                try PlainRow.check(key: key, tag: IndexTables.Tag.expiries, row)
                return try Expiry(key: key)
            }
            guard expiry.until <= instant else { break }
            if ends.last != expiry.until { ends.append(expiry.until) }
            isThere = try cursor.next()
        }
        return ends
    }
}

/// Collects the principals that are named, at any revision of a span, on an object and on all objects that its access can depend
/// on.
private struct NamedWalk {
    let reader: IndexReader
    let span: ClosedRange<Revision>
    private(set) var named: Set<PrincipalID> = []
    private var seen: Set<ObjectID> = []

    init(reader: IndexReader, span: ClosedRange<Revision>) {
        self.reader = reader
        self.span = span
    }

    private func overlaps(_ begin: Revision, _ end: Revision) -> Bool { begin <= span.upperBound && end > span.lowerBound }

    mutating func visit(_ start: ObjectID) throws {
        var pending = [start]
        while let object = pending.popLast() {
            guard seen.insert(object).inserted else { continue }
            var permissions: Set<PermissionID> = []
            var isSpread = false
            for document in try versions(DocumentID(kind: .object, id: object.rawValue), as: ObjectDocument.self) {
                for entry in document.entries { named.insert(entry.subject) }
                permissions.formUnion(document.attached)
                isSpread = isSpread || document.isSpread
                pending.append(ObjectID(document.classID))
                if let parent = document.parent { pending.append(parent) }
                let options = try versions(DocumentID(kind: .classOptions, id: document.classID.rawValue), as: ClassOptions.self)
                if options.contains(where: \.readThroughLinks) { pending += try sources(linkingTo: object) }
            }
            if isSpread {
                try forEachRelation(.entry, of: object.rawValue) { subject, _ in named.insert(PrincipalID(rawValue: subject)) }
            }
            for permission in permissions {
                let grants = try versions(DocumentID(kind: .permission, id: permission.rawValue), as: PermissionGrant.self)
                named.formUnion(grants.map(\.subject))
            }
        }
    }

    private func sources(linkingTo object: ObjectID) throws -> [ObjectID] {
        var sources: Set<ObjectID> = []
        try forEachRelation(.link, of: object.rawValue) { _, links in sources.formUnion(links.sources) }
        return Array(sources)
    }

    private func forEachRelation(_ kind: RelationKind, of first: UInt64, _ body: (UInt64, RelationDocument) -> Void) throws {
        try reader.forEachVersion(RelationPrefix(kind: kind, first: first)) { key, end, document in
            if overlaps(key.begin, end) { body(key.second, document) }
            return true
        }
    }

    /// Returns the versions of a document that are valid at some revision of the span.
    private func versions<Document: Versioned>(_ id: DocumentID, as type: Document.Type) throws -> [Document] {
        var found: [Document] = []
        var isThere = try reader.documents.seek(atOrAfter: id.key(span.upperBound))
        while isThere, id.matches(reader.documents.fixedKey) {
            let key = reader.documents.fixedKey
            let document: Document? = try reader.documents.withRow { _, row in
                guard try VersionRow.end(key: key, tag: IndexTables.Tag.documents, row) > span.lowerBound else { return nil }
                var reader = ByteReader(offset: VersionRow.headerBytes)
                return try Document.decode(row, &reader)
            }
            // Later versions come first, so all versions after one that has ended have ended too.
            guard let document else { break }
            found.append(document)
            isThere = try reader.documents.next()
        }
        return found
    }
}
