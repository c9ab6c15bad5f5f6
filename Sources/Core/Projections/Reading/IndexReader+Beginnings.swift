public import Events
internal import LMDB
public import Permissions

/// The revisions that established facts.
extension IndexReader {
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
    /// A revision that changed only an end can be missing; ``entryRevisions(on:)`` contains it. Linear in their number.
    public func grantRevisions(_ subject: PrincipalID, on object: ObjectID, _ privilege: Privileges) throws -> [Revision] {
        var found: [Revision] = []
        _ = try forEachVersionBack(RelationPrefix(kind: .grant, first: subject.rawValue), object.rawValue) { begin, end, relation in
            guard case .grant(let privileges, _) = relation, privileges.isSuperset(of: privilege), found.last ?? end == end else {
                return false
            }
            found.append(begin)
            return true
        }
        return found.reversed()
    }

    /// Returns every revision, up to the reader's revision, that changed an object or the access to it, the earliest first.
    /// Linear in their number.
    public func entryRevisions(on object: ObjectID) throws -> [Revision] {
        try revisions(of: object).filter { $0 <= revision }
    }

    /// Calls `body` with the versions of a relation, from the current one at the revision backwards, until it returns false.
    ///
    /// - Returns: the first revision of the current version; nil without one.
    private func forEachVersionBack(
        _ prefix: RelationPrefix, _ second: UInt64, _ body: (_ begin: Revision, _ end: Revision, RelationDocument) throws -> Bool
    ) throws -> Revision? {
        var inForce: Revision?
        var isThere = try relations.seek(atOrAfter: prefix.key(second, revision))
        while isThere {
            let key = relations.fixedKey
            guard prefix.matches(key), key.second == second else { break }
            let (end, relation) = try relations.withRow { _, row in
                let end = try VersionRow.end(key: key, tag: IndexTables.Tag.relations, row)
                var reader = ByteReader(offset: VersionRow.headerBytes)
                return (end, try RelationDocument.decode(prefix.kind, row, &reader))
            }
            if inForce == nil {
                guard end > revision else { return nil }
                inForce = key.begin
            }
            guard try body(key.begin, end, relation) else { break }
            isThere = try relations.next()
        }
        return inForce
    }
}
