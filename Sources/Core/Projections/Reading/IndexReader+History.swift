public import Events
internal import LMDB
public import Permissions

/// The revisions of changes, and those that established facts.
extension IndexReader {
    /// Returns the revisions that changed an entity: an object, its value or the access to it; the access of a subject; a
    /// principal's roles, a role's members. Sorted. Linear in their number.
    public func revisions(of id: some EntityID) throws -> [Revision] {
        var found: Set<Revision> = []
        for kind in [DocumentKind.object, .memberships, .classOptions, .permission, .value] {
            try forEachVersion(of: DocumentID(kind: kind, id: id.rawValue)) { begin, end, _ in
                found.formUnion([begin, end])
                return true
            }
        }
        for kind in [RelationKind.member, .grant, .entry, .attachment, .owner] {
            try forEachVersion(RelationPrefix(kind: kind, first: id.rawValue)) { key, end, _ in
                found.formUnion([key.begin, end])
                return true
            }
        }
        for span in try administrators() where span.value.rawValue == id.rawValue { found.formUnion([span.begin, span.end]) }
        return found.filter { $0 <= state.revision }.sorted()
    }

    /// Returns the revision that established a fact that holds at the revision. Returns nil if it does not hold, and for an
    /// entry: ``grantRevisions(_:on:_:)`` returns the events of an entry. Logarithmic.
    public func beginning(of fact: Fact) throws -> Revision? {
        switch fact {
        case .object(let object, _): try objectDocument(object)?.created
        case .child(let child, let parent): try relationBegin(.child, parent.rawValue, child.rawValue)
        case .options(let classID, _):
            try documentBegin(DocumentID(kind: .classOptions, id: classID.rawValue), as: ClassOptions.self)
        case .member(let member, let role): try relationBegin(.member, role.rawValue, member.rawValue)
        case .entry: nil
        case .permission(let permission, _, _):
            try documentBegin(DocumentID(kind: .permission, id: permission.rawValue), as: PermissionGrant.self)
        case .attachment(let permission, let object): try relationBegin(.attachment, permission.rawValue, object.rawValue)
        case .link(let source, let target): try linkBegin(source, target)
        case .administrator(let principal): try relationBegin(.administrator, 0, principal.rawValue)
        }
    }

    private func documentBegin<Document: Versioned>(_ id: DocumentID, as type: Document.Type) throws -> Revision? {
        let version = try document(id, as: type)
        return version.value == nil ? nil : version.begin
    }

    private func relationBegin(_ kind: RelationKind, _ first: UInt64, _ second: UInt64) throws -> Revision? {
        try forEachVersionBack(RelationPrefix(kind: kind, first: first), second) { _, _, _ in false }
    }

    private func linkBegin(_ source: ObjectID, _ target: ObjectID) throws -> Revision? {
        guard let writer = try links(from: source).first(where: { $0.target == target })?.writer else { return nil }
        var found: Revision?
        _ = try forEachVersionBack(RelationPrefix(kind: .link, first: target.rawValue), writer.rawValue) { begin, end, relation in
            guard found ?? end == end, relation.sources.contains(source) else { return false }
            found = begin
            return true
        }
        return found
    }

    /// Returns the revisions, up to the reader's revision, that changed the privileges of a subject on an object. The first one
    /// is the revision since which the subject has a privilege without interruption. The earliest revision comes first.
    ///
    /// A revision that changed only an end can be missing; ``revisions(of:)`` contains it. Linear in their number.
    public func grantRevisions(_ subject: PrincipalID, on object: ObjectID, _ privilege: Privileges) throws -> [Revision] {
        var found: [Revision] = []
        _ = try forEachVersionBack(.entries(for: subject), object.rawValue) { begin, end, relation in
            guard case .grant(let privileges, _) = relation, privileges.isSuperset(of: privilege), found.last ?? end == end else {
                return false
            }
            found.append(begin)
            return true
        }
        return found.reversed()
    }

    /// Calls `body` with the versions of a relation, from the current one at the revision backwards, until it returns false.
    ///
    /// - Returns: the first revision of the current version; nil without one.
    private func forEachVersionBack(
        _ prefix: RelationPrefix, _ second: UInt64, _ body: (_ begin: Revision, _ end: Revision, RelationDocument) throws -> Bool
    ) throws -> Revision? {
        var inForce: Revision?
        try forEachVersion(prefix, from: second, revision) { key, end, relation in
            guard key.second == second, inForce != nil || end > revision else { return false }
            inForce = inForce ?? key.begin
            return try body(key.begin, end, relation)
        }
        return inForce
    }
}
