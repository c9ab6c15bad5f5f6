public import Events

/// The rules of access (DESIGN section 2) over a state, at an instant.
///
///     E(o) = Level(store) ∩ (Level(class) ∩ O(o))   for a narrowing class
///     E(o) = Level(store) ∩ (Level(class) ∪ O(o))   for a widening one
///
/// Checks and explanations read the levels with the same `walk`.
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
        guard let (place, options) = try located(object) else { return Verdict(effective: [], reason: .unknownObject) }
        if subjects.isAdministrator { return Verdict(effective: options.known, reason: .administrator) }
        let levels = try self.levels(for: subjects, on: object, at: place, options, wanted: wanted, deciding: deciding).levels
        var effective = levels.combined
        if wanted.contains(.read), !effective.contains(.read), options.readThroughLinks {
            let readable = levels.withLink.combined
            if readable.contains(.read), try isReadableThroughLinks(object, for: subjects, deciding: deciding) {
                effective = readable
            }
        }
        return Verdict(effective: effective.intersection(options.known), reason: .levels(levels))
    }

    /// Returns the privileges of a caller's subjects at the level of a class: creating in it, querying it.
    @inlinable public func classVerdict(for subjects: SubjectSet, on classID: ClassID) throws -> Verdict {
        try verdict(for: subjects, onAll: classID) {
            try state.level(.class, on: ObjectID(classID), for: subjects, at: instant, wanted: .all)
        }
    }

    /// Returns the privileges of a caller's subjects at the level of the store, independent of the levels below.
    @inlinable public func storeVerdict(for subjects: SubjectSet) throws -> Verdict {
        try verdict(for: subjects, onAll: .store) { .all }
    }

    @inlinable func verdict(
        for subjects: SubjectSet, onAll classID: ClassID, _ classLevel: () throws -> Privileges
    ) throws -> Verdict {
        guard let options = try state.options(of: classID) else { return Verdict(effective: [], reason: .unknownObject) }
        if subjects.isAdministrator { return Verdict(effective: options.known, reason: .administrator) }
        let store = try state.level(.store, on: .store, for: subjects, at: instant, wanted: .all)
        let levels = Levels(store: store, classLevel: try classLevel(), object: .all, composition: .narrowing)
        return Verdict(effective: levels.combined.intersection(options.known), reason: .levels(levels))
    }

    /// Returns the place of an object and the options of its class; nil if it does not exist.
    @inlinable func located(_ object: ObjectID) throws -> (ClassAndParent, ClassOptions)? {
        guard let place = try state.place(of: object), let options = try state.options(of: place.classID) else { return nil }
        return (place, options)
    }

    /// Returns the levels without links, and the number of objects read for the object part.
    @inlinable @inline(__always)
    func levels(
        for subjects: SubjectSet, on object: ObjectID, at place: ClassAndParent, _ options: ClassOptions, wanted: Privileges,
        deciding: SubjectSet? = nil
    ) throws -> (levels: Levels, objectsRead: Int) {
        let objectDecides = options.objectACL == .required
        let classDecides = !objectDecides || options.composition == .widening
        var objectsRead = 0
        let levels = try walk(on: object, at: place, options, wanted: wanted, isExhaustive: false) { source in
            if source.level == .object { objectsRead += 1 }
            if source.isOpen { return source.mask }
            if let deciding, source.level == .object ? objectDecides : classDecides && source.level == .class {
                return try state.level(source.level, on: source.object, for: deciding, at: instant, wanted: source.mask)
            }
            return try state.level(source.level, on: source.object, for: subjects, at: instant, wanted: source.mask)
        }
        return (levels, objectsRead)
    }

    /// Visits the objects with the entries that decide about privileges: the store, the class, the object, and upwards the objects
    /// that it inherits from.
    ///
    /// - Parameters:
    ///   - wanted: only these privileges must be correct in the levels.
    ///   - isExhaustive: whether to continue upwards after all wanted privileges are found.
    ///   - read: returns the privileges that an object gives, and records data for the caller of the walk.
    @inlinable @inline(__always)
    func walk(
        on object: ObjectID, at place: ClassAndParent, _ options: ClassOptions, wanted: Privileges, isExhaustive: Bool,
        _ read: (AccessSource) throws -> Privileges
    ) throws -> Levels {
        let store = AccessSource(level: .store, object: .store, classID: .store, mask: wanted.neededAtStoreLevel)
        let classObject = AccessSource(level: .class, object: ObjectID(place.classID), classID: .class, mask: wanted)
        var levels = Levels(
            store: try read(store), classLevel: try read(classObject), object: [], composition: options.composition)
        var (object, place, options, mask) = (object, place, options, wanted)
        while true {
            let source = AccessSource(
                level: .object, object: object, classID: place.classID, mask: mask, isOpen: options.objectACL == .none)
            levels.object.formUnion(try read(source).intersection(mask))
            mask.formIntersection(options.inherits)
            // A parent that no longer exists gives nothing.
            guard !source.isOpen, !mask.isEmpty, isExhaustive || !levels.object.isSuperset(of: wanted), let parent = place.parent,
                let above = try located(parent)
            else { return levels }
            (object, place, options) = (parent, above.0, above.1)
        }
    }

    /// Whether a readable object links to this one, directly or through a chain of such links.
    @usableFromInline func isReadableThroughLinks(
        _ object: ObjectID, for subjects: SubjectSet, deciding: SubjectSet?
    ) throws -> Bool {
        try LinkWalk(self, subjects, deciding: deciding).reachesReadable(object)
    }
}

/// An object that can give privileges at a level of the rules.
@frozen public struct AccessSource: Hashable, Sendable {
    public let level: DecidingLevel
    /// The store, the class, the object in the question, or an object that it inherits from.
    public let object: ObjectID
    public let classID: ClassID
    /// The privileges in the question that count if the object gives them. For an object above, those that every class on the
    /// way down inherits.
    public let mask: Privileges
    /// Whether its class has no object ACLs, so that it gives every privilege.
    public let isOpen: Bool

    @inlinable init(level: DecidingLevel, object: ObjectID, classID: ClassID, mask: Privileges, isOpen: Bool = false) {
        self.level = level
        self.object = object
        self.classID = classID
        self.mask = mask
        self.isOpen = isOpen
    }
}
