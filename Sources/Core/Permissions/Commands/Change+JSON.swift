public import Events

extension Change {
    /// Writes this change in the words of `SCENARIOS.md`: an object with `op` first. Default values are left out.
    ///
    /// Reading it returns the same change, provided that roles and permissions have their prefixes. Linear in the size of the
    /// change.
    public func write(into writer: inout JSONWriter) {
        writer.writeMembers([("op", JSONValue.string(operation))] + members) { $0.write($1) }
    }

    /// The words for all changes, as in ``operation``.
    public static let operations = [
        "defineClass", "changeClass", "createObject", "writeObject", "moveObject", "deleteObject", "setOwner", "grant", "setAccess",
        "revoke", "createRole", "deleteRole", "addMember", "removeMember", "register", "definePermission", "changePermission",
        "attachPermission", "detachPermission", "appointAdministrator", "dismissAdministrator",
    ]

    /// The word for this change in `SCENARIOS.md`.
    public var operation: String {
        switch self {
        case .defineClass: "defineClass"
        case .changeClass: "changeClass"
        case .createObject: "createObject"
        case .writeObject: "writeObject"
        case .moveObject: "moveObject"
        case .deleteObject: "deleteObject"
        case .setOwner: "setOwner"
        case .grant: "grant"
        case .setAccess: "setAccess"
        case .revoke: "revoke"
        case .createRole: "createRole"
        case .deleteRole: "deleteRole"
        case .addMember: "addMember"
        case .removeMember: "removeMember"
        case .register: "register"
        case .definePermission: "definePermission"
        case .changePermission: "changePermission"
        case .attachPermission: "attachPermission"
        case .detachPermission: "detachPermission"
        case .appointAdministrator: "appointAdministrator"
        case .dismissAdministrator: "dismissAdministrator"
        }
    }

    private typealias Members = [(String, JSONValue)]

    private var members: Members {
        switch self {
        case .defineClass(let name, let settings), .changeClass(let name, let settings):
            [("class", .string(name))] + settings.members
        case .createObject(let name, let parent, let value, let owner):
            [("object", name.json)] + [("parent", parent?.json), ("value", value), ("owner", owner?.json)].present
        case .writeObject(let name, let content, let expected):
            [("object", name.json), content.member]
                + [("expectRevision", expected.map { .integer(Int64(clamping: $0.rawValue)) })].present
        case .moveObject(let name, let parent): [("object", name.json), ("parent", parent?.json ?? .null)]
        case .deleteObject(let name, let expected):
            [("object", name.json)] + [("expectRevision", expected.map { .integer(Int64(clamping: $0.rawValue)) })].present
        case .setOwner(let name, let owner): [("object", name.json), ("owner", owner.json)]
        case .grant(let subject, let object, let privileges, let until, let strict):
            [("subject", subject.json), ("object", object.json), ("privileges", .texts(privileges))]
                + [("until", until.map { .string($0.description) }), ("strict", .flag(strict))].present
        case .setAccess(let subject, let object, let privileges):
            [("subject", subject.json), ("object", object.json), ("privileges", .texts(privileges))]
        case .revoke(let subject, let object, let privileges, let strict):
            [("subject", subject.json), ("object", object.json)]
                + [("privileges", privileges.map(JSONValue.texts)), ("strict", .flag(strict))].present
        case .createRole(let role), .deleteRole(let role): [("role", role.json)]
        case .addMember(let member, let role, let strict), .removeMember(let member, let role, let strict):
            [("role", role.json), ("member", member.json)] + [("strict", .flag(strict))].present
        case .register(let name), .appointAdministrator(let name), .dismissAdministrator(let name): [("principal", name.json)]
        case .definePermission(let name, let subject, let privileges), .changePermission(let name, let subject, let privileges):
            [("permission", name.json), ("subject", subject.json), ("privileges", .texts(privileges))]
        case .attachPermission(let name, let object), .detachPermission(let name, let object):
            [("permission", name.json), ("object", object.json)]
        }
    }
}

extension Change.Content {
    fileprivate var member: (String, JSONValue) {
        switch self {
        case .value(let value): ("value", value)
        case .merge(let patch): ("merge", patch)
        }
    }
}

extension ClassSettings {
    fileprivate var members: [(String, JSONValue)] {
        let inherits: JSONValue? =
            switch inherits {
            case nil: nil
            case .nothing: .bool(false)
            case .everything: .bool(true)
            case .only(let privileges): .texts(privileges)
            }
        return [
            ("objectACL", objectACL.map { .string($0 == ObjectACL.required ? "required" : "none") }),
            ("composition", composition.map { .string($0 == .narrowing ? "narrowing" : "widening") }),
            ("inherits", inherits),
            ("creatorPrivileges", creatorPrivileges.map(JSONValue.texts)),
            ("creatorPermanent", creatorPermanent.map(JSONValue.bool)),
            ("readThroughLinks", readThroughLinks.map(JSONValue.bool)),
            ("privileges", privileges.map(JSONValue.texts)),
            ("properties", properties.map(JSONValue.texts)),
            ("aliases", aliases.map(ClassSettings.json)),
        ].present
    }
}

extension ClassSettings {
    /// Returns a member for each alias: its privilege, or a list if it requires several.
    private static func json(_ aliases: [Alias]) -> JSONValue {
        .object(
            JSONObject(
                aliases.map { alias in
                    (alias.name, alias.privileges.count == 1 ? .string(alias.privileges[0]) : .texts(alias.privileges))
                }))
    }
}

extension Name {
    fileprivate var json: JSONValue { .string(text) }
}

extension JSONValue {
    fileprivate static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    /// Returns true, or nil.
    fileprivate static func flag(_ isSet: Bool) -> JSONValue? { isSet ? .bool(true) : nil }
}

extension [(String, JSONValue?)] {
    /// The members with a value.
    fileprivate var present: [(String, JSONValue)] { compactMap { name, value in value.map { (name, $0) } } }
}
