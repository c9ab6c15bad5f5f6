public import Events

/// The data that the command checks read in addition to the rules of access: the head of a store, including the changes that the
/// transaction has made so far.
public protocol CommandState: AccessState, MembershipGraph {
    /// The privileges that a new store gives to everyone.
    var preset: Preset { get }
    /// The names of the store's privileges.
    var privilegeNames: PrivilegeNames { get }
    /// The number that the next new name will get.
    var nextID: UInt64 { get }
    var administratorCount: Int { get }
    /// The last revision.
    var headRevision: Revision { get }

    /// Returns the number of a name, or nil if the name was never introduced.
    func number(of name: Name) throws -> UInt64?
    /// Returns the entry of a subject on an object, or nil without one.
    func entry(of subject: PrincipalID, on object: ObjectID) throws -> AccessEntry?
    func owner(of object: ObjectID) throws -> PrincipalID?
    /// Returns the revision that last changed an object's value, parent or owner; nil if the object does not exist.
    func lastChange(of object: ObjectID) throws -> Revision?
    /// Returns the revision that last changed an object's access list: its entries, its attached permissions, and what these
    /// permissions give; nil if the object does not exist.
    func lastAccessChange(of object: ObjectID) throws -> Revision?
    /// Returns an object's value as JSON, or nil without one.
    func value(of object: ObjectID) throws -> [UInt8]?
    /// Returns the revision that created an object of a defined class, which distinguishes it from an earlier object of the same
    /// name; nil if the object does not exist.
    func creation(of object: ObjectID) throws -> Revision?
    /// Returns the links in an object's value, one for each name.
    func links(of object: ObjectID) throws -> [ObjectLink]
    /// Returns the objects directly below an object, sorted.
    func children(of object: ObjectID) throws -> [ObjectID]
    /// Returns the number of counting links that a caller has written to an object.
    func linkCount(of writer: PrincipalID, to target: ObjectID) throws -> Int
    /// Returns the privileges that entries on an object, and permissions attached to it, give to any subject at an instant.
    func privilegesOfAnySubject(on object: ObjectID, at instant: Instant) throws -> Privileges
    func isMember(_ member: PrincipalID, of role: PrincipalID) throws -> Bool
    /// Returns the direct members of a role, sorted.
    func members(of role: PrincipalID) throws -> [PrincipalID]
    /// Returns the roles that a principal reaches by following memberships upwards.
    func reach(of principal: PrincipalID) throws -> MembershipReach
    func permission(_ id: PermissionID) throws -> PermissionGrant?
    func objects(attachedTo permission: PermissionID) throws -> [ObjectID]
    func permissions(attachedTo object: ObjectID) throws -> [PermissionID]
    func isAdministrator(_ principal: PrincipalID) throws -> Bool
}

/// A link in the value of an object.
public struct ObjectLink: Hashable, Sendable {
    public var target: ObjectID
    /// The revision that created the target of the link: the object that had the name at the end of the commit that wrote the
    /// link. Nil if no object had it.
    public var created: Revision?
    /// The caller that wrote the link.
    public var writer: PrincipalID

    public init(target: ObjectID, created: Revision?, writer: PrincipalID) {
        self.target = target
        self.created = created
        self.writer = writer
    }
}

/// The subject and the privileges of a permission.
public struct PermissionGrant: Hashable, Sendable {
    public var subject: PrincipalID
    public var privileges: Privileges

    public init(subject: PrincipalID, privileges: Privileges) {
        self.subject = subject
        self.privileges = privileges
    }
}
