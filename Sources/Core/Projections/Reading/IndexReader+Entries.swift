public import Events
public import Permissions

/// One row of an object's access list.
public struct EntryRow: Hashable, Sendable {
    public let subject: PrincipalID
    public let privileges: Privileges
    /// When it ends; ``Primitives/Instant/forever`` if it never does.
    public let until: Instant
    /// Whether some of the subject's entry cannot be revoked.
    public let isPermanent: Bool
    /// The permission that gives it; nil for an entry of the object.
    public let permission: PermissionID?
}

/// The value of an object, and its span of revisions.
public struct ValueVersion: Sendable {
    public let begin: Revision
    public let end: Revision
    /// The value as JSON; nil without one.
    public let json: [UInt8]?
}

/// Recorded data, as opposed to derived access.
extension IndexReader {
    /// Returns the access list of an object: a row for each subject and end, and for each permission attached. Unsorted; without
    /// ends that have passed by `instant`.
    public func entries(on object: ObjectID, at instant: Instant) throws -> [EntryRow] {
        guard let document = try objectDocument(object) else { return [] }
        let known = try knownPrivileges(of: document, object)
        var rows: [EntryRow] = []
        for entry in try allEntries(of: document, object) {
            var slices = entry.ending.filter { $0.until > instant }
            if !entry.withoutExpiry.isEmpty { slices.append(ExpiringPrivileges(privileges: entry.withoutExpiry, until: .forever)) }
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
        document.isSpread ? try spreadEntries(on: object) : document.entries
    }

    /// Returns the entries of an object that stores them in separate rows, for some subjects or for all.
    func spreadEntries(on object: ObjectID, for subjects: SubjectSet? = nil) throws -> [AccessEntry] {
        let prefix = RelationPrefix(kind: .entry, first: object.rawValue)
        if let subjects { return try subjects.members.compactMap { try relation(prefix, $0.rawValue)?.entry } }
        var entries: [AccessEntry] = []
        try forEachVersion(prefix) { key, end, relation in
            if key.begin <= revision, revision < end, let entry = relation.entry { entries.append(entry) }
            return true
        }
        return entries
    }

    /// Returns the direct members of a role.
    public func members(of role: PrincipalID) throws -> [PrincipalID] {
        try related(.members(of: role)).map(PrincipalID.init(rawValue:))
    }

    /// Returns the objects directly below an object.
    public func children(of object: ObjectID) throws -> [ObjectID] {
        try related(.children(of: object)).map(ObjectID.init(rawValue:))
    }

    /// Returns the objects that have entries for a subject.
    public func objectsNamingDirectly(_ subject: PrincipalID) throws -> [ObjectID] {
        try related(.entries(for: subject)).map(ObjectID.init(rawValue:))
    }

    /// Returns the permissions for a subject.
    public func permissions(for subject: PrincipalID) throws -> [PermissionID] {
        try related(.permissions(for: subject)).map(PermissionID.init(rawValue:))
    }

    /// Returns the permissions attached to an object.
    public func permissions(attachedTo object: ObjectID) throws -> [PermissionID] { try objectDocument(object)?.attached ?? [] }

    /// Returns the subject and privileges of a permission; nil if it does not exist.
    public func permission(_ id: PermissionID) throws -> PermissionGrant? { try permissionGrant(id).value }

    /// Returns the objects that a permission is attached to.
    public func objects(attachedTo permission: PermissionID) throws -> [ObjectID] {
        try related(.attachments(of: permission)).map(ObjectID.init(rawValue:))
    }

    /// Returns the value of an object as JSON; nil without one.
    public func value(of object: ObjectID) throws -> [UInt8]? { try valueVersion(of: object).json }

    /// Returns the version of an object's value at the revision; without JSON if the object has no value.
    public func valueVersion(of object: ObjectID) throws -> ValueVersion {
        let version = try document(DocumentID(kind: .value, id: object.rawValue), as: ValueDocument.self)
        return ValueVersion(begin: version.begin, end: version.end, json: version.value?.json)
    }

    /// Returns the owner of an object; nil if the object does not exist.
    public func owner(of object: ObjectID) throws -> PrincipalID? { try objectDocument(object)?.owner }

    /// Returns the revision that last changed an object's value, parent or owner.
    public func lastChange(of object: ObjectID) throws -> Revision? { try objectDocument(object)?.lastChange }

    /// Returns the revision that last changed an object's access list as ``entries(on:at:)`` returns it: its entries, its attached
    /// permissions, what these permissions give, and the privileges of its class.
    ///
    /// Nil if the object does not exist, and if privileges have ended at the instant but the log does not record that yet: the list
    /// then differs from the list at any revision. Linear in the number of entries and attached permissions.
    public func lastAccessChange(of object: ObjectID, at instant: Instant) throws -> Revision? {
        guard let document = try objectDocument(object) else { return nil }
        let isExact = try allEntries(of: document, object).allSatisfy { $0.ending.allSatisfy { $0.until > instant } }
        guard isExact else { return nil }
        let classID = document.classID == .class ? ClassID(object) : document.classID
        let options = try self.document(DocumentID(kind: .classOptions, id: classID.rawValue), as: ClassOptions.self)
        return try document.attached.reduce(max(document.lastAccessChange, options.begin)) {
            max($0, try permissionGrant($1).begin)
        }
    }

    /// Returns the objects of a class.
    public func objects(of classID: ClassID) throws -> [ObjectID] {
        try related(.instances(of: classID)).map(ObjectID.init(rawValue:))
    }

    /// Returns the classes that are not built in.
    public func definedClasses() throws -> [ClassID] {
        try objects(of: .class).map { ClassID($0) }.filter { !$0.isBuiltIn }
    }

    /// Returns the administrators of the store at the revision.
    public func administratorsNow() throws -> [PrincipalID] {
        try administrators().filter { $0.covers(revision) }.map(\.value)
    }
}
