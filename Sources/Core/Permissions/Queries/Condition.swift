public import Events

/// A condition on the properties of an object: the members of its value, if that is a JSON object. An absent property counts as
/// null.
public indirect enum Condition: Hashable, Sendable {
    /// Compares a property with a value. Numbers are compared with numbers, exactly, and texts with texts, by their UTF-8 bytes.
    /// Values of any type can be equal; values of other types are never less or greater.
    case compare(String, Comparison, JSONValue)
    /// A property is a text with this prefix.
    case hasPrefix(String, String)
    /// All of the conditions hold; true for an empty list.
    case all([Condition])
    /// At least one of the conditions holds; false for an empty list.
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

    /// The order of two values.
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

    /// The properties in it, without duplicates, sorted by the UTF-8 bytes of their names.
    public var properties: [String] { exactProperties.sorted().map(\.text) }

    package var exactProperties: Set<ExactText> {
        switch self {
        case .compare(let property, _, _), .hasPrefix(let property, _): [ExactText(property)]
        case .all(let conditions), .any(let conditions): conditions.reduce(into: []) { $0.formUnion($1.exactProperties) }
        }
    }

    /// Whether every number in it is finite: JSON has no others.
    var isFinite: Bool {
        switch self {
        case .compare(_, _, .number(let value)): value.isFinite
        case .compare, .hasPrefix: true
        case .all(let conditions), .any(let conditions): conditions.allSatisfy(\.isFinite)
        }
    }

    /// The nesting depth of the conditions, including this one.
    var depth: Int {
        switch self {
        case .compare, .hasPrefix: 1
        case .all(let conditions), .any(let conditions): 1 + (conditions.map(\.depth).max() ?? 0)
        }
    }

    /// The number of conditions in it, including this one.
    var count: Int {
        switch self {
        case .compare, .hasPrefix: 1
        case .all(let conditions), .any(let conditions): conditions.reduce(1) { $0 + $1.count }
        }
    }
}

extension JSONValue {
    /// Returns the order of this and another number or text; nil if the two cannot be compared.
    fileprivate func order(to other: JSONValue) -> Condition.Order? {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): Condition.Order(a, b)
        // NaN has no order.
        case (.number(let a), _) where a.isNaN, (_, .number(let a)) where a.isNaN: nil
        case (.number(let a), .number(let b)): Condition.Order(a, b)
        case (.integer(let a), .number(let b)): JSONValue.order(a, b)
        case (.number(let a), .integer(let b)): JSONValue.order(b, a).reversed
        case (.string(let a), .string(let b)):
            a.utf8.lexicographicallyPrecedes(b.utf8) ? .ascending : b.utf8.lexicographicallyPrecedes(a.utf8) ? .descending : .same
        default: nil
        }
    }

    /// Compares a whole number with a `Double`, without rounding either.
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
