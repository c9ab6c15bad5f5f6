public import Events
internal import Permissions

/// The effect of each kind of event on the index. The same events in the same order always result in the same rows, independent
/// of the batches (CONFORMANCE E4).
extension WorkingSet {
    package func apply(_ event: Event) throws {
        switch event {
        case .storeCreated(let preset): try createStore(preset)
        case .classDefined(let event):
            introduce(event.classID.id.rawValue, event.classID.name)
            defineNew(event.newPrivileges)
            try setOptions(event.options, of: event.classID.id)
            try createObject(ObjectID(event.classID.id), in: .class, parent: nil, owner: actor)
        case .classChanged(let event):
            defineNew(event.newPrivileges)
            try setOptions(event.options, of: event.classID)
        case .principalRegistered(let principal):
            introduce(principal.id.rawValue, principal.name)
            let isThing = try text(of: principal.id.rawValue)?.utf8.starts(with: "thing:".utf8) ?? false
            try createObject(ObjectID(principal.id), in: isThing ? .thing : .user, parent: nil, owner: actor)
        case .roleCreated(let role):
            introduce(role.id.rawValue, role.name)
            try createObject(ObjectID(role.id), in: .role, parent: nil, owner: actor)
        case .roleDeleted(let role): try deleteRole(role)
        case .memberAdded(let event): try setMembership(of: event.member, in: event.role, to: true)
        case .memberRemoved(let event): try setMembership(of: event.member, in: event.role, to: false)
        case .objectCreated(let event):
            introduce(event.object.id.rawValue, event.object.name)
            for link in event.links { introduce(link.id.rawValue, link.name) }
            try createObject(event.object.id, in: event.classID, parent: event.parent, owner: event.owner)
            try resolveLinks(to: event.object.id)
            if let value = event.value { try setValue(of: event.object.id, to: value, links: event.links.map(\.id)) }
            try indexProperties(of: event.object.id, in: event.classID, value: event.value)
        case .objectWritten(let event):
            for link in event.links { introduce(link.id.rawValue, link.name) }
            try setValue(of: event.object, to: event.value, links: event.links.map(\.id))
            try changeObject(event.object) { document in
                document.lastChange = revision
                try indexProperties(of: event.object, in: document.classID, value: event.value)
            }
        case .objectMoved(let event): try move(event.object, below: event.parent)
        case .objectDeleted(let object): try deleteTree(object)
        case .ownerChanged(let event): try setOwner(of: event.object, to: event.owner)
        case .accessGranted(let event): try grant(event)
        case .accessRevoked(let event): try revoke(event)
        case .accessExpired(let event):
            try changeEntry(of: event.subject, on: event.object) { $0.revoke(event.privileges, known: .all) }
        case .permissionDefined(let event):
            introduce(event.permission.id.rawValue, event.permission.name)
            try createObject(ObjectID(event.permission.id), in: .permission, parent: nil, owner: actor)
            try setPermission(event.permission.id, PermissionGrant(subject: event.subject, privileges: event.privileges))
        case .permissionChanged(let event):
            try setPermission(event.permission, PermissionGrant(subject: event.subject, privileges: event.privileges))
        case .permissionAttached(let event): try attach(event.permission, to: event.object)
        case .permissionDetached(let event): try detach(event.permission, from: event.object)
        case .administratorAppointed(let principal): try setAdministrator(principal, true)
        case .administratorDismissed(let principal): try setAdministrator(principal, false)
        // The correction of times takes place in the fold of the whole commit.
        case .clockCorrected: break
        }
    }

    // MARK: The store and its classes

    private func createStore(_ preset: Preset) throws {
        state.preset = preset
        for (id, name) in ReservedID.names { introduce(id, name) }
        for (_, classID) in ClassID.builtIn {
            let isRequired = classID == .class || classID == .store
            try setOptions(ClassOptions(objectACL: isRequired ? .required : .none), of: classID)
            try createObject(ObjectID(classID), in: .class, parent: nil, owner: .system)
        }
        try createObject(.store, in: .store, parent: nil, owner: .system)
    }

    private func defineNew(_ privileges: [String]) {
        for name in privileges { _ = state.privilegeNames.define(name) }
    }

    private func setOptions(_ options: ClassOptions, of classID: ClassID) throws {
        let before = try classOptions(classID)?.properties ?? []
        classes.set(classID, options, at: revision)
        try indexProperties(of: classID, before: before, after: options.properties)
        state.schemaRevision = revision
    }

    private func setAdministrator(_ principal: PrincipalID, _ isAppointed: Bool) throws {
        let wasAppointed = try relation(.administrator, 0, principal.rawValue) != nil
        guard wasAppointed != isAppointed else { return }
        try relate(.administrator, 0, principal.rawValue, isAppointed ? .bare : nil)
        state.administratorCount += isAppointed ? 1 : -1
        subjectSets.removeAll()
        state.membershipRevision = revision
    }

    // MARK: Objects

    private func createObject(_ object: ObjectID, in classID: ClassID, parent: ObjectID?, owner: PrincipalID) throws {
        let position = try position(of: object)
        // An object that does not exist has no relations.
        let isNew = objects.slots[position].value == nil
        try work.count(WorkMeter.change)
        objects.set(
            position,
            ObjectDocument(
                classID: classID, parent: parent, owner: owner, created: revision, lastChange: revision,
                lastAccessChange: revision),
            at: revision)
        try relate(.instance, classID.rawValue, object.rawValue, .bare, isNew: isNew)
        if !classID.isBuiltIn { try relate(.owner, owner.rawValue, object.rawValue, .bare, isNew: isNew) }
        if let parent { try setChild(object, in: classID, of: parent, isNew: isNew) }
    }

    private func setChild(_ object: ObjectID, in classID: ClassID, of parent: ObjectID, isNew: Bool = false) throws {
        try relate(.child, parent.rawValue, object.rawValue, .bare, isNew: isNew)
        if let parentClass = try place(of: parent)?.classID {
            try relate(.parentClass, classID.rawValue, parentClass.rawValue, .bare)
        }
    }

    func changeObject(_ object: ObjectID, _ change: (inout ObjectDocument) throws -> Void) throws {
        guard var document = try self.object(object) else { throw FoldingError.unknownObject(object, revision) }
        try change(&document)
        try work.count(WorkMeter.change)
        objects.set(object, document, at: revision)
    }

    private func move(_ object: ObjectID, below parent: ObjectID?) throws {
        try changeObject(object) { document in
            if let before = document.parent { try relate(.child, before.rawValue, object.rawValue, nil) }
            document.parent = parent
            document.lastChange = revision
            if let parent { try setChild(object, in: document.classID, of: parent) }
        }
    }

    private func setOwner(of object: ObjectID, to owner: PrincipalID) throws {
        if let before = try self.object(object)?.owner {
            try changeEntry(of: before, on: object) { $0.permanent = [] }
            try relate(.owner, before.rawValue, object.rawValue, nil)
        }
        try relate(.owner, owner.rawValue, object.rawValue, .bare)
        try changeObject(object) { document in
            document.owner = owner
            document.lastChange = revision
        }
    }

    /// Ends an object and every object below it.
    private func deleteTree(_ root: ObjectID) throws {
        var pending = [root]
        while let object = pending.popLast() {
            pending += try related(.child, object.rawValue).map(ObjectID.init(rawValue:))
            try endObject(object)
        }
    }

    /// Ends an object with its entries, attachments, value, its links and the links to it: a later object of its name is a
    /// different object.
    private func endObject(_ object: ObjectID) throws {
        guard let document = try self.object(object) else { throw FoldingError.unknownObject(object, revision) }
        for entry in try entries(of: document, object) {
            try changeEntry(of: entry.subject, on: object) { $0 = .init(subject: $0.subject) }
        }
        for permission in document.attached { try relate(.attachment, permission.rawValue, object.rawValue, nil) }
        try endLinks(of: object)
        values.set(object, nil, at: revision)
        try endProperties(of: object, in: document.classID)
        try relate(.instance, document.classID.rawValue, object.rawValue, nil)
        if !document.classID.isBuiltIn { try relate(.owner, document.owner.rawValue, object.rawValue, nil) }
        if let parent = document.parent { try relate(.child, parent.rawValue, object.rawValue, nil) }
        objects.set(object, nil, at: revision)
    }

    /// Ends a role or a permission. The objects below it stay, without a parent: they must not become children of a later role or
    /// permission of the same name.
    private func endParent(_ object: ObjectID) throws {
        for child in try related(.child, object.rawValue) { try move(ObjectID(rawValue: child), below: nil) }
        try endObject(object)
    }

    // MARK: Roles

    private func setMembership(of member: PrincipalID, in role: PrincipalID, to isMember: Bool) throws {
        var roles = try membership(member)
        let place = roles.firstIndex { $0 >= role } ?? roles.count
        let isThere = place < roles.count && roles[place] == role
        guard isThere != isMember else { return }
        try work.count(WorkMeter.change)
        if isMember { roles.insert(role, at: place) } else { roles.remove(at: place) }
        memberships.set(member, roles.isEmpty ? nil : MembershipDocument(roles: roles), at: revision)
        try relate(.member, role.rawValue, member.rawValue, isMember ? .bare : nil)
        state.membershipRevision = revision
        clearSubjects(below: member)
        try updateReaches(below: member, in: role, isMember: isMember)
    }

    /// Clears the cached subjects of callers. The subjects of the actor and of everyone, which each change of a transaction can
    /// need, are kept if the member is not among them.
    private func clearSubjects(below member: PrincipalID) {
        let needed = [actor, .everyone].compactMap { subjectSets[$0] }
        subjectSets.removeAll()
        for subjects in needed where !subjects.contains(member) { subjectSets[subjects.caller] = subjects }
    }

    /// Updates the cached reach of a member, and clears that of the principals below it.
    private func updateReaches(below member: PrincipalID, in role: PrincipalID, isMember: Bool) throws {
        if reaches.isEmpty { return }
        if isMember { try reaches[member]?.add(role, self) } else { reaches[member] = nil }
        guard try object(ObjectID(member))?.classID == .role else { return }
        try work.count(reaches.count)
        reaches = reaches.filter { !$0.value.roles.contains(member) }
    }

    private func deleteRole(_ role: PrincipalID) throws {
        for member in try related(.member, role.rawValue) {
            try setMembership(of: PrincipalID(rawValue: member), in: role, to: false)
        }
        for parent in try membership(role) { try setMembership(of: role, in: parent, to: false) }
        for permission in try related(.permissionFor, role.rawValue) { try deletePermission(PermissionID(rawValue: permission)) }
        for object in try related(.grant, role.rawValue) {
            try changeEntry(of: role, on: ObjectID(rawValue: object)) { $0 = .init(subject: $0.subject) }
        }
        try endParent(ObjectID(role))
    }

    // MARK: Permissions

    private func setPermission(_ permission: PermissionID, _ grant: PermissionGrant) throws {
        if let before = try permissionGrant(permission), before.subject != grant.subject {
            try relate(.permissionFor, before.subject.rawValue, permission.rawValue, nil)
        }
        permissions.set(permission, grant, at: revision)
        try relate(.permissionFor, grant.subject.rawValue, permission.rawValue, .bare)
        state.schemaRevision = revision
    }

    private func deletePermission(_ permission: PermissionID) throws {
        guard let grant = try permissionGrant(permission) else { return }
        for object in try related(.attachment, permission.rawValue) { try detach(permission, from: ObjectID(rawValue: object)) }
        try relate(.permissionFor, grant.subject.rawValue, permission.rawValue, nil)
        permissions.set(permission, nil, at: revision)
        state.schemaRevision = revision
        try endParent(ObjectID(permission))
    }

    private func attach(_ permission: PermissionID, to object: ObjectID) throws {
        try changeObject(object) { document in
            let place = document.attached.firstIndex { $0 >= permission } ?? document.attached.count
            guard place == document.attached.count || document.attached[place] != permission else { return }
            document.attached.insert(permission, at: place)
            document.lastAccessChange = revision
        }
        try relate(.attachment, permission.rawValue, object.rawValue, .bare)
        try schemaChangedIfAbove(object)
    }

    private func detach(_ permission: PermissionID, from object: ObjectID) throws {
        try changeObject(object) { document in
            guard let place = document.attached.firstIndex(of: permission) else { return }
            document.attached.remove(at: place)
            document.lastAccessChange = revision
        }
        try relate(.attachment, permission.rawValue, object.rawValue, nil)
        try schemaChangedIfAbove(object)
    }
}

/// An event in the log contradicts the events before it.
public enum FoldingError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownObject(ObjectID, Revision)
    case doesNotFollow(Revision, head: Revision)

    public var description: String {
        switch self {
        case .unknownObject(let object, let revision): "revision \(revision) of the log refers to \(object), which does not exist"
        case .doesNotFollow(let revision, let head): "revision \(revision) cannot be applied after \(head)"
        }
    }
}
