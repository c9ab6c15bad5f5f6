package import Events
package import Muniment
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
    init(_ value: JSONValue, _ context: LineContext) throws(MemberProblem) {
        var fields = try ObjectReader<MemberProblem>(value)
        let change = { (value: JSONValue) throws(MemberProblem) in try Change(value, context) }
        switch context.kind {
        case .history:
            caller = try fields.name("actor")
            changes = try fields.list("changes", change)
            time = try fields.required("time", try fields.optionalInstant("time"))
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

    private static func check(_ expectation: JSONValue, isEach: Bool, _ fields: ObjectReader<MemberProblem>) throws(MemberProblem) {
        switch expectation {
        case .string("*"): return
        case .array(let items) where isEach:
            for item in items { try checkOne(item, fields) }
        case _ where isEach:
            throw fields.wrong("expect", "is not a list", "with `\"mode\":\"each\"` write one item per change")
        default: try checkOne(expectation, fields)
        }
    }

    private static func checkOne(_ expectation: JSONValue, _ fields: ObjectReader<MemberProblem>) throws(MemberProblem) {
        let remedy = #"write "ok", {"refused":"CODE"} or {"refused":"CODE","change":N}"#
        switch expectation {
        case .string("ok"), .string("*"): return
        case .object(let members):
            if let unknown = members.keys.first(where: { $0 != "refused" && $0 != "change" }) {
                throw fields.wrong("expect", "has the unknown key `\(unknown)`", remedy)
            }
            guard case .string(let code)? = members["refused"] else { fallthrough }
            guard code == "*" || Refusal.Code(rawValue: code) != nil else {
                let codes = Refusal.Code.allCases.map(\.rawValue).joined(separator: ", ")
                throw fields.wrong("expect", "has the unknown code `\(code)`", "use one of \(codes)")
            }
        default: throw fields.wrong("expect", "has the wrong form", remedy)
        }
    }
}

extension [Change] {
    /// Parses the changes of a list, in order.
    ///
    /// - Parameter list: a JSON array of changes.
    /// - Parameter levels: the definitions of levels in grants; nil for none.
    /// - Throws: ``Primitives/MemberProblem`` with a path that begins with the index in the list.
    package init(_ list: JSONValue, levels: [AccessLevel]?) throws(MemberProblem) {
        let context = LineContext(kind: .scenario, levels: levels.map(LineContext.byName))
        self = try list.readList("a list") { value throws(MemberProblem) in try Change(value, context) }
    }
}

extension Change {
    /// Parses a change in a line. A grant of privileges adds to an entry; a grant of a level replaces it.
    init(_ value: JSONValue, _ context: LineContext) throws(MemberProblem) {
        var reader = try ObjectReader<MemberProblem>(value)
        guard reader.has("level"), try reader.text("op") == "grant" else {
            self = try Change(&reader)
            return
        }
        let (subject, object, level) = (try reader.name("subject"), try reader.name("object"), try reader.text("level"))
        guard let levels = context.levels else {
            throw reader.wrong("level", "needs levels", "define them as `levels` in the header")
        }
        guard let privileges = levels[ExactText(level)] else {
            let known = levels.keys.sorted().map { "`\($0.text)`" }.joined(separator: ", ")
            throw reader.wrong("level", "has the unknown level `\(level)`", "use one of \(known)")
        }
        self = .setAccess(subject, on: object, privileges)
        try reader.finish()
    }
}
