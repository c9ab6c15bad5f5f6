public import Events

/// What deciding about commands reads, beyond what the rules of access do: the head of a store, with everything that the
/// transaction has changed so far.
public protocol CommandState: AccessState {
    /// How a new store treats everyone.
    var preset: Preset { get }
    /// The names of the privileges that the store knows.
    var privilegeNames: PrivilegeNames { get }
    /// The number that the next new name will get.
    var nextID: UInt64 { get }
    var administratorCount: Int { get }
    /// The last revision there is.
    var headRevision: Revision { get }

    /// The number of a name that was ever introduced; nil for any other.
    func number(of name: Name) throws -> UInt64?
    /// The entry of a subject on an object; nil where there is none.
    func entry(of subject: PrincipalID, on object: ObjectID) throws -> AccessEntry?
    func owner(of object: ObjectID) throws -> PrincipalID?
    /// The revision that last changed an object's value, parent or owner; nil where there is no object.
    func lastChange(of object: ObjectID) throws -> Revision?
    /// An object's value as JSON; nil where it has none.
    func value(of object: ObjectID) throws -> [UInt8]?
    /// The revision that created an object of a defined class, which tells it from an earlier object of its name; nil where there is
    /// no such object.
    func creation(of object: ObjectID) throws -> Revision?
    /// The links in an object's value, one for each name.
    func links(of object: ObjectID) throws -> [ObjectLink]
    /// The objects directly below an object, sorted.
    func children(of object: ObjectID) throws -> [ObjectID]
    /// How many links that a caller has written to an object count.
    func linkCount(of writer: PrincipalID, to target: ObjectID) throws -> Int
    /// What entries on an object, and permissions attached to it, give to anybody at an instant.
    func levelOfAnybody(on object: ObjectID, at instant: Instant) throws -> Privileges
    func isMember(_ member: PrincipalID, of role: PrincipalID) throws -> Bool
    /// How many roles a principal is a direct member of.
    func roleCount(of member: PrincipalID) throws -> Int
    func permission(_ id: PermissionID) throws -> PermissionGrant?
    func objects(attachedTo permission: PermissionID) throws -> [ObjectID]
    func permissions(attachedTo object: ObjectID) throws -> [PermissionID]
    func isAdministrator(_ principal: PrincipalID) throws -> Bool
}

/// A link in the value of an object.
public struct ObjectLink: Hashable, Sendable {
    public var target: ObjectID
    /// The revision that created the object that the link counts for: the object that had the name at the end of the commit that
    /// wrote the link. Nil where there was none.
    public var created: Revision?
    /// Who wrote the link.
    public var writer: PrincipalID

    public init(target: ObjectID, created: Revision?, writer: PrincipalID) {
        self.target = target
        self.created = created
        self.writer = writer
    }
}

/// What a permission gives, to whom.
public struct PermissionGrant: Hashable, Sendable {
    public var subject: PrincipalID
    public var privileges: Privileges

    public init(subject: PrincipalID, privileges: Privileges) {
        self.subject = subject
        self.privileges = privileges
    }
}
