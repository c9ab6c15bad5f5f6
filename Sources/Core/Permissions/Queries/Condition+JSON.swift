public import Events

extension Condition {
    /// Reads a condition from a JSON object. Each property has a value that it must equal, or an object of comparisons that must
    /// all hold: `{"year": {">=": 2020, "<": 2024}, "title": {"prefix": "Br"}}`. `{"$any": […]}` and `{"$all": […]}` contain
    /// conditions.
    ///
    /// - Throws: `Refusal` with `malformed`, which quotes the invalid part.
    public init(json: JSONValue) throws(Refusal) {
        guard case .object(let members) = json else {
            throw Condition.noCondition("a condition must be an object such as {\"title\": \"Plan\"}")
        }
        var conditions: [Condition] = []
        // Sorted by name, so that a cursor matches its query.
        for (name, value) in members {
            switch (name, value) {
            case ("$all", .array(let parts)): conditions.append(.all(try Condition.each(parts)))
            case ("$any", .array(let parts)): conditions.append(.any(try Condition.each(parts)))
            case ("$all", _), ("$any", _): throw Condition.noCondition("`\(name)` takes a list of conditions")
            case (_, .object(let comparisons)): conditions += try Condition.comparisons(of: name, comparisons)
            default: conditions.append(.compare(name, .equal, value))
            }
        }
        self = conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private static func each(_ parts: [JSONValue]) throws(Refusal) -> [Condition] {
        var conditions: [Condition] = []
        for part in parts { conditions.append(try Condition(json: part)) }
        return conditions
    }

    private static func comparisons(of property: String, _ comparisons: JSONObject) throws(Refusal) -> [Condition] {
        var conditions: [Condition] = []
        for (sign, value) in comparisons {
            if sign == "prefix" {
                guard case .string(let prefix) = value else { throw noCondition("`prefix` takes a string") }
                conditions.append(.hasPrefix(property, prefix))
            } else if let comparison = Comparison(rawValue: sign) {
                conditions.append(.compare(property, comparison, value))
            } else {
                throw noCondition("`\(Name(sign).excerpt)` is not a comparison: use =, <, <=, >, >= or prefix")
            }
        }
        return conditions
    }

    private static func noCondition(_ why: String) -> Refusal { Refusal(.malformed, "the condition cannot be read: \(why)") }
}
