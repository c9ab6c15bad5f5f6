public import Events
internal import LMDB
internal import Permissions

/// The callers with access to an object over a span of revisions.
extension IndexReader {
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
            try forEachVersion(.members(of: subject)) { key, end, _ in
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
    public var unlistedUser: PrincipalID { .unlistedUser }

    /// Returns the roles that a principal is a direct member of, sorted.
    public func directRoles(of principal: PrincipalID) throws -> [PrincipalID] {
        try document(DocumentID(kind: .memberships, id: principal.rawValue), as: MembershipDocument.self).value?.roles ?? []
    }

    /// Returns the ends up to an instant that the log does not contain yet, sorted.
    public func pendingEnds(by instant: Instant) throws -> [Instant] {
        var ends: [Instant] = []
        try forEachExpiry { expiry in
            guard expiry.until <= instant else { return false }
            if ends.last != expiry.until { ends.append(expiry.until) }
            return true
        }
        return ends
    }

    /// Calls `body` with the ends of entries that the log does not contain yet, the next one first. Stops if `body` returns false.
    package func forEachExpiry(_ body: (Expiry) throws -> Bool) throws {
        let cursor = try transaction.cursor(over: tables[.expiries])
        defer { cursor.close() }
        try cursor.forEachExpiry(body)
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
        try reader.forEachVersion(of: id, from: span.upperBound) { _, end, row in
            // Later versions come first, so all versions after one that has ended have ended too.
            guard end > span.lowerBound else { return false }
            found.append(try Document.decode(row))
            return true
        }
        return found
    }
}
