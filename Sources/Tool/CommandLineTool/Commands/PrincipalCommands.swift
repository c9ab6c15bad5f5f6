import Events
import Muniment
import Permissions
import Wire

extension Command {
    static let register = Command.change(
        "register", "register a user or a thing before its first call", sentence: "PRINCIPAL",
        example: Example("register user:ann", "revision 3")
    ) { try .register($0.name("the user or thing")) }

    static let roleCreate = Command.change(
        "role create", "create a role", sentence: "ROLE",
        example: Example("role create editors", "revision 5")
    ) { try .createRole($0.role()) }

    static let roleDelete = Command.change(
        "role delete", "delete a role, with its memberships and entries", sentence: "ROLE",
        example: Example("role delete editors", "revision 23")
    ) { try .deleteRole($0.role()) }

    static let roleAdd = Command.change(
        "role add", "add a member to a role", sentence: "MEMBER [to] ROLE", options: [.strict],
        example: Example("role add user:bob to role:editors", "revision 6")
    ) { try .addMember($0.name("the member"), to: $0.role(after: "to"), strict: $0.options.isSet(.strict)) }

    static let roleRemove = Command.change(
        "role remove", "remove a member from a role", sentence: "MEMBER [from] ROLE", options: [.strict],
        example: Example("role remove user:bob from role:editors", "revision 22"), remains: Remains.membership
    ) { try .removeMember($0.name("the member"), from: $0.role(after: "from"), strict: $0.options.isSet(.strict)) }

    static let roleMembers = Command(
        "role members", "list the direct members of a role", sentence: "[of] ROLE", options: Option.list,
        example: Example("role members editors", "user:bob")
    ) { call in
        let role = try call.role(after: "of")
        try call.end()
        return try call.list("members", column: "member", QueryMembers(role: role)) { snapshot, _ in try snapshot.members(of: role)
        }
    }

    static let adminAppoint = Command.change(
        "admin appoint", "make a user or thing an administrator, with all privileges", sentence: "PRINCIPAL",
        example: Example("admin appoint user:ann", "revision 19")
    ) { try .appointAdministrator($0.name("the principal")) }

    static let adminDismiss = Command.change(
        "admin dismiss", "remove an administrator", sentence: "PRINCIPAL",
        example: Example("admin dismiss user:ann", "revision 20")
    ) { try .dismissAdministrator($0.name("the principal")) }

    static let adminList = Command(
        "admin list", "list the administrators", options: Option.list,
        example: Example("admin list", "user:root")
    ) { call in
        try call.list("administrators", column: "administrator", QueryMembers()) { snapshot, _ in
            try snapshot.administrators()
        }
    }
}
