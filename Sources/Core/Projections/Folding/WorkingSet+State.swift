package import Events
package import Permissions

/// The head of the store, as the rules of access and the command checks read it.
extension WorkingSet: CommandState {
    package var preset: Preset { state.preset }
    package var privilegeNames: PrivilegeNames { state.privilegeNames }
    package var nextID: UInt64 { max(state.nextID, ReservedID.firstFree) }
    package var headRevision: Revision { state.revision }
    package var administratorCount: Int { state.administratorCount }

    package func subjects(of caller: PrincipalID) throws -> SubjectSet {
        if let known = subjectSets[caller] { return known }
        let subjects = try SubjectSet(of: caller, isAdministrator: isAdministrator(caller), roles: membership)
        subjectSets[caller] = subjects
        return subjects
    }

    package func place(of object: ObjectID) throws -> ClassAndParent? {
        if let known = objects.read(object, { $0.value.map { ClassAndParent(classID: $0.classID, parent: $0.parent) } }) {
            try work.count()
            return known
        }
        return try self.object(object).map { ClassAndParent(classID: $0.classID, parent: $0.parent) }
    }

    package func level(
        _ level: DecidingLevel, on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges
    ) throws -> Privileges {
        guard let document = try self.object(object) else { return [] }
        var privileges: Privileges = []
        if document.isSpread {
            for subject in subjects.members {
                guard let entry = try relation(.entry, object.rawValue, subject.rawValue)?.entry else { continue }
                privileges.formUnion(entry.live(at: instant))
            }
        } else {
            privileges = document.entries.live(for: subjects, at: instant)
        }
        for permission in document.attached {
            guard let grant = try permissionGrant(permission), subjects.contains(grant.subject) else { continue }
            privileges.formUnion(grant.privileges)
        }
        return privileges
    }

    package func options(of classID: ClassID) throws -> ClassOptions? { try classOptions(classID) }

    package func links(to target: ObjectID, limit: Int) throws -> [CallerLinks] {
        try related(.link, target.rawValue).prefix(limit).map(PrincipalID.init(rawValue:))
            .map { CallerLinks(writer: $0, sources: try sources(linkedBy: $0, to: target)) }
    }

    package func children(of object: ObjectID) throws -> [ObjectID] {
        try related(.child, object.rawValue).map(ObjectID.init(rawValue:))
    }

    package func linkCount(of writer: PrincipalID, to target: ObjectID) throws -> Int {
        try sources(linkedBy: writer, to: target).count
    }

    package func links(of object: ObjectID) throws -> [ObjectLink] { try valueDocument(object)?.links ?? [] }

    package func creation(of object: ObjectID) throws -> Revision? {
        try self.object(object).flatMap { $0.classID.isBuiltIn ? nil : $0.created }
    }

    package func privilegesOfAnySubject(on object: ObjectID, at instant: Instant) throws -> Privileges {
        guard let document = try self.object(object) else { return [] }
        let given = try entries(of: document, object).reduce(into: Privileges()) { $0.formUnion($1.live(at: instant)) }
        return try document.attached.reduce(into: given) { $0.formUnion(try permissionGrant($1)?.privileges ?? []) }
    }

    package func entry(of subject: PrincipalID, on object: ObjectID) throws -> AccessEntry? {
        let position = try position(of: object)
        guard let isSpread = objects.slots[position].value?.isSpread else { return nil }
        if isSpread { return try relation(.entry, object.rawValue, subject.rawValue)?.entry }
        return objects.slots[position].value?.entries.first { $0.subject == subject }
    }

    package func owner(of object: ObjectID) throws -> PrincipalID? {
        let position = try position(of: object)
        return objects.slots[position].value?.owner
    }

    package func lastChange(of object: ObjectID) throws -> Revision? {
        let position = try position(of: object)
        return objects.slots[position].value?.lastChange
    }

    package func lastAccessChange(of object: ObjectID) throws -> Revision? {
        guard let document = try self.object(object) else { return nil }
        return try document.attached.reduce(document.lastAccessChange) { last, permission in
            guard try permissionGrant(permission) != nil, let begin = permissions.begin(of: permission) else { return last }
            return max(last, begin)
        }
    }

    package func value(of object: ObjectID) throws -> [UInt8]? {
        let value = try valueDocument(object)?.json
        try work.count((value?.count ?? 0) / WorkMeter.readBytes)
        return value
    }

    package func isMember(_ member: PrincipalID, of role: PrincipalID) throws -> Bool { try membership(member).contains(role) }

    package func directRoles(of member: PrincipalID) throws -> [PrincipalID] { try membership(member) }

    package func members(of role: PrincipalID) throws -> [PrincipalID] {
        try related(.member, role.rawValue).map(PrincipalID.init(rawValue:))
    }

    /// Nobody can change the owner of a role.
    package func creator(of role: PrincipalID) throws -> PrincipalID { try object(ObjectID(role))?.owner ?? .system }

    package func reach(of principal: PrincipalID) throws -> MembershipReach {
        try work.count()
        if let known = reaches[principal] { return known }
        let reach = try MembershipReach(of: principal, self)
        if reaches.count == Self.reachLimit { reaches.removeAll(keepingCapacity: true) }
        reaches[principal] = reach
        return reach
    }

    package func permission(_ id: PermissionID) throws -> PermissionGrant? { try permissionGrant(id) }

    package func objects(attachedTo permission: PermissionID) throws -> [ObjectID] {
        try related(.attachment, permission.rawValue).map(ObjectID.init(rawValue:))
    }

    package func permissions(attachedTo object: ObjectID) throws -> [PermissionID] { try self.object(object)?.attached ?? [] }

    package func isAdministrator(_ principal: PrincipalID) throws -> Bool {
        try relation(.administrator, 0, principal.rawValue) != nil
    }

    // MARK: What is not in the index yet

    /// Returns the present relations in memory: all that are not in the index, and possibly others.
    package func relatedInMemory(_ prefix: RelationPrefix) -> [UInt64] { Array(relations.held(prefix).filter(\.value).keys) }

    /// Returns the subjects of an object's entries and of the permissions attached to it. If the object has many entries, only the
    /// subjects of those in memory.
    package func namedSubjectsInMemory(on object: ObjectID) throws -> Set<PrincipalID> {
        guard let document = try self.object(object) else { return [] }
        let spread = relatedInMemory(RelationPrefix(kind: .entry, first: object.rawValue)).map(PrincipalID.init(rawValue:))
        return try Set(document.entries.map(\.subject) + spread + document.attached.compactMap { try permissionGrant($0)?.subject })
    }
}
