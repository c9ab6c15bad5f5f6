internal import Events
internal import Muniment
internal import Permissions

/// The changes of `Docs/Scenarios.md` as schemas, one for each operation.
enum SchemasOfChanges {
    static let all: JSONObject = JSONObject([
        "Change": .object([
            "oneOf": .array(Change.operations.map { Schema.named($0.capitalizedFirst) }),
            "discriminator": .object(["propertyName": .string("op"), "mapping": .object(mapping)]),
        ]),
        "Aliases": .object(["type": .string("object"), "additionalProperties": Schema.anyOf(Schema.text, Schema.list(Schema.text))]
        ),
    ]).with(JSONObject(Change.members.map { ($0.operation.capitalizedFirst, form($0.operation, $0.members)) }))

    /// The schema of each operation, for clients that find it by `op`.
    private static var mapping: JSONObject {
        JSONObject(Change.operations.map { ($0, JSONValue.string("#/components/schemas/\($0.capitalizedFirst)")) })
    }

    private static func form(_ operation: String, _ members: [ChangeMember]) -> JSONValue {
        let operationWord: JSONValue = .object(["const": .string(operation)])
        var (required, optional): (JSONObject, JSONObject) = (["op": operationWord], [:])
        for member in members {
            if member.absence == .invalid {
                required[member.name] = type(member.kind)
            } else {
                optional[member.name] = type(member.kind)
            }
        }
        let schema = Schema.object(required, optional: optional)
        guard operation == "writeObject" else { return schema }
        return schema.with(Schema.exactlyOne("value", "merge"))
    }

    private static func type(_ kind: ChangeMember.Kind) -> JSONValue {
        let (name, texts) = (Schema.named("ChangedName"), Schema.list(Schema.text))
        return switch kind {
        case .name: name
        case .nameOrNull: Schema.orNull(name)
        case .texts: texts
        case .time: Schema.time
        case .flag: Schema.flag
        case .revision: Schema.revision
        case .value: Schema.anything
        case .words(let words): .object(["type": .string("string"), "enum": .texts(words)])
        case .inheritance: Schema.anyOf(Schema.flag, texts)
        case .aliases: Schema.named("Aliases")
        }
    }
}
