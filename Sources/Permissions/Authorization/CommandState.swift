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
    func isMember(_ member: PrincipalID, of role: PrincipalID) throws -> Bool
    /// How many roles a principal is a direct member of.
    func roleCount(of member: PrincipalID) throws -> Int
    func permission(_ id: PermissionID) throws -> PermissionGrant?
    func objects(attachedTo permission: PermissionID) throws -> [ObjectID]
    func permissions(attachedTo object: ObjectID) throws -> [PermissionID]
    func isAdministrator(_ principal: PrincipalID) throws -> Bool
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
