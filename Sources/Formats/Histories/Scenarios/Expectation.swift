import Events

/// Compares the expectations of a scenario with the actual outcomes.
enum Expectation {
    /// Whether `actual` matches `expected`: `"*"` matches anything; members and elements are compared one by one.
    static func matches(_ expected: JSONValue, _ actual: JSONValue) -> Bool {
        switch (expected, actual) {
        case (.string("*"), _): true
        case (.object(let expected), .object(let actual)):
            expected.count == actual.count
                && expected.allSatisfy { name, value in actual[name].map { matches(value, $0) } ?? false }
        case (.array(let expected), .array(let actual)):
            expected.count == actual.count && zip(expected, actual).allSatisfy { matches($0, $1) }
        default: expected == actual
        }
    }
}
