import Events
import Permissions

/// What one line of a file says.
enum Line: Sendable {
    case header(Header)
    case transaction(TransactionLine)
    case question(Question)
    /// A name for the present revision.
    case mark(String)
    /// The clock moves forward to this moment.
    case clock(Instant)
}

/// What a line is read as part of.
enum FileKind: Sendable {
    /// Transactions under a header, with `actor` and `changes`.
    case history
    /// Transactions, questions with their answers, marks and clocks under a header.
    case scenario
    /// Questions whose answers, if any, do not matter; a header is optional.
    case questions
}

/// What the lines before this one settled: how it is to be read.
struct LineContext: Sendable {
    var kind: FileKind
    /// The header's levels by name; nil where it has none.
    var levels: [ExactText: [String]]?
}

extension Line {
    /// Which kind of line it is, its keys tell.
    init(_ value: JSONValue, _ context: LineContext) throws(LineProblem) {
        var fields = try Fields(value, context)
        let kind = context.kind
        if fields.has("format") {
            self = .header(try Header(value, context))
        } else if fields.has("ask") && kind != .history {
            self = .question(try Question(value, context))
        } else if fields.has("mark") && kind == .scenario {
            self = .mark(try fields.text("mark"))
            try fields.finish()
        } else if fields.has("clock") && kind == .scenario {
            self = .clock(try fields.instant("clock"))
            try fields.finish()
        } else if kind != .questions && (fields.has("do") || fields.has("changes")) {
            self = .transaction(try TransactionLine(value, context))
        } else {
            throw fields.problem(nil, "has none of the keys that tell what it is", kind.expectedLines)
        }
    }
}

extension FileKind {
    /// What to write instead of a line that does not belong.
    fileprivate var expectedLines: String {
        switch self {
        case .history: "a history has transactions with `time`, `actor` and `changes`"
        case .scenario: "a scenario has transactions with `as` and `do`, questions with `ask`, and lines with `mark` or `clock`"
        case .questions: "a file of questions has lines with `ask`"
        }
    }
}
