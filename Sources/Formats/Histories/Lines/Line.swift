import Events
import Muniment
import Permissions

/// The content of one line of a file.
enum Line: Sendable {
    case header(Header)
    case transaction(TransactionLine)
    case question(Question)
    /// A name for the current revision.
    case mark(String)
    /// The clock advances to this time.
    case clock(Instant)
}

/// The kind of file that a line belongs to.
enum FileKind: Sendable {
    /// Transactions after a header, with `actor` and `changes`.
    case history
    /// Transactions, questions with their answers, marks and clock lines after a header.
    case scenario
    /// Questions; their answers, if any, are ignored. A header is optional.
    case questions
}

/// The context of a line, from the lines before it.
struct LineContext: Sendable {
    var kind: FileKind
    /// The header's levels by name; nil if it has none.
    var levels: [ExactText: [String]]?

    static func byName(_ levels: [AccessLevel]) -> [ExactText: [String]] {
        Dictionary(levels.map { (ExactText($0.name), $0.privileges) }, uniquingKeysWith: { first, _ in first })
    }
}

extension Line {
    /// The keys determine the kind of line.
    init(_ value: JSONValue, _ context: LineContext) throws(MemberProblem) {
        var fields = try ObjectReader<MemberProblem>(value)
        let kind = context.kind
        if fields.has("format") {
            self = .header(try Header(value, context))
        } else if fields.has("ask") && kind != .history {
            self = .question(try Question(value, context))
        } else if fields.has("mark") && kind == .scenario {
            self = .mark(try fields.text("mark"))
            try fields.finish()
        } else if fields.has("clock") && kind == .scenario {
            self = .clock(try fields.required("clock", try fields.optionalInstant("clock")))
            try fields.finish()
        } else if kind != .questions && (fields.has("do") || fields.has("changes")) {
            self = .transaction(try TransactionLine(value, context))
        } else {
            throw fields.wrong(nil, "has no key that identifies its kind", kind.expectedLines)
        }
    }
}

extension ObjectReader<MemberProblem> {
    mutating func name(_ name: String) throws(MemberProblem) -> Name { Name(try text(name)) }
    mutating func optionalName(_ name: String) throws(MemberProblem) -> Name? { try optionalText(name).map { Name($0) } }
}

extension FileKind {
    /// The permitted lines, for error messages.
    fileprivate var expectedLines: String {
        switch self {
        case .history: "a history has transactions with `time`, `actor` and `changes`"
        case .scenario: "a scenario has transactions with `as` and `do`, questions with `ask`, and lines with `mark` or `clock`"
        case .questions: "a file of questions has lines with `ask`"
        }
    }
}
