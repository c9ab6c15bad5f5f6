import Events

/// Whether a value meets the conditions of a listing: each property equal, or in each of the given orders.
///
/// A property that is missing reads as null, which equals null and is in no order. Numbers are in order with numbers, texts
/// with texts by their bytes, and nothing else is.
func satisfies(_ value: JSONValue, _ conditions: JSONValue) -> Bool {
    guard case .object(let conditions) = conditions else { return false }
    return conditions.allSatisfy { property, condition in
        let found = value[property] ?? .null
        guard case .object(let orders) = condition else { return found == condition }
        return orders.allSatisfy { order, bound in
            switch order {
            case "<": isLess(found, bound)
            case "<=": isLess(found, bound) || isComparable(found, bound) && found == bound
            case ">": isLess(bound, found)
            case ">=": isLess(bound, found) || isComparable(found, bound) && found == bound
            default: false
            }
        }
    }
}

private func isLess(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.integer(let left), .number(let right)): Double(left) < right
    case (.number(let left), .integer(let right)): left < Double(right)
    case (.number(let left), .number(let right)): left < right
    case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    default: false
    }
}

private func isComparable(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.integer, .integer), (.integer, .number), (.number, .integer), (.number, .number), (.string, .string): true
    default: false
    }
}
