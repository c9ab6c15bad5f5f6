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
        func verdict(_ caller: PrincipalID) throws -> Verdict {
            try rules.verdict(for: subjects(of: caller).withoutAdministration, on: object, wanted: wanted)
        }
        if try verdict(.anonymous).allows(wanted) { return .anonymous }
        let ofEveryone = try verdict(.everyone)
        if ofEveryone.allows(wanted) { return .everyone }
        let level = ofEveryone.decidingLevel(for: wanted)
        return .some(try candidates(at: level, on: object, at: place, options).filter { try verdict($0).allows(wanted) })
    }

    /// Returns the users and things that may have privileges on an object. Not everyone has them, so each such caller is named at
    /// the level that denies them to everyone.
    private func candidates(
        at level: DecidingLevel?, on object: ObjectID, at place: ClassAndParent, _ options: ClassOptions
    ) throws -> Set<PrincipalID> {
        if level == .store { return try callers(within: namedSubjects(on: .store)) }
        let classObject = ObjectID(place.classID)
        if level == .class { return try callers(within: namedSubjects(on: classObject)) }
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
