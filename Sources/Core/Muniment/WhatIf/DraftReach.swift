internal import Events
internal import Permissions
internal import Projections

/// The callers and objects with access that the events of a draft may change: the set to compare.
struct DraftReach {
    /// The callers to compare for an object.
    enum Callers {
        case some(Set<PrincipalID>)
        /// Every caller, signed in or not.
        case all

        mutating func add(_ other: Callers) {
            if case .some(let mine) = self, case .some(let others) = other {
                self = .some(mine.union(others))
            } else {
                self = .all
            }
        }
    }

    private let draft: Draft
    private let reader: IndexReader
    private let relations: DraftedRelations
    private(set) var callersByObject: [ObjectID: Callers] = [:]
    /// The objects of classes that read through links; empty without such classes.
    private let linked: Set<ObjectID>

    init(of draft: Draft, _ reader: IndexReader, _ relations: DraftedRelations) throws {
        (self.draft, self.reader, self.relations) = (draft, reader, relations)
        var linked: Set<ObjectID> = []
        for classID in try relations.instances(of: .class).map({ ClassID($0) }) {
            guard try relations.options(of: classID).contains(where: \.readThroughLinks) else { continue }
            linked.formUnion(try relations.instances(of: classID))
        }
        self.linked = linked
        for event in draft.events { try add(event) }
    }

    private mutating func add(_ objects: Set<ObjectID>, for callers: Callers) {
        if case .some(let some) = callers, some.isEmpty { return }
        for object in objects.union(linked) { callersByObject[object, default: .some([])].add(callers) }
    }

    private mutating func add(_ event: Event) throws {
        switch event {
        case .storeCreated, .principalRegistered, .accessExpired, .ownerChanged, .clockCorrected: break
        case .classDefined(let event): add([ObjectID(event.classID.id)], for: .all)
        case .classChanged(let event): try addChange(of: event.classID)
        case .roleCreated(let event): add([ObjectID(event.role.id)], for: .all)
        case .roleDeleted(let event): try addDeletion(of: event.role)
        case .memberAdded(let event): try addMembership(of: event.member, in: event.role)
        case .memberRemoved(let event): try addMembership(of: event.member, in: event.role)
        case .objectCreated(let event): add([event.object.id], for: .all)
        case .objectWritten: add([], for: .all)
        case .objectMoved(let event): add(try below([event.object]), for: .all)
        case .objectDeleted(let event): add(try below([event.object], inheritingOnly: false), for: .all)
        case .accessGranted(let event): add(try reach(of: [event.object]), for: try callers(within: event.subject))
        case .accessRevoked(let event): add(try reach(of: [event.object]), for: try callers(within: event.subject))
        case .permissionDefined(let event): add([ObjectID(event.permission.id)], for: .all)
        case .permissionChanged(let event):
            try add(event.permission, on: try relations.objects(attachedTo: event.permission))
        case .permissionAttached(let event): try add(event.permission, on: [event.object])
        case .permissionDetached(let event): try add(event.permission, on: [event.object])
        case .administratorAppointed(let event): add(try reach(of: [.store]), for: .some([event.principal]))
        case .administratorDismissed(let event): add(try reach(of: [.store]), for: .some([event.principal]))
        }
    }

    private mutating func add(_ permission: PermissionID, on objects: Set<ObjectID>) throws {
        let objects = try reach(of: objects)
        for subject in try relations.subjects(of: permission) { add(objects, for: try callers(within: subject)) }
    }

    private mutating func addMembership(of member: PrincipalID, in role: PrincipalID) throws {
        let named = try relations.subjects(above: role).flatMap { try relations.objects(naming: $0) }
        add(try reach(of: Set(named)), for: try callers(within: member))
    }

    private mutating func addDeletion(of role: PrincipalID) throws {
        for member in try relations.members(of: role) { try addMembership(of: member, in: role) }
        var gone: Set<ObjectID> = [ObjectID(role)]
        for permission in try reader.permissions(for: role) { gone.insert(ObjectID(permission)) }
        add(try below(gone), for: .all)
    }

    /// Options that do not affect access are ignored here.
    private mutating func addChange(of classID: ClassID) throws {
        let (before, after) = (try reader.options(of: classID), try draft.workingSet.options(of: classID))
        guard before.map(\.access) != after.map(\.access) else { return }
        add(try below(relations.instances(of: classID)).union([ObjectID(classID)]), for: .all)
    }
}

extension DraftReach {
    /// Returns the users and things that count as a subject, directly or through roles, before or after.
    private func callers(within subject: PrincipalID) throws -> Callers {
        var seen: Set<PrincipalID> = []
        var callers: Set<PrincipalID> = []
        var pending = [subject]
        while let next = pending.popLast() {
            guard seen.insert(next).inserted else { continue }
            if next == .everyone || next == .anonymous { return .all }
            if try relations.classID(of: ObjectID(next)) == .role {
                pending += try relations.members(of: next)
            } else {
                callers.insert(next)
            }
        }
        return .some(callers)
    }

    /// Returns the objects affected by entries on some objects: the objects themselves, the objects below them, and the objects
    /// of a class or of the store.
    private func reach(of objects: Set<ObjectID>) throws -> Set<ObjectID> {
        var roots = objects
        for object in objects {
            if object == .store {
                for classID in try relations.instances(of: .class) {
                    roots.formUnion(try relations.instances(of: ClassID(classID)))
                }
            } else if try relations.classID(of: object) == .class {
                roots.formUnion(try relations.instances(of: ClassID(object)))
            }
        }
        return try below(roots)
    }

    /// Returns some objects and the objects below them: those that inherit, or all.
    private func below(_ roots: Set<ObjectID>, inheritingOnly: Bool = true) throws -> Set<ObjectID> {
        var found: Set<ObjectID> = []
        var pending = Array(roots)
        while let object = pending.popLast() {
            guard found.insert(object).inserted else { continue }
            for child in try relations.children(of: object) {
                guard inheritingOnly, let classID = try relations.classID(of: child) else {
                    pending.append(child)
                    continue
                }
                if try relations.options(of: classID).contains(where: { !$0.inherits.isEmpty }) { pending.append(child) }
            }
        }
        return found
    }
}

extension ClassOptions {
    /// The options that access depends on.
    fileprivate var access: ClassOptions {
        var options = self
        (options.creatorPrivileges, options.creatorPermanent, options.properties) = ([], false, [])
        return options
    }
}
