/// A JSON value, as objects carry it.
///
/// Whole numbers that fit 64 bits stay exact; any other number is a `Double`. Equality is JSON's: `1` equals `1.0`, and no
/// number equals a boolean.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The member of this name; nil where this is no object or has none.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// This value with a patch applied (RFC 7396): members of the patch replace, null removes, and a patch that is no object
    /// becomes the value.
    public func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [String: JSONValue] = [:]
        if case .object(let existing) = self { members = existing }
        for (name, change) in changes {
            if case .null = change {
                members[name] = nil
            } else {
                members[name] = (members[name] ?? .null).merging(change)
            }
        }
        return .object(members)
    }

    /// The names that this value links to: every `{"$ref": NAME}` in it, each once, in sorted order.
    public var links: [String] {
        var names: Set<[UInt8]> = []
        collectLinks(into: &names)
        return names.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func collectLinks(into names: inout Set<[UInt8]>) {
        switch self {
        case .object(let members):
            if case .string(let target)? = members["$ref"] { names.insert(Array(target.utf8)) }
            for member in members.values { member.collectLinks(into: &names) }
        case .array(let elements):
            for element in elements { element.collectLinks(into: &names) }
        case .null, .bool, .integer, .number, .string: break
        }
    }

    /// How deeply arrays and objects nest; 0 for a plain value.
    public var depth: Int {
        switch self {
        case .object(let members): 1 + (members.values.map(\.depth).max() ?? 0)
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .null, .bool, .integer, .number, .string: 0
        }
    }
}

extension JSONValue: Hashable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)): Double(exactly: a) == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(Double(value))
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode([String: JSONValue].self) {
            self = .object(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .number(try container.decode(Double.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
