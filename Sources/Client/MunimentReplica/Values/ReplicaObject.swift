public import Primitives

/// An object of the confirmed state: as the service shows it to the user at the confirmed revision.
public struct ReplicaObject: Hashable, Sendable {
    public let name: Name
    public var value: JSONValue
    /// The last revision that changed the object.
    public var changed: Revision
    /// The parent; nil without one, and if the user may not read it.
    public var parent: Name?
    public var privileges: PrivilegeEnds

    /// Creates an object from its parts.
    public init(
        _ name: Name, value: JSONValue = .null, changed: Revision, parent: Name? = nil, privileges: PrivilegeEnds
    ) {
        (self.name, self.value, self.changed, self.parent, self.privileges) = (name, value, changed, parent, privileges)
    }
}

extension ReplicaObject: StoredValue {
    /// The form of the object in the stream. The storage has the same form.
    var json: JSONValue {
        var members: JSONObject = [
            "object": .string(name.text), "class": .string(name.className), "value": value,
            "changed": .integer(Int64(clamping: changed.rawValue)), "privileges": privileges.json,
        ]
        if let parent { members["parent"] = .string(parent.text) }
        return .object(members)
    }

    init(json: JSONValue) throws(MemberProblem) {
        var reader = try ObjectReader<MemberProblem>(json)
        let name = Name(try reader.text("object"))
        guard name.isWellFormed else {
            throw MemberProblem(path: "object", problem: "is not a name: `\(name.excerpt)`", remedy: "update the client")
        }
        self.init(
            name, value: reader.value("value") ?? .null,
            changed: Revision(UInt64(try reader.required("changed", try reader.optionalNumber("changed", 0...Int64.max)))),
            parent: try reader.optionalText("parent").map { Name($0) },
            privileges: try reader.required(
                "privileges", try reader.optional("privileges") { json throws(MemberProblem) in try PrivilegeEnds(json: json) }))
    }
}

/// An object of the view: the confirmed state with the pending transactions applied.
public struct ReplicaViewObject: Hashable, Sendable {
    public let name: Name
    public var value: JSONValue
    public var parent: Name?
    /// The last confirmed revision that changed the object; nil if a pending transaction created it.
    public var changed: Revision?
    /// The confirmed privileges; nil if a pending transaction created the object: the service decides them.
    public var privileges: PrivilegeEnds?
    /// Whether a pending transaction names the object among those that it changes.
    public var isPending: Bool

    init(
        _ name: Name, value: JSONValue, parent: Name?, changed: Revision? = nil, privileges: PrivilegeEnds? = nil,
        isPending: Bool
    ) {
        (self.name, self.value, self.parent) = (name, value, parent)
        (self.changed, self.privileges, self.isPending) = (changed, privileges, isPending)
    }

    init(_ object: ReplicaObject, isPending: Bool) {
        self.init(
            object.name, value: object.value, parent: object.parent, changed: object.changed, privileges: object.privileges,
            isPending: isPending)
    }

    /// Whether `read` has not ended at an instant. The service decides the privileges of an object that a pending transaction created.
    func isReadable(at instant: Instant) -> Bool { privileges?.contains("read", at: instant) ?? true }
}
