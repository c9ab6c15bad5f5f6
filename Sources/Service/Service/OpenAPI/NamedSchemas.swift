internal import Events
internal import Muniment

/// The named schemas of the API description. Gives each object in the requests and responses of routes a name, because client
/// generators make a class with this name.
///
/// Equal schemas share the name that was given first.
struct NamedSchemas {
    private(set) var all: JSONObject = [:]
    private var names: [JSONValue: String] = [:]

    /// - Parameter schemas: the schemas that have names already. The objects in their members are named after schema and member.
    init(_ schemas: JSONObject) {
        all = schemas
        for (name, schema) in schemas { names[schema] = name }
        for (name, schema) in schemas { all[name] = namingParts(of: schema, after: name) }
    }

    /// Returns a reference to the schema if it describes an object, and else the schema with references to the objects in it.
    ///
    /// - Parameter name: the name of the schema if it has none yet. If another schema has this name, a number is added.
    mutating func named(_ schema: JSONValue, _ name: String) -> JSONValue {
        if let known = names[schema] { return Schema.named(known) }
        let withParts = namingParts(of: schema, after: name)
        guard schema["type"] == .string("object") else { return withParts }
        var (free, number) = (name, 2)
        while all[free] != nil {
            free = name + String(number)
            number += 1
        }
        all[free] = withParts
        names[schema] = free
        return Schema.named(free)
    }

    private mutating func namingParts(of schema: JSONValue, after name: String) -> JSONValue {
        guard case .object(var members) = schema else { return schema }
        if case .object(var properties)? = members["properties"] {
            for (property, part) in properties { properties[property] = named(part, name + property.capitalizedFirst) }
            members["properties"] = .object(properties)
        }
        for keyword in ["items", "additionalProperties"] {
            if let part = members[keyword] { members[keyword] = named(part, name) }
        }
        for keyword in ["anyOf", "oneOf"] {
            if case .array(let parts)? = members[keyword] { members[keyword] = .array(parts.map { named($0, name) }) }
        }
        return .object(members)
    }
}

extension String {
    /// This text with its first character in upper case, such as `CreateObject` for `createObject`.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
