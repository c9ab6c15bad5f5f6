internal import Events

extension Optional where Wrapped == JSONValue {
    /// Whether a value has the properties that conditions ask for. A property that is not there counts as null.
    func satisfies(_ conditions: [String: JSONValue]) -> Bool {
        conditions.allSatisfy { property, condition in
            let present = self?[property] ?? .null
            guard case .object(let comparisons) = condition else { return present == condition }
            return comparisons.allSatisfy { present.satisfies($0.key, $0.value) }
        }
    }
}

extension JSONValue {
    /// Whether this compares with another as an operator says. Numbers compare with numbers and texts with texts; nothing else
    /// does.
    fileprivate func satisfies(_ comparison: String, _ other: JSONValue) -> Bool {
        let order: Int
        switch (self, other) {
        case (.integer(let a), .integer(let b)): order = a < b ? -1 : a > b ? 1 : 0
        case (.integer, .number), (.number, .integer), (.number, .number):
            guard let a = number, let b = other.number else { return false }
            order = a < b ? -1 : a > b ? 1 : 0
        case (.string(let a), .string(let b)):
            order = a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : b.utf8.lexicographicallyPrecedes(a.utf8) ? 1 : 0
        default: return false
        }
        return switch comparison {
        case "<": order < 0
        case "<=": order <= 0
        case ">": order > 0
        case ">=": order >= 0
        default: false
        }
    }

    private var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}
