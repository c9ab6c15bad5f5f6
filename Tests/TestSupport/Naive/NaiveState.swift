import Events
import Permissions

/// Everything that holds at one revision, written out in full and copied whole for the next.
struct NaiveState: Sendable {
    struct Object: Sendable {
        var classID: ClassID
        var parent: ObjectID?
        var owner: PrincipalID
        var value: JSONValue
        /// The objects that the value links to, by their birth: those that had the names at the end of the commit that wrote it.
        var linked: [ObjectID: Int] = [:]
        /// How many objects were created before it: tells it from another one of its name.
        let birth: Int
    }

    struct Permission: Sendable {
        var subject: PrincipalID
        var privileges: Privileges
    }

    /// The expiry of each single privilege of one subject on one object. The key `.all` means all privileges, including those
    /// defined later.
    typealias Entry = [Privileges: Instant]

    var names = NaiveNames()
    var privilegeNames = PrivilegeNames()
    var administrators: Set<PrincipalID> = []
    /// The users and things that were registered or have been callers.
    var principals: Set<PrincipalID> = []
    var classes: [ClassID: ClassOptions] = [:]
    /// The direct members of each role that exists.
    var roles: [PrincipalID: Set<PrincipalID>] = [:]
    /// The objects of defined classes.
    var objects: [ObjectID: Object] = [:]
    /// How many objects were ever created.
    var births = 0
    var entries: [ObjectID: [PrincipalID: Entry]] = [:]
    /// The privileges of a subject on an object that can never be revoked.
    var permanent: [ObjectID: [PrincipalID: Privileges]] = [:]
    var permissions: [PermissionID: Permission] = [:]
    /// The permissions attached to each object.
    var attached: [ObjectID: Set<PermissionID>] = [:]
}

extension NaiveState {
    func exists(_ object: ObjectID) -> Bool { classID(of: object) != nil }

    /// The class of an object that exists, of whatever sort it is.
    func classID(of object: ObjectID) -> ClassID? {
        if object == .store { return .store }
        if classes[ClassID(object)] != nil { return .class }
        if roles[PrincipalID(object)] != nil { return .role }
        if permissions[PermissionID(object)] != nil { return .permission }
        if principals.contains(PrincipalID(object)) {
            return names.name(of: object).className == "thing" ? .thing : .user
        }
        return objects[object]?.classID
    }

    /// The options of an object's class; nil where the object does not exist.
    func options(of object: ObjectID) -> ClassOptions? { classID(of: object).flatMap { classes[$0] } }

    /// What entries on an object can be about: the privileges of its class, and for a class's own object those of that class.
    func grantable(on object: ObjectID) -> Privileges {
        if let itself = classes[ClassID(object)] { return itself.known }
        return options(of: object)?.known ?? .builtIn
    }

    /// The set for these names; nil if one of them is not a privilege of this store.
    func privileges(_ texts: [String]) -> Privileges? {
        var all: Privileges = []
        for text in texts {
            guard let privilege = privilegeNames.privilege(text) else { return nil }
            all.formUnion(privilege)
        }
        return all
    }
}

extension Privileges {
    /// The privileges of this set, one by one; `.all` is kept as one element.
    var singles: [Privileges] {
        if self == .all { return [.all] }
        return (0..<32).map { Privileges(rawValue: 1 << UInt32($0)) }.filter(contains)
    }
}
