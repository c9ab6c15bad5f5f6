import Events

/// Converts a value to the type that a line requires.
extension JSONValue {
    var text: String {
        get throws(LineProblem) { if case .string(let text) = self { text } else { throw wrongType("a string") } }
    }

    var flag: Bool {
        get throws(LineProblem) { if case .bool(let flag) = self { flag } else { throw wrongType("true or false") } }
    }

    var members: JSONObject {
        get throws(LineProblem) { if case .object(let members) = self { members } else { throw wrongType("an object") } }
    }

    var texts: [String] {
        get throws(LineProblem) { try list(called: "a list of strings") { element throws(LineProblem) in try element.text } }
    }

    /// Parses each element of a list with `read`.
    ///
    /// - Parameter form: the name of such a list in errors.
    func list<Value>(
        called form: String = "a list", _ read: (JSONValue) throws(LineProblem) -> Value
    ) throws(LineProblem) -> [Value] {
        guard case .array(let elements) = self else { throw wrongType(form) }
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do { values.append(try read(element)) } catch { throw error.inside("[\(index)]") }
        }
        return values
    }

    /// Returns the error for a value of the wrong type.
    func wrongType(_ wanted: String) -> LineProblem {
        if case .null = self {
            LineProblem(problem: "is null", remedy: "write \(wanted), or omit the key")
        } else {
            LineProblem(problem: "has the wrong type", remedy: "write \(wanted)")
        }
    }
}
