internal import Events
internal import Muniment

/// Parts of JSON Schema 2020-12, as used by OpenAPI 3.1.
enum Schema {
    /// Returns a reference to a named schema: see ``Schemas``.
    static func named(_ name: String) -> JSONValue { .object(["$ref": .string("#/components/schemas/\(name)")]) }

    /// Returns an object with these members and no others.
    static func object(_ required: JSONObject, optional: JSONObject = [:], isOpen: Bool = false) -> JSONValue {
        var schema: JSONObject = ["type": .string("object"), "properties": .object(required.with(optional))]
        if required.count > 0 { schema["required"] = .array(required.keys.map(JSONValue.string)) }
        if !isOpen { schema["additionalProperties"] = .bool(false) }
        return .object(schema)
    }

    static func list(_ element: JSONValue, minimum: Int? = nil, maximum: Int? = nil) -> JSONValue {
        var schema: JSONObject = ["type": .string("array"), "items": element]
        if let minimum { schema["minItems"] = .count(minimum) }
        if let maximum { schema["maxItems"] = .count(maximum) }
        return .object(schema)
    }

    static func count(upTo limit: Int, default standard: Int? = nil) -> JSONValue {
        var schema: JSONObject = ["type": .string("integer"), "minimum": .integer(1), "maximum": .count(limit)]
        if let standard { schema["default"] = .count(standard) }
        return .object(schema)
    }

    static func words(_ words: String...) -> JSONValue { Schema.words(words) }
    static func words(_ words: [String]) -> JSONValue { .object(["type": .string("string"), "enum": .texts(words)]) }
    static func oneOf(_ schemas: JSONValue...) -> JSONValue { .object(["oneOf": .array(schemas)]) }
    static func anyOf(_ schemas: JSONValue...) -> JSONValue { .object(["anyOf": .array(schemas)]) }
    static func orNull(_ schema: JSONValue) -> JSONValue { anyOf(schema, .object(["type": .string("null")])) }

    static let text: JSONValue = .object(["type": .string("string")])
    static let nonEmptyText: JSONValue = .object(["type": .string("string"), "minLength": .integer(1)])
    static let flag: JSONValue = .object(["type": .string("boolean")])
    static let number: JSONValue = .object(["type": .string("integer"), "minimum": .integer(0)])
    static let anything = named("JSONValue")

    /// Returns a schema of an object with any members.
    static func openObject(_ description: String) -> JSONValue {
        .object(["type": .string("object"), "description": .string(description)])
    }

    /// Returns the rule that an object has exactly one of two members.
    ///
    /// It is not written as `oneOf`, because client generators make a union of types without members from that.
    static func exactlyOne(_ first: String, _ second: String) -> JSONObject {
        func required(_ name: String) -> JSONValue { .object(["required": .texts([name])]) }
        return ["if": required(first), "then": .object(["not": required(second)]), "else": required(second)]
    }

    static let name = named("Name")
    static let names = list(named("Name"))
    static let privileges = list(named("Privilege"))
    static let revision = named("Revision")
    static let time = named("Time")
    static let moment = named("Moment")
}
