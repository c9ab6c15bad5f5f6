import Events
import Permissions

/// One line with changes: `as` and `do` in a scenario, `actor` and `changes` in a history.
struct TransactionLine: Sendable {
    var caller: Name
    var changes: [Change]
    /// The id of the transaction in the line.
    var id: String?
    var time: Instant?
    /// Whether each change is a separate transaction (`"mode":"each"`).
    var isEach: Bool
    /// The expected outcome in a scenario; nil means `ok` for every change.
    var expectation: JSONValue?
}

extension TransactionLine {
    init(_ value: JSONValue, _ context: LineContext) throws(LineProblem) {
        var fields = try Fields(value, context)
        let change = { (value: JSONValue) throws(LineProblem) in try ChangeLine(value, context).change }
        switch context.kind {
        case .history:
            caller = try fields.name("actor")
            changes = try fields.list("changes", change)
            time = try fields.instant("time")
            (isEach, expectation) = (false, nil)
        case .scenario, .questions:
            caller = try fields.name("as")
            changes = try fields.list("do", change)
            time = try fields.optionalInstant("time")
            isEach = try fields.choice("mode", [("each", true)]) ?? false
            expectation = fields.value("expect")
            if let expectation { try TransactionLine.check(expectation, isEach: isEach, fields) }
        }
        id = try fields.optionalText("id")
        try fields.finish()
    }

    private static func check(_ expectation: JSONValue, isEach: Bool, _ fields: Fields) throws(LineProblem) {
        switch expectation {
        case .string("*"): return
        case .array(let items) where isEach:
            for item in items { try checkOne(item, fields) }
        case _ where isEach:
            throw fields.problem("expect", "is not a list", "with `\"mode\":\"each\"` write one item per change")
        default: try checkOne(expectation, fields)
        }
    }

    private static func checkOne(_ expectation: JSONValue, _ fields: Fields) throws(LineProblem) {
        let remedy = #"write "ok", {"refused":"CODE"} or {"refused":"CODE","change":N}"#
        switch expectation {
        case .string("ok"), .string("*"): return
        case .object(let members):
            if let unknown = members.keys.first(where: { $0 != "refused" && $0 != "change" }) {
                throw fields.problem("expect", "has the unknown key `\(unknown)`", remedy)
            }
            guard case .string(let code)? = members["refused"] else { fallthrough }
            guard code == "*" || Refusal.Code(rawValue: code) != nil else {
                let codes = Refusal.Code.allCases.map(\.rawValue).joined(separator: ", ")
                throw fields.problem("expect", "has the unknown code `\(code)`", "use one of \(codes)")
            }
        default: throw fields.problem("expect", "has the wrong form", remedy)
        }
    }
}
