import Events
import Muniment
import Permissions
import Wire

extension Command {
    static let check = Command(
        "check", "check if a subject has a privilege on an object, and why",
        sentence: "SUBJECT PRIVILEGE[,PRIVILEGE…] [on] OBJECT", options: Option.question,
        example: Example(
            "check user:ann read doc:plan",
            "yes\nthe store level, the class level and the object level give user:ann read on doc:plan")
    ) { call in
        let subject = try call.name("the subject")
        let (privileges, object) = try call.privilegesOnObject()
        let (answer, when) = try call.ask(about: privileges) { (try $0.check(subject, $1, on: object), $0.members) }
        let asked = QueryMembers(subject: subject, privileges: privileges, object: object)
        return try call.answer(
            .object(asked.answer(answer, when)), lines: [answer.isAllowed ? "yes" : "no", answer.explanation],
            answer.isAllowed ? .success : .failure)
    }

    static let privileges = Command(
        "privileges", "list the privileges of a subject on an object", sentence: "SUBJECT [on] OBJECT", options: Option.list,
        example: Example("privileges user:ann on doc:plan", "read\nupdate")
    ) { call in
        let subject = try call.name("the subject")
        let object = try call.name("the object", after: "on")
        try call.end()
        return try call.list("privileges", column: "privilege", QueryMembers(subject: subject, object: object)) { snapshot, _ in
            try snapshot.privileges(of: subject, on: object)
        }
    }

    static let who = Command(
        "who", "list the users and things with a privilege on an object, and administrators, who have all",
        sentence: "PRIVILEGE[,PRIVILEGE…] [on] OBJECT", options: Option.list,
        example: Example("who read doc:plan", "user:ann\nuser:bob\nuser:root  administrator")
    ) { call in
        let (privileges, object) = try call.privilegesOnObject()
        let (found, when) = try call.ask(about: privileges) { snapshot, privileges in
            try call.noteUnknown(snapshot, [object])
            let administrators = try snapshot.exists(object) ? snapshot.administrators() : []
            return ((try snapshot.subjects(with: privileges, on: object), administrators), snapshot.members)
        }
        let (subjects, administrators) = found
        let asked = QueryMembers(privileges: privileges, object: object)
        let rows = (subjects + administrators.filter { !subjects.contains($0) }).map { ($0, administrators.contains($0)) }
        return try call.answer(
            .object(asked.answer(subjects, as: "subjects", when).with(["administrators": .texts(administrators)])),
            lines: rows.map { $1 ? $0 + "  administrator" : $0 },
            table: Table(["subject", "administrator"], rows.map { [.text($0), .flag($1)] }))
    }

    static let what = Command(
        "what", "list the objects where a subject has a privilege", sentence: "SUBJECT PRIVILEGE[,PRIVILEGE…]",
        options: [.className] + Option.list,
        example: Example("what user:ann read", "doc:plan")
    ) { call in
        let subject = try call.name("the subject")
        let privileges = try call.privileges()
        try call.end()
        let className = try call.options.value(of: .className, Values.className)
        return try call.list(
            "objects", column: "object", QueryMembers(subject: subject, privileges: privileges, className: className)
        ) {
            try $0.objects(for: subject, with: $1, class: className)
        }
    }

    static let entries = Command(
        "entries", "list the entries on an object: subjects and their privileges", sentence: "[on] OBJECT",
        options: Option.list,
        example: Example(
            "entries doc:plan",
            """
            role:editors  read
            user:ann  read, update  until 2999-12-31T00:00:00Z
            user:root  query, read, update
            """)
    ) { call in
        let object = try call.name("the object", after: "on")
        try call.end()
        let (entries, when) = try call.ask {
            try call.noteUnknown($0, [object])
            return (try $0.entries(on: object), $0.members)
        }
        let zone = try call.zone
        return try call.answer(
            .object(QueryMembers(object: object).answer(entries, when)), lines: entries.map { $0.line(time: zone.text) },
            table: Table(["subject", "privileges", "until", "permission", "permanent"], entries.map(\.row)))
    }
}

extension Command {
    static let why = Command(
        "why", "explain why a subject has a privilege or not: every path, with the author and time of each step",
        sentence: "SUBJECT PRIVILEGE[,PRIVILEGE…] [on] OBJECT", options: Option.question,
        example: Example(
            "why user:ann read doc:plan",
            """
            yes: user:ann may read doc:plan
            …
            """)
    ) { call in
        let subject = try call.name("the subject")
        let (privileges, object) = try call.privilegesOnObject()
        let isPast = call.options[.at] != nil
        let (answer, when) = try call.ask(about: privileges) { snapshot, privileges in
            let explanation = try snapshot.explain(subject, privileges, on: object)
            let proposals = explanation.isAllowed ? nil : try snapshot.proposals(for: explanation)
            return ((try snapshot.witness(of: explanation), proposals), snapshot.members)
        }
        let (witness, proposals) = answer
        let zone = try call.zone
        return try call.answer(
            WitnessJSON(witness).value.with(proposals.map(\.members) ?? [:]).with(when),
            lines: witness.lines(time: zone.text) + (proposals?.lines(isPast: isPast) ?? []),
            witness.isAllowed ? .success : .failure)
    }
}

extension EntryDescription {
    fileprivate var row: [Cell] {
        [.text(subject), .list(privileges), .time(until == .forever ? nil : until), .text(permission), .flag(isPermanent)]
    }
}
