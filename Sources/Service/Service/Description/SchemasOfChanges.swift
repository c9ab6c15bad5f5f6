internal import Events
internal import Muniment
internal import Permissions

/// The changes of `Docs/Scenarios.md` as schemas, one for each operation.
enum SchemasOfChanges {
    static let all: JSONObject = JSONObject([
        "Change": .object(["oneOf": .array(Change.operations.map { Schema.named(title($0)) })])
    ]).with(JSONObject(Change.operations.map { (title($0), schema($0)) }))

    private static func title(_ operation: String) -> String { operation.prefix(1).uppercased() + operation.dropFirst() }

    private static func schema(_ operation: String) -> JSONValue {
        let (required, optional) = keys[operation] ?? ([], [])
        var members: JSONObject = ["op": .object(["const": .string(operation)])]
        for key in required { members[key] = kinds[key] }
        let schema = Schema.object(members, optional: JSONObject(optional.map { ($0, kinds[$0] ?? Schema.anything) }))
        guard operation == "writeObject" else { return schema }
        let oneContent = JSONValue.array([.object(["required": .texts(["value"])]), .object(["required": .texts(["merge"])])])
        return schema.with(["oneOf": oneContent])
    }

    /// The required and the optional keys of each change.
    private static let keys: [String: (required: [String], optional: [String])] = [
        "defineClass": (["class"], classKeys), "changeClass": (["class"], classKeys),
        "createObject": (["object"], ["parent", "value", "owner", "expectAbsent"]),
        "writeObject": (["object"], ["value", "merge", "expectRevision"]), "moveObject": (["object", "parent"], []),
        "deleteObject": (["object"], ["expectRevision"]), "setOwner": (["object", "owner"], []),
        "grant": (["subject", "object", "privileges"], ["until", "strict"]),
        "setAccess": (["subject", "object", "privileges"], []),
        "revoke": (["subject", "object"], ["privileges", "strict"]), "createRole": (["role"], []), "deleteRole": (["role"], []),
        "addMember": (["role", "member"], ["strict"]), "removeMember": (["role", "member"], ["strict"]),
        "register": (["principal"], []), "definePermission": (["permission", "subject", "privileges"], []),
        "changePermission": (["permission", "subject", "privileges"], []),
        "attachPermission": (["permission", "object"], []), "detachPermission": (["permission", "object"], []),
        "appointAdministrator": (["principal"], []), "dismissAdministrator": (["principal"], []),
    ]

    private static let classKeys = [
        "objectACL", "composition", "inherits", "creatorPrivileges", "creatorPermanent", "readThroughLinks", "privileges",
        "properties", "aliases",
    ]

    private static let name = Schema.named("ChangedName")
    private static let names = Schema.list(Schema.text)

    /// The aliases of privileges in a class.
    private static let aliases: JSONValue = .object([
        "type": .string("object"), "additionalProperties": .object(["anyOf": .array([Schema.text, names])]),
    ])

    /// The schema of the value of each key, the same for all changes.
    private static let kinds: [String: JSONValue] = [
        "class": name, "object": name, "subject": name, "owner": name, "role": name,
        "member": name, "principal": name, "permission": name, "parent": Schema.orNull(name),
        "privileges": names, "until": Schema.time, "strict": Schema.flag, "expectAbsent": Schema.flag,
        "expectRevision": Schema.revision, "value": Schema.anything, "merge": Schema.anything,
        "objectACL": Schema.words("none", "required"), "composition": Schema.words("narrowing", "widening"),
        "inherits": .object(["anyOf": .array([Schema.flag, names])]), "creatorPrivileges": names,
        "creatorPermanent": Schema.flag, "readThroughLinks": Schema.flag, "properties": Schema.list(Schema.text),
        "aliases": aliases,
    ]
}
