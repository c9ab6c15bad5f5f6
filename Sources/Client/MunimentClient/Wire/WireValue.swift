public import Primitives

/// A type that the client reads from the JSON of the service. Unknown members are ignored, because later versions of the service may
/// add some.
protocol WireValue {
    init(wire value: JSONValue) throws
}

/// A type that the client reads from a JSON object of the service.
protocol WireObject: WireValue {
    init(members: JSONObject) throws
}

extension WireObject {
    init(wire value: JSONValue) throws { try self.init(members: value.readMembers()) }
}

/// The service sent another type than expected.
struct WireTypeError: Error, CustomStringConvertible {
    let description: String
}

extension JSONObject {
    func read<Value: WireValue>(_ name: String) throws -> Value {
        guard let value = self[name] else { throw WireTypeError(description: "`\(name)` is missing") }
        do { return try Value(wire: value) } catch { throw WireTypeError(description: "`\(name)`: \(error)") }
    }

    /// Reads a member that may be absent or null.
    func read<Value: WireValue>(_ name: String) throws -> Value? {
        switch self[name] {
        case nil, .null?: nil
        default: try read(name) as Value
        }
    }
}

extension String: WireValue {
    init(wire value: JSONValue) throws { self = try value.readText() }
}

extension Bool: WireValue {
    init(wire value: JSONValue) throws { self = try value.readFlag() }
}

extension Int: WireValue {
    init(wire value: JSONValue) throws {
        guard case .integer(let number) = value, let number = Int(exactly: number) else { throw value.wrongType("a whole number") }
        self = number
    }
}

extension Revision: WireValue {
    init(wire value: JSONValue) throws {
        guard case .integer(let number) = value, let number = UInt64(exactly: number) else { throw value.wrongType("a revision") }
        self.init(number)
    }
}

extension Instant: WireValue {
    init(wire value: JSONValue) throws { self = try value.readInstant() }
}

extension Name: WireValue {
    init(wire value: JSONValue) throws { self.init(try value.readText()) }
}

extension JSONValue: WireValue {
    init(wire value: JSONValue) { self = value }
}

extension JSONObject: WireValue {
    init(wire value: JSONValue) throws { self = try value.readMembers() }
}

extension Array: WireValue where Element: WireValue {
    init(wire value: JSONValue) throws {
        guard case .array(let elements) = value else { throw value.wrongType("a list") }
        self = try elements.map { try Element(wire: $0) }
    }
}
