import Events
import Permissions

/// A line with a question.
struct Question: Sendable {
    var subject: Subject
    /// The time of the question; nil for now.
    var at: When?
    /// The expected answer in a scenario; nil in a file of questions, which ignores existing answers.
    var answer: JSONValue?

    /// The kind of question, with its arguments.
    enum Subject: Sendable {
        case check(Name, Wanted, on: Name)
        case privileges(Name, on: Name)
        case subjects(Wanted, on: Name)
        case objects(Name, Wanted, class: String?)
        case entries(on: Name)
        case members(Name)
        case value(Name, as: Name)
        case list(class: String, where: JSONObject, as: Name)
        case notices(Name, since: When, until: When?)
        case accessChanges(Name)
    }

    /// One privilege, or all those of a level.
    enum Wanted: Hashable, Sendable {
        case privilege(String)
        case level(String)
    }

    /// A time in the syntax of a line.
    enum When: Hashable, Sendable {
        case revision(Revision)
        /// A time, or the name of a mark.
        case text(String)
    }
}

extension Question {
    init(_ value: JSONValue, _ context: LineContext) throws(MemberProblem) {
        var fields = try ObjectReader<MemberProblem>(value)
        let word = try fields.text("ask")
        guard let kind = Kind(rawValue: word) else {
            let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw fields.wrong("ask", "has the unknown value `\(word)`", "use one of \(known)")
        }
        subject = try kind.read(&fields)
        at = try fields.optional("at", When.init)
        let answer = fields.value("answer")
        if context.kind == .questions {
            self.answer = nil
        } else {
            guard let answer else { throw fields.wrong("answer", "is missing", "add it") }
            self.answer = answer
        }
        try fields.finish()
    }
}

extension Question.When {
    fileprivate init(_ value: JSONValue) throws(MemberProblem) {
        switch value {
        case .string(let text): self = .text(text)
        case .integer(let number) where number >= 0: self = .revision(Revision(UInt64(number)))
        default:
            throw MemberProblem(
                problem: "is not a point in time",
                remedy: "write a revision number, a time like \"2026-01-01T10:00:00Z\" or the name of a mark")
        }
    }
}

private enum Kind: String, CaseIterable {
    case check, privileges, subjects, objects, entries, members, value, list, notices, accessChanges

    func read(_ fields: inout ObjectReader<MemberProblem>) throws(MemberProblem) -> Question.Subject {
        switch self {
        case .check:
            .check(try Kind.subject(&fields), try Kind.wanted(&fields), on: try fields.name("object"))
        case .privileges: .privileges(try Kind.subject(&fields), on: try fields.name("object"))
        case .subjects: .subjects(try Kind.wanted(&fields), on: try fields.name("object"))
        case .objects:
            .objects(try Kind.subject(&fields), try Kind.wanted(&fields), class: try fields.optionalText("class"))
        case .entries: .entries(on: try fields.name("object"))
        case .members: .members(.role(try fields.text("role")))
        case .value: .value(try fields.name("object"), as: try fields.name("as"))
        case .list:
            .list(class: try fields.text("class"), where: try fields.members("where"), as: try fields.name("as"))
        case .notices:
            .notices(
                try Kind.subject(&fields), since: try fields.required("since", try fields.optional("since", Question.When.init)),
                until: try fields.optional("until", Question.When.init))
        case .accessChanges: .accessChanges(try Kind.subject(&fields))
        }
    }

    private static func subject(_ fields: inout ObjectReader<MemberProblem>) throws(MemberProblem) -> Name {
        if fields.has("user") && !fields.has("subject") { return try fields.name("user") }
        return try fields.name("subject")
    }

    private static func wanted(_ fields: inout ObjectReader<MemberProblem>) throws(MemberProblem) -> Question.Wanted {
        if fields.has("level") && !fields.has("privilege") { return .level(try fields.text("level")) }
        return .privilege(try fields.text("privilege"))
    }
}
