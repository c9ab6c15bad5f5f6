public import Events

/// The rules of access (DESIGN section 2) over a state, at an instant.
///
///     E(o) = Level(store) ∩ (Level(class) ∩ O(o))   for a narrowing class
///     E(o) = Level(store) ∩ (Level(class) ∪ O(o))   for a widening one
@frozen public struct AccessRules<State: AccessState> {
    public let state: State
    public let instant: Instant

    @inlinable public init(_ state: State, at instant: Instant) {
        self.state = state
        self.instant = instant
    }

    /// Returns the privileges of a caller's subjects on an object.
    ///
    /// - Parameters:
    ///   - subjects: the subjects of the caller.
    ///   - object: any object, including built-in ones.
    ///   - wanted: only these privileges must be correct in the answer; a small set reads less.
    ///   - deciding: replaces `subjects` at the level that decides (the object part if the class has object ACLs, otherwise the
    ///     class level, both for a widening class). This shows how access is shared.
    @inlinable public func verdict(
        for subjects: SubjectSet, on object: ObjectID, wanted: Privileges = .all, deciding: SubjectSet? = nil
    ) throws -> Verdict {
        guard let place = try state.place(of: object), let options = try state.options(of: place.classID) else {
            return Verdict(effective: [], reason: .unknownObject)
        }
        if subjects.isAdministrator { return Verdict(effective: options.known, reason: .administrator) }
        let levels = try self.levels(for: subjects, at: place, of: object, options: options, wanted: wanted, deciding: deciding)
        var effective = levels.combined
        if !effective.contains(.read), wanted.contains(.read), options.readThroughLinks,
            levels.combined(with: .read).contains(.read),
            try isReadableThroughLinks(object, for: subjects, deciding: deciding)
        {
            effective.formUnion(levels.combined(with: .read))
        }
        return Verdict(
            effective: effective.intersection(options.known),
            reason: .levels(store: levels.store, class: levels.classLevel, object: levels.object, options.composition))
    }

    /// Returns the privileges of a caller's subjects at the level of a class: creating in it, querying it.
    @inlinable public func classVerdict(for subjects: SubjectSet, on classID: ClassID) throws -> Verdict {
        guard let options = try state.options(of: classID) else { return Verdict(effective: [], reason: .unknownObject) }
        if subjects.isAdministrator { return Verdict(effective: options.known, reason: .administrator) }
        let levels = Levels(
            store: try state.storeLevel(for: subjects, at: instant),
            classLevel: try state.classLevel(of: classID, for: subjects, at: instant), object: .all, composition: .narrowing)
        return Verdict(
            effective: levels.combined.intersection(options.known),
            reason: .levels(store: levels.store, class: levels.classLevel, object: .all, .narrowing))
    }

    /// Returns the privileges of a caller's subjects at the level of the store, independent of the levels below.
    @inlinable public func storeVerdict(for subjects: SubjectSet) throws -> Verdict {
        guard let options = try state.options(of: .store) else { return Verdict(effective: [], reason: .unknownObject) }
        if subjects.isAdministrator { return Verdict(effective: options.known, reason: .administrator) }
        let levels = Levels(
            store: try state.storeLevel(for: subjects, at: instant), classLevel: .all, object: .all, composition: .narrowing)
        return Verdict(
            effective: levels.combined.intersection(options.known),
            reason: .levels(store: levels.store, class: .all, object: .all, .narrowing))
    }

    @inlinable func levels(
        for subjects: SubjectSet, at place: Place, of object: ObjectID, options: ClassOptions, wanted: Privileges,
        deciding: SubjectSet?
    ) throws -> Levels {
        let objectDecides = options.objectACL == .required
        let classDecides = !objectDecides || options.composition == .widening
        let store = try state.storeLevel(for: subjects, at: instant)
        let classLevel = try state.classLevel(
            of: place.classID, for: classDecides ? deciding ?? subjects : subjects, at: instant)
        var objectsRead = 1
        let part = try objectPart(
            of: object, at: place, options: options, for: objectDecides ? deciding ?? subjects : subjects, wanted: wanted,
            objectsRead: &objectsRead)
        return Levels(
            store: store, classLevel: classLevel, object: part, composition: options.composition, objectsRead: objectsRead)
    }

    /// Returns the object part without links: the object's entries, and the privileges inherited from its parents through the
    /// masks.
    @inlinable func objectPart(
        of object: ObjectID, at place: Place, options: ClassOptions, for subjects: SubjectSet, wanted: Privileges,
        objectsRead: inout Int
    ) throws -> Privileges {
        var found: Privileges = []
        var mask = Privileges.all
        var (object, place, options) = (object, place, options)
        while true {
            guard options.objectACL == .required else { return found.union(mask) }
            found.formUnion(try state.level(on: object, for: subjects, at: instant, wanted: wanted).intersection(mask))
            mask.formIntersection(options.inherits)
            // A parent that no longer exists gives nothing.
            guard !mask.isEmpty, !found.isSuperset(of: wanted), let parent = place.parent,
                let parentPlace = try state.place(of: parent), let parentOptions = try state.options(of: parentPlace.classID)
            else { return found }
            objectsRead += 1
            (object, place, options) = (parent, parentPlace, parentOptions)
        }
    }

    /// Whether a readable object links to this one, directly or through a chain of such links.
    @usableFromInline func isReadableThroughLinks(
        _ object: ObjectID, for subjects: SubjectSet, deciding: SubjectSet?
    ) throws -> Bool {
        var isReadable = false
        var walk = LinkWalk(self, subjects, deciding: deciding)
        try walk.follow(to: object) { link in
            isReadable = link.isReadable
            return !isReadable
        }
        return isReadable
    }
}

/// The privileges of the three levels, and how they combine.
@usableFromInline struct Levels {
    @usableFromInline let store: Privileges
    @usableFromInline let classLevel: Privileges
    @usableFromInline let object: Privileges
    @usableFromInline let composition: Composition
    /// The number of objects read for the object part: the object and the objects above it.
    @usableFromInline let objectsRead: Int

    @usableFromInline init(
        store: Privileges, classLevel: Privileges, object: Privileges, composition: Composition, objectsRead: Int = 1
    ) {
        self.store = store
        self.classLevel = classLevel
        self.object = object
        self.composition = composition
        self.objectsRead = objectsRead
    }

    @usableFromInline var combined: Privileges { combined(with: []) }

    /// Returns the combination with additional privileges in the object part.
    @usableFromInline func combined(with addition: Privileges) -> Privileges {
        let part = object.union(addition)
        let lower = composition == .narrowing ? classLevel.intersection(part) : classLevel.union(part)
        let effective = store.intersection(lower)
        // Without `update` at the store level the store is read-only for this caller.
        return store.contains(.update) ? effective : effective.subtracting([.create, .update, .delete])
    }
}
