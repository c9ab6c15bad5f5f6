/// A JSON value of an object.
///
/// Whole numbers that fit 64 bits stay exact; any other number is a `Double`. Equality is JSON's: `1` equals `1.0`, no number
/// equals a boolean, and texts are equal if their bytes are.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The member of this name; nil if the value is not an object or does not contain the name.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// Returns this value with a patch applied (RFC 7396): members of the patch replace members, null removes them, and a patch
    /// that is not an object replaces the value. Linear in the patch and in the objects that it changes.
    public func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        guard case .object(let members) = self else { return .object(JSONObject().merging(changes)) }
        return .object(members.merging(changes))
    }

    /// Calls `body` with the target of each link, every `{"$ref": NAME}`, in the order of the value, including duplicates. Stops if
    /// `body` throws.
    package func forEachLink(_ body: (String) throws -> Void) rethrows {
        switch self {
        case .object(let members):
            if case .string(let target)? = members["$ref"] { try body(target) }
            for (_, member) in members { try member.forEachLink(body) }
        case .array(let elements):
            for element in elements { try element.forEachLink(body) }
        case .null, .bool, .integer, .number, .string: break
        }
    }

    /// The approximate size of the value as JSON, in bytes. It ignores escapes and the digits of numbers. Linear in the number of values.
    package var approximateBytes: Int {
        switch self {
        case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.approximateBytes }
        case .array(let elements): elements.reduce(2) { $0 + 1 + $1.approximateBytes }
        case .string(let text): text.utf8.count + 2
        case .null, .bool, .integer, .number: 4
        }
    }

    /// The nesting depth of arrays and objects; 0 for a plain value.
    public var depth: Int {
        switch self {
        case .object(let members): 1 + members.reduce(0) { max($0, $1.value.depth) }
        case .array(let elements): 1 + elements.reduce(0) { max($0, $1.depth) }
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
        case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)): Int64(exactly: b) == a
        case (.string(let a), .string(let b)): ExactText(a) == ExactText(b)
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
