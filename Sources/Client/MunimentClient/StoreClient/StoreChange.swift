public import Primitives

/// A change of a store: one item of a transaction (``StoreClient/commit(_:comment:idempotencyKey:)``).
public struct StoreChange: Hashable, Sendable, WireValue {
    /// The change in the format of the service, with its operation in `op`.
    public let json: JSONObject

    /// Creates a change in the format of the service. The functions below make the usual ones.
    ///
    /// - Parameter json: the members, with the operation in `op`.
    public init(json: JSONObject) { self.json = json }

    init(wire value: JSONValue) throws { json = try value.readMembers() }

    private init(_ operation: String, _ arguments: [(String, JSONValue?)]) {
        json = JSONObject(present: [("op", .string(operation))] + arguments)
    }
}

/// Objects.
extension StoreChange {
    /// Creates an object.
    ///
    /// - Parameters:
    ///   - object: its name.
    ///   - value: its value.
    ///   - parent: the object that contains it; nil for none.
    ///   - owner: its owner; by default the caller.
    ///   - expectAbsent: whether an existing object is a conflict.
    public static func create(
        _ object: Name, _ value: JSONValue? = nil, in parent: Name? = nil, owner: Name? = nil, expectAbsent: Bool = false
    ) -> StoreChange {
        StoreChange(
            "createObject",
            [
                ("object", .name(object)), ("value", value), ("parent", parent.map { .name($0) }),
                ("owner", owner.map { .name($0) }),
                ("expectAbsent", expectAbsent ? .bool(true) : nil),
            ])
    }

    /// Replaces the value of an object.
    ///
    /// - Parameters:
    ///   - object: its name.
    ///   - value: the new value.
    ///   - changed: the revision of the last change that the caller has seen; nil replaces any version.
    public static func write(_ object: Name, _ value: JSONValue, expecting changed: Revision? = nil) -> StoreChange {
        StoreChange("writeObject", [("object", .name(object)), ("value", value), expected(changed)])
    }

    /// Changes members of the value of an object (RFC 7396).
    ///
    /// - Parameters:
    ///   - object: its name.
    ///   - members: the changed members; null removes a member.
    ///   - changed: the revision of the last change that the caller has seen; nil changes any version.
    public static func patch(_ object: Name, _ members: JSONObject, expecting changed: Revision? = nil) -> StoreChange {
        StoreChange("writeObject", [("object", .name(object)), ("merge", .object(members)), expected(changed)])
    }

    /// Moves an object to a parent; nil moves it to the top.
    public static func move(_ object: Name, to parent: Name?) -> StoreChange {
        StoreChange("moveObject", [("object", .name(object)), ("parent", parent.map { .name($0) } ?? .null)])
    }

    /// Deletes an object, and everything in it.
    ///
    /// - Parameters:
    ///   - object: its name.
    ///   - changed: the revision of the last change that the caller has seen; nil deletes any version.
    public static func delete(_ object: Name, expecting changed: Revision? = nil) -> StoreChange {
        StoreChange("deleteObject", [("object", .name(object)), expected(changed)])
    }

    /// Gives an object to another owner.
    public static func setOwner(of object: Name, to owner: Name) -> StoreChange {
        StoreChange("setOwner", [("object", .name(object)), ("owner", .name(owner))])
    }

    private static func expected(_ revision: Revision?) -> (String, JSONValue?) {
        ("expectRevision", revision.map { .revision($0) })
    }
}

/// Access. `expecting` is the revision of the entries that the caller has seen: a later change of the list is a conflict.
extension StoreChange {
    /// Grants privileges on an object, a class (`class:doc`) or the store (`store`).
    ///
    /// - Parameters:
    ///   - subject: who.
    ///   - privileges: the privileges to add.
    ///   - object: on what.
    ///   - until: when the access ends; nil for access without an end.
    ///   - isStrict: whether it is an error if the subject has the access already.
    ///   - revision: the revision of the entries that the caller has seen.
    public static func grant(
        _ subject: Name, _ privileges: [String], on object: Name, until: Instant? = nil, isStrict: Bool = false,
        expecting revision: Revision? = nil
    ) -> StoreChange {
        StoreChange(
            "grant",
            [
                ("subject", .name(subject)), ("object", .name(object)), ("privileges", .texts(privileges)),
                ("until", until.map { .string("\($0)") }), strict(isStrict), expected(revision),
            ])
    }

    /// Gives a subject exactly these privileges in its entry on an object.
    ///
    /// - Parameters:
    ///   - subject: who.
    ///   - privileges: the privileges of the entry.
    ///   - object: on what.
    ///   - revision: the revision of the entries that the caller has seen.
    public static func setAccess(
        of subject: Name, to privileges: [String], on object: Name, expecting revision: Revision? = nil
    ) -> StoreChange {
        StoreChange(
            "setAccess",
            [("subject", .name(subject)), ("object", .name(object)), ("privileges", .texts(privileges)), expected(revision)])
    }

    /// Revokes privileges of a subject on an object.
    ///
    /// - Parameters:
    ///   - subject: who.
    ///   - object: on what.
    ///   - privileges: the privileges to remove; nil for the whole entry.
    ///   - isStrict: whether it is an error if the subject does not have the access.
    ///   - revision: the revision of the entries that the caller has seen.
    public static func revoke(
        _ subject: Name, on object: Name, _ privileges: [String]? = nil, isStrict: Bool = false, expecting revision: Revision? = nil
    ) -> StoreChange {
        StoreChange(
            "revoke",
            [
                ("subject", .name(subject)), ("object", .name(object)), ("privileges", privileges.map { .texts($0) }),
                strict(isStrict), expected(revision),
            ])
    }

    /// Defines a permission, which can be attached to many objects.
    public static func definePermission(_ permission: Name, of subject: Name, _ privileges: [String]) -> StoreChange {
        StoreChange("definePermission", permissionMembers(permission, subject, privileges))
    }

    /// Changes a permission on all objects that it is attached to.
    public static func changePermission(_ permission: Name, of subject: Name, _ privileges: [String]) -> StoreChange {
        StoreChange("changePermission", permissionMembers(permission, subject, privileges))
    }

    /// Attaches a permission to an object.
    public static func attach(_ permission: Name, to object: Name) -> StoreChange {
        StoreChange("attachPermission", [("permission", .name(permission)), ("object", .name(object))])
    }

    /// Detaches a permission from an object.
    public static func detach(_ permission: Name, from object: Name) -> StoreChange {
        StoreChange("detachPermission", [("permission", .name(permission)), ("object", .name(object))])
    }

    private static func strict(_ isStrict: Bool) -> (String, JSONValue?) { ("strict", isStrict ? .bool(true) : nil) }

    private static func permissionMembers(_ permission: Name, _ subject: Name, _ privileges: [String]) -> [(String, JSONValue?)] {
        [("permission", .name(permission)), ("subject", .name(subject)), ("privileges", .texts(privileges))]
    }
}

/// Principals, roles and classes.
extension StoreChange {
    /// Registers a user or a thing.
    public static func register(_ principal: Name) -> StoreChange { StoreChange("register", [("principal", .name(principal))]) }

    public static func createRole(_ role: Name) -> StoreChange { StoreChange("createRole", [("role", .name(role))]) }

    public static func deleteRole(_ role: Name) -> StoreChange { StoreChange("deleteRole", [("role", .name(role))]) }

    /// Adds a user, a thing or a role to a role.
    public static func addMember(_ member: Name, to role: Name) -> StoreChange {
        StoreChange("addMember", [("role", .name(role)), ("member", .name(member))])
    }

    /// Removes a member from a role.
    public static func removeMember(_ member: Name, from role: Name) -> StoreChange {
        StoreChange("removeMember", [("role", .name(role)), ("member", .name(member))])
    }

    /// Makes a principal an administrator of the store.
    public static func appointAdministrator(_ principal: Name) -> StoreChange {
        StoreChange("appointAdministrator", [("principal", .name(principal))])
    }

    /// Dismisses an administrator of the store.
    public static func dismissAdministrator(_ principal: Name) -> StoreChange {
        StoreChange("dismissAdministrator", [("principal", .name(principal))])
    }

    /// Defines a class of objects.
    ///
    /// - Parameters:
    ///   - className: its name.
    ///   - options: options in the format of the service, such as `["properties": .array([.string("pages")])]`.
    public static func defineClass(_ className: String, _ options: JSONObject = [:]) -> StoreChange {
        StoreChange("defineClass", [("class", .string(className))] + options.map { ($0, $1) })
    }

    /// Changes the given options of a class.
    ///
    /// - Parameters:
    ///   - className: its name.
    ///   - options: options in the format of the service.
    public static func changeClass(_ className: String, _ options: JSONObject) -> StoreChange {
        StoreChange("changeClass", [("class", .string(className))] + options.map { ($0, $1) })
    }
}
