public import Events

/// What the rules of access read: the state of a store at one revision. The index and the writer's working copy both are one.
public protocol AccessState {
    /// Whom a caller counts as.
    func subjects(of caller: PrincipalID) throws -> SubjectSet

    /// Where an object stands; nil where there is none.
    func place(of object: ObjectID) throws -> Place?

    /// The union of what entries on an object, and permissions attached to it, give these subjects at an instant. Only what is
    /// wanted has to be in the answer.
    func level(on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges) throws -> Privileges

    /// What the store's own entries give these subjects.
    func storeLevel(for subjects: SubjectSet, at instant: Instant) throws -> Privileges

    /// What the entries on the object of a class give these subjects.
    func classLevel(of classID: ClassID, for subjects: SubjectSet, at instant: Instant) throws -> Privileges

    /// The options of a class; nil where there is none.
    func options(of classID: ClassID) throws -> ClassOptions?

    /// The links to an object that count: those of at most `limit` callers, in the order of the callers' numbers.
    func links(to target: ObjectID, limit: Int) throws -> [CallerLinks]
}

extension AccessState {
    public func storeLevel(for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        try level(on: .store, for: subjects, at: instant, wanted: .all)
    }

    public func classLevel(of classID: ClassID, for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        try level(on: ObjectID(classID), for: subjects, at: instant, wanted: .all)
    }
}

/// The objects in whose values one caller has written a link to an object.
public struct CallerLinks: Hashable, Sendable {
    public var writer: PrincipalID
    /// Sorted; at most ``Events/Limits/linksPerCaller``.
    public var sources: [ObjectID]

    public init(writer: PrincipalID, sources: [ObjectID]) {
        self.writer = writer
        self.sources = sources
    }
}

/// The class of an object and what it is below.
@frozen public struct Place: Hashable, Sendable {
    public var classID: ClassID
    public var parent: ObjectID?

    @inlinable public init(classID: ClassID, parent: ObjectID?) {
        self.classID = classID
        self.parent = parent
    }
}
