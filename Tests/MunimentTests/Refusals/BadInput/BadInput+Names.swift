import Events
import Permissions

/// Names in every position of every change: invalid names, and names of another kind than the position needs.
extension BadInput {
    /// Ill-formed names, each with a different error, and the reason.
    static let illFormed: [(name: Name, code: Refusal.Code)] = [
        ("", .malformed), (":", .malformed), ("doc", .malformed), ("doc:", .malformed), (":1", .malformed), ("store:1", .malformed),
        ("doc:a\u{0}b", .malformed), ("doc:a\nb", .malformed), ("d\u{1B}oc:1", .malformed), ("doc:\u{85}", .malformed),
        ("user:a\u{7F}", .malformed), (Name("doc:" + String(repeating: "x", count: 513)), .tooLarge),
        (Name(String(repeating: "c", count: 129) + ":1"), .tooLarge), (Name(String(repeating: "n", count: 10_000)), .malformed),
    ]

    /// Returns every change, with the name in each position that accepts a name of any kind.
    private static func everywhere(_ name: Name) -> [Change] {
        [
            .createObject(name), .createObject("doc:new", parent: name), .createObject("doc:new", owner: name),
            .writeObject(name, .value(.null)), .moveObject(name, parent: nil), .moveObject("doc:1", parent: name),
            .deleteObject(name), .setOwner(name, owner: "user:ann"), .setOwner("doc:1", owner: name),
            .grant(name, on: "doc:1", ["read"]), .grant("user:ann", on: name, ["read"]), .setAccess(name, on: "doc:1", ["read"]),
            .setAccess("user:ann", on: name, ["read"]), .revoke(name, on: "doc:1"), .revoke("user:ann", on: name),
            .createRole(name), .deleteRole(name), .addMember(name, to: "role:r"), .addMember("user:ann", to: name),
            .removeMember(name, from: "role:r"), .removeMember("user:ann", from: name), .register(name),
            .definePermission(name, subject: "user:ann", ["read"]), .definePermission("permission:new", subject: name, ["read"]),
            .changePermission(name, subject: "user:ann", ["read"]), .changePermission("permission:p", subject: name, ["read"]),
            .attachPermission(name, to: "doc:1"), .attachPermission("permission:p", to: name),
            .detachPermission(name, from: "doc:1"), .detachPermission("permission:p", from: name),
            .appointAdministrator(name), .dismissAdministrator(name),
        ]
    }

    static let illFormedNames = illFormed.flatMap { name, code in everywhere(name).map { BadInput(code, name.text, $0) } }

    /// Well-formed names of the wrong kind. Names that are only looked up are in the other tables.
    static let wrongKinds: [BadInput] =
        (["user:new", "thing:new", "role:new", "class:new", "permission:new", "store"] as [Name]).map { name in
            BadInput(.unknownClass, name.className, .createObject(name))
        }
        + (["user:ann", "role:r", "class:doc", "permission:p", "store"] as [Name]).flatMap { name in
            [
                BadInput(.malformed, name.text, .writeObject(name, .value(.null))),
                BadInput(.malformed, name.text, .moveObject(name, parent: nil)),
                BadInput(.malformed, name.text, .deleteObject(name)),
                BadInput(.malformed, name.text, .setOwner(name, owner: "user:ann")),
            ]
        }
        + (["doc:1", "user:ann", "class:doc", "permission:p", "store", "everyone"] as [Name]).flatMap { name in
            [
                BadInput(.malformed, name.text, .createRole(name)), BadInput(.malformed, name.text, .deleteRole(name)),
                BadInput(.malformed, name.text, .addMember("user:ben", to: name)),
                BadInput(.malformed, name.text, .removeMember("user:ann", from: name)),
            ]
        }
        + (["doc:1", "role:r", "class:doc", "permission:p", "store", "everyone", "anonymous"] as [Name]).flatMap { name in
            [
                BadInput(.malformed, name.text, .register(name)), BadInput(.malformed, name.text, .appointAdministrator(name)),
                BadInput(.malformed, name.text, .dismissAdministrator(name)),
            ]
        }
        + (["doc:1", "role:r", "user:ann", "class:doc", "store", "everyone"] as [Name]).flatMap { name in
            [
                BadInput(.malformed, name.text, .definePermission(name, subject: "user:ann", ["read"])),
                BadInput(.malformed, name.text, .changePermission(name, subject: "user:ann", ["read"])),
                BadInput(.malformed, name.text, .attachPermission(name, to: "doc:1")),
                BadInput(.malformed, name.text, .detachPermission(name, from: "doc:1")),
            ]
        }
}
