public import Events
public import Permissions

/// The objects that a caller has access to.
extension IndexReader {
    /// Returns the objects with all of some privileges for a caller, of one class or of all classes that are not built in.
    ///
    /// Linear in the number of objects with entries for the caller's subjects and of objects below those, not in the number of
    /// all objects. If a whole class is open to the caller, linear in the number of its objects.
    ///
    /// - Parameters:
    ///   - subjects: the subjects of the caller.
    ///   - deciding: replaces `subjects` at the level that decides, as in
    ///     ``Permissions/AccessRules/verdict(for:on:wanted:deciding:)``; then only entries for these subjects are examined.
    ///   - wanted: the privileges, at least one.
    ///   - onlyClass: the class; nil for all that are not built in.
    ///   - instant: the time for evaluating ends.
    public func objects(
        for subjects: SubjectSet, deciding: SubjectSet? = nil, with wanted: Privileges, class onlyClass: ClassID? = nil,
        at instant: Instant
    ) throws -> [ObjectID] {
        guard !wanted.isEmpty else { return [] }
        let rules = AccessRules(self, at: instant)
        var found: [ObjectID] = []
        for object in try candidates(for: subjects, deciding: deciding, wanted: wanted, class: onlyClass, at: instant) {
            let verdict = try rules.verdict(for: subjects, on: object, wanted: wanted, deciding: deciding)
            if verdict.allows(wanted) { found.append(object) }
        }
        return found
    }

    /// Returns every object that may be accessible, and possibly others.
    func candidates(
        for subjects: SubjectSet, deciding: SubjectSet? = nil, wanted: Privileges, class onlyClass: ClassID?, at instant: Instant
    ) throws -> Set<ObjectID> {
        var found: Set<ObjectID> = []
        var named: Set<ClassID> = []
        for classID in try definedClasses() where onlyClass ?? classID == classID {
            switch try reach(of: classID, for: subjects, deciding: deciding, wanted: wanted, at: instant) {
            case .nothing: break
            case .everything: found.formUnion(try objects(of: classID))
            case .named: named.insert(classID)
            }
        }
        guard !named.isEmpty else { return found }
        // A readable object of any class can give access to the objects below it.
        for object in try reachable(for: deciding ?? subjects) where !found.contains(object) {
            if let classID = try place(of: object)?.classID, named.contains(classID) { found.insert(object) }
        }
        return found
    }

    /// Returns the objects of a class that a caller may be able to read at the revision; nil if any object of the class can be
    /// readable, and if the caller's entries and the objects below them are more than a limit.
    ///
    /// Every expiry before the commit time of the revision counts, and no later one. Linear in the number of entries up to the limit.
    public func candidates(for subjects: SubjectSet, toRead classID: ClassID, limit: Int) throws -> [ObjectID]? {
        switch try reach(of: classID, for: subjects, wanted: .read, at: .distantPast) {
        case .nothing: return []
        case .everything: return nil
        case .named: break
        }
        var found: [ObjectID] = []
        var seen: Set<ObjectID> = []
        for relation in try relationsNaming(subjects.members) {
            var pending = try related(relation, limit: limit + 1, at: revision, or: revision).found.map(ObjectID.init(rawValue:))
            while let object = pending.popLast() {
                guard seen.insert(object).inserted else { continue }
                guard seen.count <= limit else { return nil }
                if try place(of: object)?.classID == classID { found.append(object) }
                for child in try related(.children(of: object), limit: limit + 1, at: revision, or: revision).found {
                    let child = ObjectID(rawValue: child)
                    if let classID = try place(of: child)?.classID, let options = try options(of: classID),
                        !options.inherits.isEmpty
                    {
                        pending.append(child)
                    }
                }
            }
        }
        return found
    }

    /// The objects of a class that can have all of some privileges for a caller.
    enum Reach {
        /// None.
        case nothing
        /// Any object.
        case everything
        /// Only objects with entries for the caller's subjects on them, or on an object above.
        case named
    }

    func reach(
        of classID: ClassID, for subjects: SubjectSet, deciding: SubjectSet? = nil, wanted: Privileges, at instant: Instant
    ) throws -> Reach {
        guard !classID.isBuiltIn, let options = try options(of: classID) else { return .nothing }
        if subjects.isAdministrator { return .everything }
        let store = try level(.store, on: .store, for: subjects, at: instant, wanted: wanted)
        guard store.isSuperset(of: wanted) else { return .nothing }
        let classDecides = options.objectACL == .none || options.composition == .widening
        let counted = classDecides ? deciding ?? subjects : subjects
        let classGives = try level(.class, on: ObjectID(classID), for: counted, at: instant, wanted: wanted)
            .isSuperset(of: wanted)
        if options.composition == .narrowing, !classGives { return .nothing }
        if options.objectACL == .none || options.composition == .widening && classGives { return .everything }
        if try inheritsEverything(classID) { return .everything }
        // A link adds read, and the class level of a widening class may add the other privileges.
        return options.readThroughLinks && wanted.contains(.read) ? .everything : .named
    }

    /// Returns every object that a caller may have any privilege on, and possibly others.
    public func possiblyAccessible(for subjects: SubjectSet) throws -> Set<ObjectID> {
        let classes = try definedClasses()
        if subjects.isAdministrator { return Set(try classes.flatMap { try objects(of: $0) }) }
        var found = try reachable(for: subjects)
        for classID in classes where try !isSelective(classID) { found.formUnion(try objects(of: classID)) }
        return found
    }

    /// Whether access to objects of a class requires an entry on the object or above it, except for administrators. True for a
    /// class that does not exist.
    public func isSelective(_ classID: ClassID) throws -> Bool {
        guard let options = try options(of: classID) else { return true }
        return try options.objectACL == .required && options.composition == .narrowing && !options.readThroughLinks
            && !inheritsEverything(classID)
    }

    /// Whether objects of a class can be below objects of a class without object ACLs, which give every privilege. An object
    /// further down the chain can inherit it too, so every class above counts.
    private func inheritsEverything(_ classID: ClassID) throws -> Bool {
        let above = try Set(reachableFrom: [classID]) { classID -> [ClassID] in
            guard let options = try self.options(of: classID), options.objectACL == .required, !options.inherits.isEmpty else {
                return []
            }
            return try related(RelationPrefix(kind: .parentClass, first: classID.rawValue)).map(ClassID.init(rawValue:))
        }
        return try above.contains { try $0 != classID && self.options(of: $0)?.objectACL ?? .required == .none }
    }

    /// Returns the objects with entries or permissions for some subjects, and all objects below them that inherit.
    func reachable(for subjects: SubjectSet) throws -> Set<ObjectID> {
        let named = try relationsNaming(subjects.members).flatMap { try related($0) }.map(ObjectID.init(rawValue:))
        return try Set(reachableFrom: named) { object in
            try children(of: object).filter { child in
                try place(of: child).flatMap { try options(of: $0.classID) }.map { !$0.inherits.isEmpty } ?? false
            }
        }
    }

    /// Returns the relations to the objects with entries or permissions for some subjects.
    func relationsNaming(_ subjects: [PrincipalID]) throws -> [RelationPrefix] {
        let permissions = try subjects.flatMap { try related(.permissions(for: $0)) }
        return subjects.map { .entries(for: $0) }
            + permissions.map { RelationPrefix(kind: .attachment, first: $0) }
    }
}
