import Events
import Permissions
import TestSupport

extension BadInput {
    private static let now = Instant.newYear

    static let entries: [BadInput] = [
        BadInput(.unknownObject, "doc:none", .grant("user:ann", on: "doc:none", ["read"])),
        BadInput(.unknownObject, "class:new", .grant("user:ann", on: .class("new"), ["read"])),
        BadInput(.unknownObject, "role:none", .grant("user:ann", on: "role:none", ["read"])),
        BadInput(.unknownObject, "everyone", .grant("user:ann", on: .everyone, ["read"])),
        BadInput(.unknownPrincipal, "user:none", .grant("user:none", on: "doc:1", ["read"])),
        BadInput(.unknownPrincipal, "role:none", .grant("role:none", on: "doc:1", ["read"])),
        BadInput(.unknownPrincipal, "thing:none", .grant("thing:none", on: .store, ["read"])),
        BadInput(.unknownPrincipal, "doc:1", .grant("doc:1", on: "doc:1", ["read"])),
        BadInput(.unknownPrincipal, "permission:p", .grant("permission:p", on: "doc:1", ["read"])),
        BadInput(.unknownPrincipal, "class:doc", .grant(.class("doc"), on: "doc:1", ["read"])),
        BadInput(.malformed, "fly", .grant("user:ann", on: "doc:1", ["fly"])),
        BadInput(.malformed, "", .grant("user:ann", on: "doc:1", ["read", ""])),
        BadInput(.malformed, "Read", .grant("user:ann", on: "doc:1", ["Read"])),
        BadInput(.malformed, "*", .grant("user:ann", on: "doc:1", ["*"])),
        // The store knows this privilege, but the class does not.
        BadInput(.malformed, "approve", .grant("user:ann", on: "doc:1", ["approve"])),
        BadInput(.malformed, "2026-01-01T00:00:00Z", .grant("user:ann", on: "doc:1", ["read"], until: now)),
        BadInput(
            .malformed, "2025-12-31T23:59:59Z", .grant("user:ann", on: "doc:1", ["read"], until: now.later(seconds: -1))),
        BadInput(.alreadyExists, "user:ann", .grant("user:ann", on: "doc:1", ["read"], strict: true)),
        BadInput(.alreadyExists, "user:ben", .grant("user:ben", on: "doc:1", [], strict: true)),
        BadInput(
            .alreadyExists, "user:ann", .grant("user:ann", on: "doc:1", ["read"], until: now.later(seconds: 9), strict: true)),
        BadInput(.unknownObject, "doc:none", .setAccess("user:ann", on: "doc:none", [])),
        BadInput(.malformed, "fly", .setAccess("user:ann", on: "doc:1", ["fly"])),
        BadInput(.malformed, "approve", .setAccess("user:ann", on: "doc:1", ["approve"])),
        BadInput(.unknownPrincipal, "user:none", .setAccess("user:none", on: "doc:1", ["read"])),
        BadInput(.unknownPrincipal, "user:none", .setAccess("user:none", on: "doc:1", [])),
        BadInput(.permanentEntry, "user:ann", .setAccess("user:ann", on: "kept:1", [])),
        BadInput(.permanentEntry, "kept:1", .setAccess("user:ann", on: "kept:1", ["update"])),
        BadInput(.unknownObject, "doc:none", .revoke("user:ann", on: "doc:none")),
        BadInput(.malformed, "fly", .revoke("user:ann", on: "doc:1", ["fly"])),
        BadInput(.malformed, "approve", .revoke("user:ann", on: "doc:1", ["read", "approve"])),
        BadInput(.unknownPrincipal, "user:none", .revoke("user:none", on: "doc:1")),
        BadInput(.notThere, "user:ben", .revoke("user:ben", on: "doc:1", strict: true)),
        BadInput(.notThere, "doc:1", .revoke("user:ann", on: "doc:1", ["update"], strict: true)),
        BadInput(.notThere, "doc:1", .revoke("user:ann", on: "doc:1", [], strict: true)),
        BadInput(.permanentEntry, "user:ann", .revoke("user:ann", on: "kept:1")),
        BadInput(.permanentEntry, "kept:1", .revoke("user:ann", on: "kept:1", ["read"], strict: true)),
    ]
}
