public import Events

/// What a query asks of the properties of an object: the members of its value, when that is a JSON object. A property that is not
/// there counts as null.
public indirect enum Condition: Hashable, Sendable {
    /// A property beside a value. Numbers compare with numbers, exactly, and texts with texts, by their UTF-8; anything can be
    /// equal, and nothing else is less or greater.
    case compare(String, Comparison, JSONValue)
    /// A property is a text that begins with another.
    case hasPrefix(String, String)
    /// All of them hold; always, where there are none.
    case all([Condition])
    /// At least one of them holds; never, where there are none.
    case any([Condition])

    public enum Comparison: String, Hashable, Sendable, CaseIterable {
        case equal = "="
        case less = "<"
        case atMost = "<="
        case greater = ">"
        case atLeast = ">="

        /// Whether the comparison holds for values in this order.
        package func holds(_ order: Order) -> Bool {
            switch self {
            case .equal: order == .same
            case .less: order == .ascending
            case .atMost: order != .descending
            case .greater: order == .descending
            case .atLeast: order != .ascending
            }
        }
    }

    /// How two values stand to each other.
    package enum Order: Hashable, Sendable {
        case ascending, same, descending

        package init<Value: Comparable>(_ left: Value, _ right: Value) {
            self = left < right ? .ascending : right < left ? .descending : .same
        }
    }

    /// Whether a value satisfies the condition. Linear in the condition and the texts that it compares.
    public func matches(_ value: JSONValue?) -> Bool {
        switch self {
        case .compare(let property, .equal, let wanted): (value?[property] ?? .null) == wanted
        case .compare(let property, let comparison, let wanted):
            (value?[property] ?? .null).order(to: wanted).map(comparison.holds) ?? false
        case .hasPrefix(let property, let prefix):
            if case .string(let text)? = value?[property] { text.utf8.starts(with: prefix.utf8) } else { false }
        case .all(let conditions): conditions.allSatisfy { $0.matches(value) }
        case .any(let conditions): conditions.contains { $0.matches(value) }
        }
    }

    /// The properties that it is about, each once, by the UTF-8 bytes of their names.
    public var properties: [String] { exactProperties.sorted().map(\.text) }

    package var exactProperties: Set<ExactText> {
        switch self {
        case .compare(let property, _, _), .hasPrefix(let property, _): [ExactText(property)]
        case .all(let conditions), .any(let conditions): conditions.reduce(into: []) { $0.formUnion($1.exactProperties) }
        }
    }

    /// Whether every number in it is one: JSON has no others.
    var isFinite: Bool {
        switch self {
        case .compare(_, _, .number(let value)): value.isFinite
        case .compare, .hasPrefix: true
        case .all(let conditions), .any(let conditions): conditions.allSatisfy(\.isFinite)
        }
    }

    /// How deeply conditions nest, itself counted.
    var depth: Int {
        switch self {
        case .compare, .hasPrefix: 1
        case .all(let conditions), .any(let conditions): 1 + (conditions.map(\.depth).max() ?? 0)
        }
    }

    /// How many conditions there are in it, itself counted.
    var count: Int {
        switch self {
        case .compare, .hasPrefix: 1
        case .all(let conditions), .any(let conditions): conditions.reduce(1) { $0 + $1.count }
        }
    }
}

extension JSONValue {
    /// How this stands to another number or text; nil where the two do not compare.
    fileprivate func order(to other: JSONValue) -> Condition.Order? {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): Condition.Order(a, b)
        // What is no number is in no order.
        case (.number(let a), _) where a.isNaN, (_, .number(let a)) where a.isNaN: nil
        case (.number(let a), .number(let b)): Condition.Order(a, b)
        case (.integer(let a), .number(let b)): JSONValue.order(a, b)
        case (.number(let a), .integer(let b)): JSONValue.order(b, a).reversed
        case (.string(let a), .string(let b)):
            a.utf8.lexicographicallyPrecedes(b.utf8) ? .ascending : b.utf8.lexicographicallyPrecedes(a.utf8) ? .descending : .same
        default: nil
        }
    }

    /// A whole number beside any other, without rounding either.
    private static func order(_ whole: Int64, _ number: Double) -> Condition.Order {
        if number >= 0x1p63 { return .ascending }
        if number < -0x1p63 { return .descending }
        let floor = number.rounded(.down)
        let order = Condition.Order(whole, Int64(floor))
        return order == .same && floor < number ? .ascending : order
    }
}

extension Condition.Order {
    fileprivate var reversed: Condition.Order {
        switch self {
        case .ascending: .descending
        case .same: .same
        case .descending: .ascending
        }
    }
}
