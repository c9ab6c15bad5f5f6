import Events
import Permissions

/// The rules of DESIGN section 2, computed without any index.
extension NaiveView {
    /// All subjects with entries that apply to this caller: S(c, r).
    func subjects(of caller: Name) -> Set<PrincipalID> {
        if caller == .anonymous { return [.anonymous] }
        var all: Set<PrincipalID> = [.everyone, .anonymous]
        if let id: PrincipalID = state.names.id(of: caller) { all.insert(id) }
        var before: Set<PrincipalID>
        repeat {
            before = all
            for (role, members) in state.roles where !members.isDisjoint(with: before) { all.insert(role) }
        } while all != before
        return all
    }

    /// Returns the privileges that live entries on an object, and its attached permissions, give these subjects.
    func level(_ object: ObjectID, _ subjects: Set<PrincipalID>) -> Privileges {
        var all: Privileges = []
        for (subject, entry) in state.entries[object] ?? [:] where subjects.contains(subject) {
            for (privilege, end) in entry where end > now { all.formUnion(privilege) }
        }
        for id in state.attached[object] ?? [] {
            guard let permission = state.permissions[id], subjects.contains(permission.subject) else { continue }
            all.formUnion(permission.privileges)
        }
        return all
    }

    /// The object part without links: the object's entries and the inherited access. A missing object gives no access.
    func base(_ object: ObjectID, _ subjects: Set<PrincipalID>) -> Privileges {
        guard let options = state.options(of: object) else { return [] }
        if options.objectACL == .none { return .all }
        var all = level(object, subjects)
        if let parent = state.objects[object]?.parent {
            all.formUnion(base(parent, subjects).intersection(options.inherits))
        }
        return all
    }

    /// E(o) of a caller who is not an administrator. `readable` are the objects known to be readable so far. `deciding` are the
    /// subjects that count at the level that decides: the object part if the class has object ACLs, the class level if it has none,
    /// both if it widens.
    func effective(
        _ object: ObjectID, _ subjects: Set<PrincipalID>, deciding: Set<PrincipalID>? = nil, readable: Set<ObjectID>
    ) -> Privileges {
        guard let classID = state.classID(of: object), let options = state.classes[classID] else { return [] }
        let deciding = deciding ?? subjects
        var objectPart = base(object, options.objectACL == .required ? deciding : subjects)
        if options.readThroughLinks, readable.contains(where: { $0 != object && links($0, to: object) }) {
            objectPart.formUnion(.read)
        }
        let classDecides = options.objectACL == .none || options.composition == .widening
        let classPart = level(ObjectID(classID), classDecides ? deciding : subjects)
        let storePart = level(.store, subjects)
        let both =
            switch options.composition {
            case .narrowing: classPart.intersection(objectPart)
            case .widening: classPart.union(objectPart)
            }
        return withoutWriting(storePart, storePart.intersection(both).intersection(options.known))
    }

    func links(_ source: ObjectID, to target: ObjectID) -> Bool {
        guard let birth = state.objects[target]?.birth else { return false }
        return state.objects[source]?.linked[target] == birth
    }

    /// A store level without update makes the store read-only.
    private func withoutWriting(_ storePart: Privileges, _ privileges: Privileges) -> Privileges {
        storePart.contains(.update) ? privileges : privileges.subtracting([.create, .update, .delete])
    }

    /// The objects that these subjects may read: starts with none, and adds the objects that the earlier ones make readable until
    /// no object is added.
    func readableObjects(_ subjects: Set<PrincipalID>, deciding: Set<PrincipalID>? = nil) -> Set<ObjectID> {
        guard state.classes.values.contains(where: \.readThroughLinks) else { return [] }
        var readable: Set<ObjectID> = []
        var before: Set<ObjectID>
        repeat {
            before = readable
            for object in state.objects.keys where effective(object, subjects, deciding: deciding, readable: before).contains(.read)
            {
                readable.insert(object)
            }
        } while readable != before
        return readable
    }

    func isAdministrator(_ caller: Name) -> Bool {
        state.names.id(of: caller).map(state.administrators.contains) ?? false
    }

    /// The privileges of a caller on each object. Without `administrators`, administrators count as ordinary callers.
    func access(of caller: Name, administrators: Bool = true) -> (ObjectID) -> Privileges {
        if administrators, isAdministrator(caller) { return { object in state.options(of: object)?.known ?? [] } }
        let subjects = subjects(of: caller)
        let readable = readableObjects(subjects)
        return { object in effective(object, subjects, readable: readable) }
    }

    /// The privileges of a caller on a class as a whole.
    func classLevel(_ caller: Name, _ classID: ClassID) -> Privileges {
        guard let options = state.classes[classID] else { return [] }
        if isAdministrator(caller) { return options.known }
        let subjects = subjects(of: caller)
        let storePart = level(.store, subjects)
        let both = storePart.intersection(level(ObjectID(classID), subjects)).intersection(options.known)
        return withoutWriting(storePart, both)
    }

    /// Returns whether this caller can have any access: a user, a thing, or an existing role.
    func isCaller(_ name: Name) -> Bool {
        switch name.className {
        case "user", "thing": true
        case "everyone", "anonymous": name.id == nil
        case "role": state.names.id(of: name).map { state.roles[$0] != nil } ?? false
        default: false
        }
    }
}
