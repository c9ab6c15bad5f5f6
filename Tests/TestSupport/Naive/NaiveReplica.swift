public import Events
internal import Permissions

/// The content of a user's replica at a revision, found by examining every object.
public struct NaiveReplica: Hashable, Sendable {
    public struct Object: Hashable, Sendable {
        public var value: JSONValue
        public var className: String
        /// The parent, if the user may read it.
        public var parent: Name?
        public var privileges: [Name: Instant]

        public init(value: JSONValue, className: String, parent: Name?, privileges: [Name: Instant]) {
            (self.value, self.className, self.parent, self.privileges) = (value, className, parent, privileges)
        }
    }

    public var objects: [Name: Object] = [:]
    /// The user's privileges on each class, with their ends; ``Primitives/Instant/forever`` without an end.
    public var classes: [Name: [Name: Instant]] = [:]

    public init() {}
}

extension NaiveModel {
    /// Returns the replica of a user at a revision.
    public func replica(of user: Name, classes: [String], at revision: Revision) -> NaiveReplica {
        let state = view(.revision(revision), now: .distantPast).state
        let ends = Set(state.entries.values.flatMap { $0.values.flatMap(\.values) }).filter { $0 < .forever }.sorted()
        let views = ([.distantPast] + ends).map { NaiveView(state: state, now: $0) }
        let access = views.map { $0.access(of: user) }
        /// Returns each privilege of the first view with the first end at which it is missing.
        func timed(_ privileges: [Privileges]) -> [Name: Instant] {
            var found: [Name: Instant] = [:]
            for name in state.privilegeNames.names(of: privileges[0]) {
                let privilege = state.privilegeNames.privilege(name) ?? []
                found[Name(name)] = zip(views, privileges).first { !$0.1.contains(privilege) }?.0.now ?? .forever
            }
            return found
        }
        var replica = NaiveReplica()
        let present = access[0]
        for (id, object) in state.objects where present(id).contains(.read) {
            let className = state.names.name(of: object.classID).id ?? ""
            guard classes.contains(where: { Name($0) == Name(className) }) else { continue }
            let parent = object.parent.flatMap { state.objects[$0] != nil && present($0).contains(.read) ? $0 : nil }
            replica.objects[state.names.name(of: id)] = NaiveReplica.Object(
                value: object.value, className: className, parent: parent.map { state.names.name(of: $0) },
                privileges: timed(access.map { $0(id) }))
        }
        for className in classes {
            guard let id: ClassID = state.names.id(of: .class(className)), state.classes[id] != nil else { continue }
            replica.classes[Name(className)] = timed(views.map { $0.classLevel(user, id) })
        }
        return replica
    }
}
