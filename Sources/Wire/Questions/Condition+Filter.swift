package import Events
package import Permissions

extension Condition {
    /// A condition as a caller writes it: `{"title":"Plan"}`, `{"pages":{"<":10}}`.
    ///
    /// A word with a dollar that is none of ours is a mistake, and not a property that no object has.
    ///
    /// - Throws: `Refusal` (`malformed`).
    package init(filter json: JSONValue) throws(Refusal) {
        try Condition.checkWords(json)
        do { self = try Condition(json: json) } catch {
            throw Refusal(
                .malformed, #"the filter is none (\#(error.message)); write one such as {"title":"Plan"} or {"pages":{"<":10}}"#)
        }
    }

    private static func checkWords(_ json: JSONValue) throws(Refusal) {
        guard case .object(let members) = json else { return }
        for (name, value) in members where name.hasPrefix("$") {
            guard ["$any", "$all"].contains(name), case .array(let parts) = value else {
                throw Refusal(.malformed, "`\(name)` is no word of a filter; write `$any` or `$all` with a list of filters")
            }
            for part in parts { try checkWords(part) }
        }
    }
}
