import Events
import Permissions

extension Command {
    static let grant = Command(
        "grant", "grant a subject privileges on an object", sentence: "SUBJECT PRIVILEGE[,PRIVILEGE…] [on] OBJECT",
        options: [.until, .strict] + Option.change,
        example: Example("grant user:ann read,update on doc:plan --until 2999-12-31", "revision 9")
    ) { call in
        let subject = try call.name("the subject")
        let (privileges, object) = try call.privilegesOnObject()
        let until = try call.options[.until].map(Values.time)
        return try call.make(.grant(subject, on: object, privileges, until: until, strict: call.options.isSet(.strict)))
    }

    static let revoke = Command(
        "revoke", "revoke privileges of a subject on an object, or its whole entry",
        sentence: "SUBJECT [PRIVILEGE[,PRIVILEGE…]] [on] OBJECT", options: [.strict] + Option.change,
        example: Example("revoke user:ann update on doc:plan", "revision 11")
    ) { call in
        let subject = try call.name("the subject")
        call.skip("on")
        let privileges = call.wordsLeft > 1 ? try call.privileges() : nil
        call.skip("on")
        let object = try call.name("the object")
        try call.end()
        return try call.make(.revoke(subject, on: object, privileges, strict: call.options.isSet(.strict)))
    }
}
