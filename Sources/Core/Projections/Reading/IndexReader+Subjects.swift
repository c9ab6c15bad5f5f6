public import Events
internal import Permissions

/// The callers with access to an object, for its owner.
extension IndexReader {
    /// The callers that have all of some privileges on an object through entries, roles and levels. Administrators are left out,
    /// since they have every privilege.
    public enum Holders: Hashable, Sendable {
        /// Every caller, signed in or not.
        case anonymous
        /// Every signed-in caller.
        case everyone
        case some([PrincipalID])
    }

    /// Returns the callers with some privileges on an object. Linear in the number of principals named, directly or through
    /// roles, at the level that does not give everyone access.
    public func holders(of wanted: Privileges, on object: ObjectID, at instant: Instant) throws -> Holders {
        let rules = AccessRules(self, at: instant)
        guard !wanted.isEmpty, let place = try place(of: object), let options = try options(of: place.classID) else {
            return .some([])
        }
        if try rules.verdict(for: strangers(.anonymous), on: object, wanted: wanted).allows(wanted) { return .anonymous }
        if try rules.verdict(for: strangers(.everyone), on: object, wanted: wanted).allows(wanted) { return .everyone }
        var found: [PrincipalID] = []
        for caller in try candidates(for: wanted, on: object, at: place, options, instant) {
            let bare = try subjects(of: caller).withoutAdministration
            if try rules.verdict(for: bare, on: object, wanted: wanted).allows(wanted) { found.append(caller) }
        }
        return .some(found)
    }

    private func strangers(_ caller: PrincipalID) throws -> SubjectSet {
        try subjects(of: caller).withoutAdministration
    }

    /// Returns the users and things that may have the privileges. Not everyone has them, so each such caller is named at a level
    /// that does not give them to everyone.
    private func candidates(
        for wanted: Privileges, on object: ObjectID, at place: Place, _ options: ClassOptions, _ instant: Instant
    ) throws -> Set<PrincipalID> {
        let everyone = try strangers(.everyone)
        let store = try storeLevel(for: everyone, at: instant)
        let storeGives =
            store.isSuperset(of: wanted) && (store.contains(.update) || wanted.isDisjoint(with: [.create, .update, .delete]))
        if !storeGives { return try callers(within: namedSubjects(on: .store)) }
        let classObject = ObjectID(place.classID)
        let classGives = try classLevel(of: place.classID, for: everyone, at: instant).isSuperset(of: wanted)
        if options.composition == .narrowing, !classGives { return try callers(within: namedSubjects(on: classObject)) }
        var named: Set<PrincipalID> = options.composition == .widening ? try namedSubjects(on: classObject) : []
        try collectNamed(on: object, into: &named)
        return try callers(within: named)
    }

    /// Adds the subjects named on an object, on the objects that it inherits from, and on the objects that link to it.
    private func collectNamed(on start: ObjectID, into named: inout Set<PrincipalID>) throws {
        _ = try Set(reachableFrom: [start]) { object -> [ObjectID] in
            guard let place = try place(of: object), let options = try options(of: place.classID) else { return [] }
            // If the class has no object ACLs, or is widening, the subjects named on the class may have access to this object.
            if options.objectACL == .none || options.composition == .widening {
                named.formUnion(try namedSubjects(on: ObjectID(place.classID)))
            }
            named.formUnion(try namedSubjects(on: object))
            let parents = options.inherits.isEmpty ? [] : place.parent.map { [$0] } ?? []
            guard options.readThroughLinks else { return parents }
            let sources = try links(to: object, limit: .max).flatMap(\.sources)
            if !sources.isEmpty { named.formUnion(try namedSubjects(on: .store)) }
            for source in sources {
                if let sourceClass = try self.place(of: source)?.classID {
                    named.formUnion(try namedSubjects(on: ObjectID(sourceClass)))
                }
            }
            return parents + sources
        }
    }

    /// Returns the subjects of an object's entries and of the permissions attached to it.
    public func namedSubjects(on object: ObjectID) throws -> Set<PrincipalID> {
        guard let document = try objectDocument(object) else { return [] }
        var named = Set(try allEntries(of: document, object).map(\.subject))
        for permission in document.attached {
            if let grant = try permissionGrant(permission).value { named.insert(grant.subject) }
        }
        return named
    }

    /// Returns the users and things among some subjects and, through all levels of nesting, among the members of the roles.
    private func callers(within subjects: Set<PrincipalID>) throws -> Set<PrincipalID> {
        try Set(callersAmong: subjects) { try place(of: ObjectID($0))?.classID == .role ? members(of: $0) : nil }
            .subtracting([.everyone, .anonymous])
    }
}
