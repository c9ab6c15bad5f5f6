public import Events

/// The data that the rules of access read: the state of a store at one revision. The index and the writer's working copy
/// implement it.
public protocol AccessState {
    /// Returns the subjects of a caller.
    func subjects(of caller: PrincipalID) throws -> SubjectSet

    /// Returns the class and parent of an object; nil if it does not exist.
    func place(of object: ObjectID) throws -> ClassAndParent?

    /// Returns the union of the privileges that entries on an object, and permissions attached to it, give these subjects at an
    /// instant.
    ///
    /// - Parameters:
    ///   - level: the level at which the rules read the object. A state can keep the entries of the store and the classes in
    ///     memory, since every check reads them.
    ///   - object: the store, the object of a class, or the object in the question or above it.
    ///   - subjects: the subjects of the caller.
    ///   - instant: the time for evaluating ends.
    ///   - wanted: only these privileges must be in the answer.
    func level(
        _ level: DecidingLevel, on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges
    ) throws -> Privileges

    /// Returns the options of a class; nil if it does not exist.
    func options(of classID: ClassID) throws -> ClassOptions?

    /// Returns the counting links to an object: those of at most `limit` callers, in the order of the callers' numbers.
    func links(to target: ObjectID, limit: Int) throws -> [CallerLinks]

    /// Returns what earlier checks with the same subjects have read along links. A list of many objects is then not slowed down by
    /// objects that link to each other.
    ///
    /// - Parameters:
    ///   - subjects: the subjects of the caller.
    ///   - deciding: replaces `subjects` at the level that decides, as in ``AccessRules/verdict(for:on:wanted:deciding:)``.
    ///   - instant: the time for evaluating ends.
    func linkMemory(for subjects: SubjectSet, deciding: SubjectSet?, at instant: Instant) -> LinkMemory
}

extension AccessState {
    /// Returns an empty memory: right for a state that may change between two checks, or that records the reads of a check.
    public func linkMemory(for subjects: SubjectSet, deciding: SubjectSet?, at instant: Instant) -> LinkMemory { LinkMemory() }
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
@frozen public struct ClassAndParent: Hashable, Sendable {
    public var classID: ClassID
    public var parent: ObjectID?

    @inlinable public init(classID: ClassID, parent: ObjectID?) {
        self.classID = classID
        self.parent = parent
    }
}
