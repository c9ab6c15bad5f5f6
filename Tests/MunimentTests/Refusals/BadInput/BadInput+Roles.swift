import Events
import Permissions

extension BadInput {
    private static let long = Name.role(String(repeating: "x", count: 513))

    static let roles: [BadInput] = [
        BadInput(.alreadyExists, "role:r", .createRole("role:r")), BadInput(.tooLarge, long.text, .createRole(long)),
        BadInput(.unknownObject, "role:none", .deleteRole("role:none")), BadInput(.tooLarge, long.text, .deleteRole(long)),
        BadInput(.unknownObject, "role:none", .addMember("user:ann", to: "role:none")),
        BadInput(.unknownPrincipal, "user:none", .addMember("user:none", to: "role:r")),
        BadInput(.unknownPrincipal, "role:none", .addMember("role:none", to: "role:r")),
        BadInput(.unknownPrincipal, "doc:1", .addMember("doc:1", to: "role:r")),
        BadInput(.unknownPrincipal, "store", .addMember(.store, to: "role:r")),
        BadInput(.malformed, "role:r", .addMember(.anonymous, to: "role:r")),
        // A role as a member of itself, of one of its members, and in a cycle of five.
        BadInput(.cycle, "role:r", .addMember("role:r", to: "role:r")),
        BadInput(.cycle, "role:outer", .addMember("role:outer", to: "role:r")),
        BadInput(.cycle, "role:ring5", .addMember("role:ring5", to: "role:ring1")),
        BadInput(.cycle, "role:ring1", .addMember("role:ring3", to: "role:ring1")),
        BadInput(.cycle, "role:ring5", .addMember("role:ring5", to: "role:ring1", strict: true)),
        BadInput(.alreadyExists, "user:ann", .addMember("user:ann", to: "role:r", strict: true)),
        BadInput(.alreadyExists, "role:outer", .addMember("role:r", to: "role:outer", strict: true)),
        BadInput(.unknownObject, "role:none", .removeMember("user:ann", from: "role:none")),
        BadInput(.unknownPrincipal, "user:none", .removeMember("user:none", from: "role:r")),
        BadInput(.unknownPrincipal, "doc:1", .removeMember("doc:1", from: "role:r")),
        BadInput(.malformed, "role:r", .removeMember(.anonymous, from: "role:r")),
        BadInput(.notThere, "user:ben", .removeMember("user:ben", from: "role:r", strict: true)),
        // A member of a member is not a direct member.
        BadInput(.notThere, "user:ann", .removeMember("user:ann", from: "role:outer", strict: true)),
    ]

    static let principals: [BadInput] = [
        BadInput(.tooLarge, "user:" + long.text, .register(Name("user:" + long.text))),
        BadInput(.unknownPrincipal, "user:none", .appointAdministrator("user:none")),
        BadInput(.unknownPrincipal, "thing:none", .appointAdministrator("thing:none")),
        BadInput(.unknownPrincipal, "user:none", .dismissAdministrator("user:none")),
        BadInput(.lastAdministrator, "user:root", .dismissAdministrator("user:root")),
    ]

    static let permissions: [BadInput] = [
        BadInput(.alreadyExists, "permission:p", .definePermission("permission:p", subject: "user:ann", ["read"])),
        BadInput(.malformed, "fly", .definePermission("permission:new", subject: "user:ann", ["fly"])),
        BadInput(.malformed, "", .definePermission("permission:new", subject: "user:ann", [""])),
        BadInput(.unknownPrincipal, "user:none", .definePermission("permission:new", subject: "user:none", ["read"])),
        BadInput(.unknownPrincipal, "doc:1", .definePermission("permission:new", subject: "doc:1", ["read"])),
        BadInput(.unknownPermission, "permission:none", .changePermission("permission:none", subject: "user:ann", ["read"])),
        BadInput(.malformed, "fly", .changePermission("permission:p", subject: "user:ann", ["read", "fly"])),
        BadInput(.unknownPrincipal, "user:none", .changePermission("permission:p", subject: "user:none", ["read"])),
        BadInput(.unknownPrincipal, "class:doc", .changePermission("permission:p", subject: .class("doc"), [])),
        BadInput(.unknownPermission, "permission:none", .attachPermission("permission:none", to: "doc:1")),
        BadInput(.unknownObject, "doc:none", .attachPermission("permission:p", to: "doc:none")),
        BadInput(.unknownObject, "class:new", .attachPermission("permission:p", to: .class("new"))),
        BadInput(.unknownPermission, "permission:none", .detachPermission("permission:none", from: "doc:1")),
        BadInput(.unknownObject, "doc:none", .detachPermission("permission:p", from: "doc:none")),
    ]
}
