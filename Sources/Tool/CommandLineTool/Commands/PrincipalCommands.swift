import Events
import Muniment
import Permissions
import Wire

extension Command {
    static let register = Command(
        "register", "register a user or a thing before its first call", sentence: "PRINCIPAL", options: Option.change,
        example: Example("register user:ann", "revision 3")
    ) { call in
        let principal = try call.name("the user or thing")
        try call.end()
        return try call.make(.register(principal))
    }

    static let roleCreate = Command(
        "role create", "create a role", sentence: "ROLE", options: Option.change,
        example: Example("role create editors", "revision 5")
    ) { call in
        let role = try call.role()
        try call.end()
        return try call.make(.createRole(role))
    }

    static let roleDelete = Command(
        "role delete", "delete a role, with its memberships and entries", sentence: "ROLE", options: Option.change,
        example: Example("role delete editors", "revision 23")
    ) { call in
        let role = try call.role()
        try call.end()
        return try call.make(.deleteRole(role))
    }

    static let roleAdd = Command(
        "role add", "add a member to a role", sentence: "MEMBER [to] ROLE", options: [.strict] + Option.change,
        example: Example("role add user:bob to role:editors", "revision 6")
    ) { call in
        let member = try call.name("the member")
        call.skip("to")
        let role = try call.role()
        try call.end()
        return try call.make(.addMember(member, to: role, strict: call.options.isSet(.strict)))
    }

    static let roleRemove = Command(
        "role remove", "remove a member from a role", sentence: "MEMBER [from] ROLE", options: [.strict] + Option.change,
        example: Example("role remove user:bob from role:editors", "revision 22")
    ) { call in
        let member = try call.name("the member")
        call.skip("from")
        let role = try call.role()
        try call.end()
        return try call.make(.removeMember(member, from: role, strict: call.options.isSet(.strict)))
    }

    static let roleMembers = Command(
        "role members", "list the direct members of a role", sentence: "[of] ROLE", options: Option.question,
        example: Example("role members editors", "user:bob")
    ) { call in
        call.skip("of")
        let role = try call.role()
        try call.end()
        let (names, when) = try call.ask {
            try call.noteUnknown($0, objects: [role])
            return (try $0.members(of: role), $0.members)
        }
        return try call.answer(names, as: "members", to: Asked(role: role), when)
    }

    static let adminAppoint = Command(
        "admin appoint", "make a user or thing an administrator, with all privileges", sentence: "PRINCIPAL",
        options: Option.change,
        example: Example("admin appoint user:ann", "revision 19")
    ) { call in
        let principal = try call.name("the principal")
        try call.end()
        return try call.make(.appointAdministrator(principal))
    }

    static let adminDismiss = Command(
        "admin dismiss", "remove an administrator", sentence: "PRINCIPAL", options: Option.change,
        example: Example("admin dismiss user:ann", "revision 20")
    ) { call in
        let principal = try call.name("the principal")
        try call.end()
        return try call.make(.dismissAdministrator(principal))
    }

    static let adminList = Command(
        "admin list", "the administrators", options: Option.question,
        example: Example("admin list", "user:root")
    ) { call in
        try call.end()
        let (names, when) = try call.ask { (try $0.administrators(), $0.members) }
        return try call.answer(names, as: "administrators", to: Asked(), when)
    }
}
