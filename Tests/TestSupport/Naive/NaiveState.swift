import Events
import Permissions

/// The complete state at one revision. The next revision starts with a copy.
struct NaiveState: Sendable {
    struct Object: Sendable {
        var classID: ClassID
        var parent: ObjectID?
        var owner: PrincipalID
        var value: JSONValue
        /// The linked objects and their births: the objects that had the linked names at the end of the commit that wrote the value.
        var linked: [ObjectID: Int] = [:]
        /// The number of objects created before. Distinguishes this object from others with the same name.
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
    /// The number of objects ever created.
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

    /// Returns the class of an existing object of any kind.
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

    /// Returns the options of an object's class, or nil if the object does not exist.
    func options(of object: ObjectID) -> ClassOptions? { classID(of: object).flatMap { classes[$0] } }

    /// Returns the privileges that an entry on an object can have: those of its class, or for a class object those of that class.
    func grantable(on object: ObjectID) -> Privileges {
        if let itself = classes[ClassID(object)] { return itself.known }
        return options(of: object)?.known ?? .builtIn
    }

    /// Returns the set for these names, or nil if one of them is not a privilege of this store.
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
