import Events
import Muniment
import Permissions
import Wire

/// Questions of an auditor, in addition to the list.
extension Command {
    static let auditAccess = Command(
        "audit access", "list the subjects with a privilege on an object during a span, and when each had it",
        sentence: "PRIVILEGE[,PRIVILEGE…] [on] OBJECT", options: [.firstMoment, .lastMoment, .format, .utc, .json, .store],
        example: Example(
            "audit access read on doc:plan --to 9",
            """
            user:ann  since r9 2026-01-31T10:02:00Z
            user:root  since r8 2026-01-31T10:01:00Z  as administrator
            """)
    ) { call in
        try call.printAccess { _ in true }
    }

    static let auditSubject = Command(
        "audit subject", "show all access of a subject, now or earlier: roles, levels, objects", sentence: "SUBJECT",
        options: Option.list,
        example: Example(
            "audit subject user:ann --at 9",
            """
            store  create, delete, modifySchema, query, read, setOwner, setPermissions, update
            …
            doc:plan  read, update
            """)
    ) { call in
        let subject = try call.name("the subject")
        try call.end()
        guard subject.isSubject else {
            throw UsageError("`\(subject)` cannot have access; name a user, a thing, a role, everyone or anonymous")
        }
        let report = try call.ask {
            try call.noteUnknown($0, [subject])
            return try $0.accessReport(of: subject)
        }
        return try call.answer(.object(report.json), lines: report.lines, table: report.table)
    }

    static let auditChanges = Command(
        "audit changes", "show when and how the access of a subject to an object began and ended",
        sentence: "SUBJECT PRIVILEGE[,PRIVILEGE…] [on] OBJECT", options: [.firstMoment, .lastMoment, .format, .utc, .json, .store],
        example: Example(
            "audit changes user:ann read on doc:plan --to 9",
            """
            in   r9  2026-01-31T10:02:00Z  user:root
                user:ann was granted read, update on doc:plan until 2999-12-31T00:00:00Z
            """)
    ) { call in
        let subject = try call.name("the subject")
        let (privileges, object) = try call.privilegesOnObject()
        let transitions = try call.withAccess(of: subject, to: object, privileges) { store, privileges in
            try store.accessTransitions(of: subject, with: privileges, on: object, from: try call.from, to: try call.to)
        }
        if transitions.isEmpty { call.note("no access began or ended between these moments") }
        let zone = try call.zone
        return try call.answer(
            .object(QueryMembers(subject: subject, privileges: privileges, object: object).answer(transitions)),
            lines: transitions.flatMap { $0.lines(in: zone) },
            table: Table(AccessTransition.columns, transitions.flatMap { $0.rows(in: zone) }))
    }
}

extension Command {
    static let auditEnds = Command(
        "audit ends", "list the access that will end, the next one first", sentence: "[[on] OBJECT]",
        options: [.limit, .format, .utc, .json, .store],
        example: Example("audit ends", "2999-12-31T00:00:00Z  user:ann on doc:plan")
    ) { call in
        let object = call.wordsLeft == 0 ? nil : try call.name("the object", after: "on")
        try call.end()
        let limit = try call.options.value(of: .limit, Values.count) ?? .max
        let (found, when) = try call.withStore(.reading) { store in
            try store.read { snapshot in
                if let object { try call.noteUnknown(snapshot, [object]) }
                let ends = try snapshot.upcomingEnds(limit: object == nil ? limit : .max)
                return (ends.filter { object == nil || $0.object == object?.text }.prefix(limit), snapshot.members)
            }
        }
        if found.isEmpty { call.note("no entry has an end") }
        let zone = try call.zone
        let table = Table(["until", "subject", "object"], found.map { [.time($0.until), .text($0.subject), .text($0.object)] })
        return try call.answer(
            .object(JSONObject(["ends": .array(table.objects)]).with(when)),
            lines: found.map { "\(zone.text($0.until))  \($0.subject) on \($0.object)" }, table: table)
    }
}

extension Invocation {
    /// Prints the subjects with privileges on an object during a span, and when each had them.
    ///
    /// - Parameters:
    ///   - emptyNote: a note for an empty list.
    ///   - isListed: whether the list contains a subject.
    mutating func printAccess(emptyNote: String? = nil, _ isListed: (SubjectAccess) -> Bool) throws -> ExitCode {
        let (privileges, object) = try privilegesOnObject()
        let found = try withAccess(to: object, privileges) { store, privileges in
            try store.accessSpans(with: privileges, on: object, from: from, to: to).filter(isListed)
        }
        if let emptyNote, found.isEmpty { note(emptyNote) }
        let zone = try zone
        return try answer(
            .object(QueryMembers(privileges: privileges, object: object).answer(found)),
            lines: found.flatMap { $0.lines(in: zone) }, table: Table(SubjectAccess.columns, found.flatMap(\.rows)))
    }

    /// The first moment of the span of a question.
    var from: Moment { get throws { try moment(.firstMoment) ?? .revision(.genesis) } }
    /// The last moment.
    var to: Moment { get throws { try lastMoment(.lastMoment) ?? .now } }
}
