internal import Events
internal import Muniment
internal import Permissions

/// The changes of `Docs/Scenarios.md` as schemas, one for each operation.
enum SchemasOfChanges {
    static let all: JSONObject = JSONObject([
        "Change": .object(["oneOf": .array(Change.operations.map { Schema.named(title($0)) })])
    ]).with(JSONObject(Change.members.map { (title($0.operation), form($0.operation, $0.members)) }))

    private static func title(_ operation: String) -> String { operation.prefix(1).uppercased() + operation.dropFirst() }

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
        let oneContent = JSONValue.array([.object(["required": .texts(["value"])]), .object(["required": .texts(["merge"])])])
        return schema.with(["oneOf": oneContent])
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
        case .inheritance: .object(["anyOf": .array([Schema.flag, texts])])
        case .aliases:
            .object(["type": .string("object"), "additionalProperties": .object(["anyOf": .array([Schema.text, texts])])])
        }
    }
}
