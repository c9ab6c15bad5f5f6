package import Events
package import Permissions

extension Condition {
    /// Parses a condition in the syntax of callers: `{"title":"Plan"}`, `{"pages":{"<":10}}`.
    ///
    /// An unknown word with a dollar is an error. It is not read as the name of a missing property.
    ///
    /// - Throws: `Refusal` (`malformed`).
    package init(filter json: JSONValue) throws(Refusal) {
        try Condition.checkWords(json)
        do { self = try Condition(json: json) } catch {
            throw Refusal(
                .malformed, #"the filter is invalid (\#(error.message)); write one such as {"title":"Plan"} or {"pages":{"<":10}}"#)
        }
    }

    private static func checkWords(_ json: JSONValue) throws(Refusal) {
        guard case .object(let members) = json else { return }
        for (name, value) in members where name.hasPrefix("$") {
            guard ["$any", "$all"].contains(name), case .array(let parts) = value else {
                throw Refusal(.malformed, "`\(name)` is not a filter operator; write `$any` or `$all` with a list of filters")
            }
            for part in parts { try checkWords(part) }
        }
    }
}
