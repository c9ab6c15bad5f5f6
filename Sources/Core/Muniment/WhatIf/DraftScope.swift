internal import Events
internal import Permissions
internal import Projections

/// The callers and objects with access that the events of a draft may change: the set to compare.
struct DraftScope {
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
        for effect in draft.effects { try add(effect) }
    }

    private mutating func add(_ objects: Set<ObjectID>, for callers: Callers) {
        if case .some(let some) = callers, some.isEmpty { return }
        for object in objects.union(linked) { callersByObject[object, default: .some([])].add(callers) }
    }

    private mutating func add(_ effect: EventEffect) throws {
        switch effect {
        case .registered, .owner, .clock: break
        case .created(let object, _, _, _): add([object], for: .all)
        case .written: add([], for: .all)
        case .moved(let object, _): add(try below([object]), for: .all)
        case .deleted(let object): add(try below([object], inheritingOnly: false), for: .all)
        case .options(let classID): try addChange(of: classID)
        case .entry(let subject, let object): add(try reach(of: [object]), for: try callers(within: subject))
        case .membership(let member, let role): try addMembership(of: member, in: role)
        case .roleDeleted(let role): try addDeletion(of: role)
        case .permission(let permission, _): try add(permission, on: try relations.objects(attachedTo: permission))
        case .attachment(let permission, let object): try add(permission, on: [object])
        case .administrator(let principal): add(try reach(of: [.store]), for: .some([principal]))
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
        for permission in try relations.permissions(for: role) { gone.insert(ObjectID(permission)) }
        add(try below(gone), for: .all)
    }

    /// Options that do not affect access are ignored here.
    private mutating func addChange(of classID: ClassID) throws {
        let (before, after) = (try reader.options(of: classID), try draft.workingSet.options(of: classID))
        guard before.map(\.access) != after.map(\.access) else { return }
        add(try below(relations.instances(of: classID)).union([ObjectID(classID)]), for: .all)
    }
}

extension DraftScope {
    /// Returns the users and things that count as a subject, directly or through roles, before or after.
    private func callers(within subject: PrincipalID) throws -> Callers {
        let callers = try relations.callers(among: [subject])
        return callers.isDisjoint(with: [.everyone, .anonymous]) ? .some(callers) : .all
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
        try Set(reachableFrom: roots) { object in
            let children = try relations.children(of: object)
            guard inheritingOnly else { return children }
            return try children.filter { child in
                guard let classID = try relations.classID(of: child) else { return true }
                return try relations.options(of: classID).contains { !$0.inherits.isEmpty }
            }
        }
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
