import Events
import Permissions

extension Command {
    static let permissionDefine = Command(
        "permission define", "define a permission: privileges of one subject, for many objects",
        sentence: "PERMISSION [for] SUBJECT PRIVILEGE[,PRIVILEGE…]", options: Option.change,
        example: Example("permission define reviewers for role:editors read,approve", "revision 15")
    ) { call in
        let (permission, subject, privileges) = try call.permissionForSubject()
        return try call.make(.definePermission(permission, subject: subject, privileges))
    }

    static let permissionChange = Command(
        "permission change", "change a permission on every object it is attached to",
        sentence: "PERMISSION [for] SUBJECT PRIVILEGE[,PRIVILEGE…]", options: Option.change,
        example: Example("permission change reviewers for role:editors read", "revision 17")
    ) { call in
        let (permission, subject, privileges) = try call.permissionForSubject()
        return try call.make(.changePermission(permission, subject: subject, privileges))
    }

    static let permissionAttach = Command(
        "permission attach", "attach a permission to an object", sentence: "PERMISSION [to] OBJECT", options: Option.change,
        example: Example("permission attach reviewers to doc:plan", "revision 16")
    ) { call in
        let permission = try call.permission()
        call.skip("to")
        let object = try call.name("the object")
        try call.end()
        return try call.make(.attachPermission(permission, to: object))
    }

    static let permissionDetach = Command(
        "permission detach", "detach a permission from an object", sentence: "PERMISSION [from] OBJECT",
        options: Option.change, example: Example("permission detach reviewers from doc:plan", "revision 18")
    ) { call in
        let permission = try call.permission()
        call.skip("from")
        let object = try call.name("the object")
        try call.end()
        return try call.make(.detachPermission(permission, from: object))
    }
}

extension Call {
    /// Takes the words that define a permission.
    fileprivate mutating func permissionForSubject() throws -> (permission: Name, subject: Name, privileges: [String]) {
        let permission = try permission()
        skip("for")
        let subject = try name("the subject")
        let privileges = try privileges()
        try end()
        return (permission, subject, privileges)
    }
}
