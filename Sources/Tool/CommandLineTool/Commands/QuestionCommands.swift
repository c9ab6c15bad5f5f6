import Events
import Muniment
import Permissions
import Wire

extension Option {
    fileprivate static let className = Option("class", value: "CLASS", "only objects of this class")
}

extension Command {
    static let check = Command(
        "check", "check if a subject has a privilege on an object, and why",
        sentence: "SUBJECT PRIVILEGE[,PRIVILEGE…] [on] OBJECT", options: Option.question,
        example: Example(
            "check user:ann read doc:plan",
            "yes\nthe store level, the class level and the object part give user:ann read on doc:plan")
    ) { call in
        let subject = try call.name("the subject")
        let (privileges, object) = try call.privilegesOnObject()
        let (answer, when) = try call.ask { (try $0.check(subject, privileges, on: object), $0.members) }
        if call.isJSON {
            let asked = Asked(subject: subject, privileges: privileges, object: object)
            try call.output.json(.object(asked.answer(answer, when)))
        } else {
            try call.output.line(answer.isAllowed ? "yes" : "no")
            try call.output.line(answer.explanation)
        }
        return answer.isAllowed ? .success : .failure
    }

    static let privileges = Command(
        "privileges", "list the privileges of a subject on an object", sentence: "SUBJECT [on] OBJECT", options: Option.question,
        example: Example("privileges user:ann on doc:plan", "read\nupdate")
    ) { call in
        let subject = try call.name("the subject")
        call.skip("on")
        let object = try call.name("the object")
        try call.end()
        let (names, when) = try call.ask {
            try call.noteUnknown($0, objects: [object])
            return (try $0.privileges(of: subject, on: object), $0.members)
        }
        return try call.answer(names, as: "privileges", to: Asked(subject: subject, object: object), when)
    }

    static let who = Command(
        "who", "list the users and things with a privilege on an object (without administrators, who have all)",
        sentence: "PRIVILEGE[,PRIVILEGE…] [on] OBJECT", options: Option.question,
        example: Example("who read doc:plan", "user:ann\nuser:bob")
    ) { call in
        let (privileges, object) = try call.privilegesOnObject()
        let (names, when) = try call.ask {
            try call.noteUnknown($0, objects: [object], privileges: privileges)
            return (try $0.subjects(with: privileges, on: object), $0.members)
        }
        return try call.answer(names, as: "subjects", to: Asked(privileges: privileges, object: object), when)
    }

    static let what = Command(
        "what", "list the objects where a subject has a privilege", sentence: "SUBJECT PRIVILEGE[,PRIVILEGE…]",
        options: [.className] + Option.question,
        example: Example("what user:ann read", "doc:plan")
    ) { call in
        let subject = try call.name("the subject")
        let privileges = try call.privileges()
        try call.end()
        let className = try call.options[.className].map(Values.className)
        let (names, when) = try call.ask {
            try call.noteUnknown($0, privileges: privileges, class: className)
            return (try $0.objects(for: subject, with: privileges, class: className), $0.members)
        }
        return try call.answer(
            names, as: "objects", to: Asked(subject: subject, privileges: privileges, className: className), when)
    }

    static let entries = Command(
        "entries", "list the entries on an object: subjects and their privileges", sentence: "[on] OBJECT",
        options: Option.question,
        example: Example("entries doc:plan", "role:editors  read\nuser:ann  read, update  until 2999-12-31T00:00:00Z")
    ) { call in
        call.skip("on")
        let object = try call.name("the object")
        try call.end()
        let (entries, when) = try call.ask {
            try call.noteUnknown($0, objects: [object])
            return (try $0.entries(on: object), $0.members)
        }
        if call.isJSON {
            try call.output.json(.object(Asked(object: object).answer(entries, when)))
        } else {
            for entry in entries { try call.output.line(entry.line) }
        }
        return .success
    }
}

extension EntryDescription {
    private var end: Instant? { until == .forever ? nil : until }

    fileprivate var line: String {
        var line = "\(subject)  \(privileges.joined(separator: ", "))"
        if let end { line += "  until \(end)" }
        if isPermanent { line += "  permanent" }
        if let permission { line += "  by \(Name.permission(permission))" }
        return line
    }
}
