public import Events
public import Permissions

/// One line of an object's access list.
public struct EntryRow: Hashable, Sendable {
    public let subject: PrincipalID
    public let privileges: Privileges
    /// When it ends; ``Events/Instant/forever`` for good.
    public let until: Instant
    /// Whether some of the subject's entry cannot be taken away.
    public let isPermanent: Bool
    /// The permission that it comes from; nil for an entry of the object's own.
    public let permission: PermissionID?
}

/// Questions about what is recorded, as opposed to what follows from it.
extension IndexReader {
    /// The access list of an object: a row for each subject and end, and for each permission attached. Unsorted; ends that have
    /// passed by `instant` are left out.
    public func entries(on object: ObjectID, at instant: Instant) throws -> [EntryRow] {
        guard let document = try objectDocument(object) else { return [] }
        let known = try knownPrivileges(of: document, object)
        var rows: [EntryRow] = []
        for entry in try allEntries(of: document, object) {
            var slices = entry.ending.filter { $0.until > instant }
            if !entry.forGood.isEmpty { slices.append(EndingPrivileges(privileges: entry.forGood, until: .forever)) }
            for slice in slices {
                rows.append(
                    EntryRow(
                        subject: entry.subject, privileges: slice.privileges.intersection(known), until: slice.until,
                        isPermanent: !entry.permanent.isEmpty, permission: nil))
            }
        }
        for permission in document.attached {
            guard let grant = try permissionGrant(permission).value else { continue }
            rows.append(
                EntryRow(
                    subject: grant.subject, privileges: grant.privileges, until: .forever, isPermanent: false,
                    permission: permission))
        }
        return rows
    }

    private func knownPrivileges(of document: ObjectDocument, _ object: ObjectID) throws -> Privileges {
        try options(of: document.classID == .class ? ClassID(object) : document.classID)?.known ?? .builtIn
    }

    func allEntries(of document: ObjectDocument, _ object: ObjectID) throws -> [AccessEntry] {
        guard document.isSpread else { return document.entries }
        var entries: [AccessEntry] = []
        try forEachVersion(RelationPrefix(kind: .entry, first: object.rawValue)) { key, end, relation in
            if key.begin <= revision, revision < end, let entry = relation.entry { entries.append(entry) }
            return true
        }
        return entries
    }

    /// The direct members of a role.
    public func members(of role: PrincipalID) throws -> [PrincipalID] {
        try related(RelationPrefix(kind: .member, first: role.rawValue)).map(PrincipalID.init(rawValue:))
    }

    /// The objects directly below an object.
    public func children(of object: ObjectID) throws -> [ObjectID] {
        try related(RelationPrefix(kind: .child, first: object.rawValue)).map(ObjectID.init(rawValue:))
    }

    /// The objects that a subject has entries on, or that permissions for it are attached to.
    public func objectsNaming(_ subject: PrincipalID) throws -> [ObjectID] {
        try relationsNaming([subject]).flatMap { try related($0) }.map(ObjectID.init(rawValue:))
    }

    /// The objects that a subject has entries of its own on.
    public func objectsNamingDirectly(_ subject: PrincipalID) throws -> [ObjectID] {
        try related(RelationPrefix(kind: .grant, first: subject.rawValue)).map(ObjectID.init(rawValue:))
    }

    /// The permissions that are made for a subject.
    public func permissions(for subject: PrincipalID) throws -> [PermissionID] {
        try related(RelationPrefix(kind: .permissionFor, first: subject.rawValue)).map(PermissionID.init(rawValue:))
    }

    /// The permissions that stand on an object.
    public func permissions(attachedTo object: ObjectID) throws -> [PermissionID] { try objectDocument(object)?.attached ?? [] }

    /// What a permission gives, to whom; nil where there is none.
    public func permission(_ id: PermissionID) throws -> PermissionGrant? { try permissionGrant(id).value }

    /// The objects that a permission stands on.
    public func objects(attachedTo permission: PermissionID) throws -> [ObjectID] {
        try related(RelationPrefix(kind: .attachment, first: permission.rawValue)).map(ObjectID.init(rawValue:))
    }

    /// The value of an object as JSON; nil where it has none.
    public func value(of object: ObjectID) throws -> [UInt8]? {
        try document(DocumentID(kind: .value, id: object.rawValue), as: ValueDocument.self).value?.json
    }

    /// Who owns an object; nil where there is none.
    public func owner(of object: ObjectID) throws -> PrincipalID? { try objectDocument(object)?.owner }

    /// The revision that last changed an object's value, parent or owner.
    public func lastChange(of object: ObjectID) throws -> Revision? { try objectDocument(object)?.lastChange }

    /// The objects of a class.
    public func objects(of classID: ClassID) throws -> [ObjectID] {
        try related(RelationPrefix(kind: .instance, first: classID.rawValue)).map(ObjectID.init(rawValue:))
    }

    /// The classes that are not built in.
    public func definedClasses() throws -> [ClassID] {
        try objects(of: .class).map { ClassID($0) }.filter { !$0.isBuiltIn }
    }

    /// Who administers the store.
    public func administratorsNow() throws -> [PrincipalID] {
        try administrators().filter { $0.covers(revision) }.map(\.value)
    }
}
