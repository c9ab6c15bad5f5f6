public import Events

/// The data that the rules of access read: the state of a store at one revision. The index and the writer's working copy
/// implement it.
public protocol AccessState {
    /// Returns the subjects of a caller.
    func subjects(of caller: PrincipalID) throws -> SubjectSet

    /// Returns the class and parent of an object; nil if it does not exist.
    func place(of object: ObjectID) throws -> Place?

    /// Returns the union of the privileges that entries on an object, and permissions attached to it, give these subjects at an
    /// instant. Only wanted privileges must be in the answer.
    func level(on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges) throws -> Privileges

    /// Returns the privileges that the store's entries give these subjects.
    func storeLevel(for subjects: SubjectSet, at instant: Instant) throws -> Privileges

    /// Returns the privileges that the entries on the object of a class give these subjects.
    func classLevel(of classID: ClassID, for subjects: SubjectSet, at instant: Instant) throws -> Privileges

    /// Returns the options of a class; nil if it does not exist.
    func options(of classID: ClassID) throws -> ClassOptions?

    /// Returns the counting links to an object: those of at most `limit` callers, in the order of the callers' numbers.
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

/// The objects with a link to one object that one caller has written.
public struct CallerLinks: Hashable, Sendable {
    public var writer: PrincipalID
    /// Sorted; at most ``Primitives/Limits/linksPerCaller``.
    public var sources: [ObjectID]

    public init(writer: PrincipalID, sources: [ObjectID]) {
        self.writer = writer
        self.sources = sources
    }
}

/// The class and the parent of an object.
@frozen public struct Place: Hashable, Sendable {
    public var classID: ClassID
    public var parent: ObjectID?

    @inlinable public init(classID: ClassID, parent: ObjectID?) {
        self.classID = classID
        self.parent = parent
    }
}
