import Events
import FoundationEssentials
import Permissions

/// The effect of each event on a state.
extension NaiveState {
    mutating func apply(_ event: Event) throws(Contradiction) {
        switch event {
        case .storeCreated: createStore()
        case .classDefined(let event):
            try names.learn(event.classID)
            try setClass(event.classID.id, event.options, event.newPrivileges, isNew: true)
        case .classChanged(let event): try setClass(event.classID, event.options, event.newPrivileges, isNew: false)
        case .principalRegistered(let principal):
            try names.learn(principal)
            principals.insert(principal.id)
        case .roleCreated(let role):
            try names.learn(role)
            guard roles[role.id] == nil else { throw Contradiction("role \(role.id) is created twice") }
            roles[role.id] = []
        case .roleDeleted(let role): try deleteRole(role)
        case .memberAdded(let event):
            guard roles[event.role] != nil else { throw Contradiction("a member is added to \(event.role), which is no role") }
            roles[event.role]?.insert(event.member)
        case .memberRemoved(let event): roles[event.role]?.remove(event.member)
        case .administratorAppointed(let principal): administrators.insert(principal)
        case .administratorDismissed(let principal): administrators.remove(principal)
        case .objectCreated(let event): try createObject(event)
        case .objectWritten(let event):
            for link in event.links { try names.learn(link) }
            try change(event.object) { object throws(Contradiction) in object.value = try json(event.value) }
        case .objectMoved(let event): try change(event.object) { object in object.parent = event.parent }
        case .objectDeleted(let object): deleteObject(object)
        case .ownerChanged(let event):
            if let old = objects[event.object]?.owner { permanent[event.object]?[old] = nil }
            try change(event.object) { object in object.owner = event.owner }
        case .accessGranted(let event): try grant(event)
        case .accessRevoked(let event): revoke(event.privileges, from: event.subject, on: event.object)
        case .accessExpired(let event): expire(event.privileges, of: event.subject, on: event.object)
        case .permissionDefined(let event):
            try names.learn(event.permission)
            clear(ObjectID(event.permission.id))
            permissions[event.permission.id] = Permission(subject: event.subject, privileges: event.privileges)
        case .permissionChanged(let event):
            permissions[event.permission] = Permission(subject: event.subject, privileges: event.privileges)
        case .permissionAttached(let event): attached[event.object, default: []].insert(event.permission)
        case .permissionDetached(let event): attached[event.object]?.remove(event.permission)
        case .clockCorrected: break
        }
    }

    /// The store and the built-in classes. The access from the preset follows as grants.
    private mutating func createStore() {
        for (_, id) in ClassID.builtIn {
            classes[id] = ClassOptions(objectACL: id == .class || id == .store ? .required : .none)
        }
    }

    private mutating func setClass(
        _ id: ClassID, _ options: ClassOptions, _ newPrivileges: [String], isNew: Bool
    ) throws(Contradiction) {
        guard (classes[id] == nil) == isNew else {
            throw Contradiction(isNew ? "class \(id) is defined twice" : "class \(id) is changed and was never defined")
        }
        for name in newPrivileges where privilegeNames.privilege(name) != nil || privilegeNames.define(name) == nil {
            throw Contradiction("the privilege `\(name)` is defined twice, or is one too many")
        }
        classes[id] = options
    }
}

// MARK: Objects and roles

extension NaiveState {
    private mutating func createObject(_ event: ObjectCreated) throws(Contradiction) {
        try names.learn(event.object)
        for link in event.links { try names.learn(link) }
        let id = event.object.id
        guard objects[id] == nil else { throw Contradiction("object \(id) is created twice") }
        clear(id)
        let value = if let bytes = event.value { try json(bytes) } else { JSONValue.null }
        objects[id] = Object(
            classID: event.classID, parent: event.parent, owner: event.owner, value: value, birth: births)
        births += 1
    }

    private mutating func change(
        _ id: ObjectID, _ body: (inout Object) throws(Contradiction) -> Void
    ) throws(Contradiction) {
        guard var object = objects[id] else { throw Contradiction("object \(id) is changed and does not exist") }
        try body(&object)
        objects[id] = object
    }

    /// Resolves the links that an event wrote, after all events of its commit.
    mutating func resolveLinks(writtenBy event: Event) {
        let source: ObjectID
        switch event {
        case .objectCreated(let event): source = event.object.id
        case .objectWritten(let event): source = event.object
        default: return
        }
        guard let value = objects[source]?.value else { return }
        var targets: [ObjectID] = []
        value.forEachLink { name in if let target: ObjectID = names.id(of: Name(name)) { targets.append(target) } }
        let births = targets.compactMap { target in objects[target].map { (target, $0.birth) } }
        objects[source]?.linked = Dictionary(births) { first, _ in first }
    }

    /// Deletes the object, all objects below it, and every entry on any of them.
    private mutating func deleteObject(_ id: ObjectID) {
        objects[id] = nil
        clear(id)
        for (child, object) in objects where object.parent == id { deleteObject(child) }
    }

    /// The children of a deleted role or permission have no parent afterwards.
    private mutating func endParent(_ object: ObjectID) {
        for child in objects.keys where objects[child]?.parent == object { objects[child]?.parent = nil }
        clear(object)
    }

    private mutating func deleteRole(_ role: PrincipalID) throws(Contradiction) {
        guard roles[role] != nil else { throw Contradiction("\(role) is deleted and is no role") }
        roles[role] = nil
        for other in roles.keys { roles[other]?.remove(role) }
        endParent(ObjectID(role))
        for object in entries.keys { entries[object]?[role] = nil }
        for object in permanent.keys { permanent[object]?[role] = nil }
        for (id, permission) in permissions where permission.subject == role {
            permissions[id] = nil
            endParent(ObjectID(id))
            for object in attached.keys { attached[object]?.remove(id) }
        }
    }

    /// Removes all access entries of an object.
    private mutating func clear(_ object: ObjectID) {
        entries[object] = nil
        permanent[object] = nil
        attached[object] = nil
    }
}

// MARK: Entries

extension NaiveState {
    private mutating func grant(_ event: AccessGranted) throws(Contradiction) {
        guard exists(event.object) else { throw Contradiction("access is granted on \(event.object), which does not exist") }
        guard names.has(event.subject) else { throw Contradiction("access is granted to \(event.subject), which has no name") }
        var entry = entries[event.object]?[event.subject] ?? [:]
        if entry[.all] == nil {
            for privilege in event.privileges.singles {
                entry[privilege] = max(entry[privilege] ?? .distantPast, event.until)
            }
        }
        entries[event.object, default: [:]][event.subject] = entry
        if event.cause == .permanentCreator {
            permanent[event.object, default: [:]][event.subject] = event.privileges
        }
    }

    private mutating func revoke(_ privileges: Privileges, from subject: PrincipalID, on object: ObjectID) {
        guard var entry = entries[object]?[subject] else { return }
        if privileges == .all {
            entry = [:]
        } else {
            if let end = entry.removeValue(forKey: .all) {
                for privilege in grantable(on: object).singles { entry[privilege] = end }
            }
            for privilege in privileges.singles { entry[privilege] = nil }
        }
        entries[object]?[subject] = entry.isEmpty ? nil : entry
    }

    private mutating func expire(_ privileges: Privileges, of subject: PrincipalID, on object: ObjectID) {
        guard var entry = entries[object]?[subject] else { return }
        for privilege in privileges.singles { entry[privilege] = nil }
        entries[object]?[subject] = entry.isEmpty ? nil : entry
    }
}

private func json(_ bytes: [UInt8]) throws(Contradiction) -> JSONValue {
    do {
        return try JSONText.decode(bytes)
    } catch {
        throw Contradiction("a value is no JSON: \(error)")
    }
}
