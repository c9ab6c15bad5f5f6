import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport

/// The store for invalid input. It contains every kind of entity, so that each change could have an effect.
enum World {
    static let preparation: [Change] = [
        .defineClass("doc", ClassSettings(properties: ["n"])), .defineClass("other", ClassSettings(privileges: ["approve"])),
        .defineClass("kept", ClassSettings(creatorPrivileges: ["read"], creatorPermanent: true)),
        .register("user:ann"), .register("user:ben"), .register("thing:door"),
        .createRole("role:r"), .createRole("role:outer"), .addMember("role:r", to: "role:outer"),
        .addMember("user:ann", to: "role:r"),
        .createRole("role:ring1"), .createRole("role:ring2"), .createRole("role:ring3"), .createRole("role:ring4"),
        .createRole("role:ring5"), .addMember("role:ring1", to: "role:ring2"), .addMember("role:ring2", to: "role:ring3"),
        .addMember("role:ring3", to: "role:ring4"), .addMember("role:ring4", to: "role:ring5"),
        .createObject("doc:1", value: .object(["n": .integer(1)])), .createObject("doc:mid", parent: "doc:1"),
        .createObject("doc:leaf", parent: "doc:mid"), .createObject("kept:1", owner: "user:ann"),
        .grant("user:ann", on: "doc:1", ["read"]), .grant(.everyone, on: .store, ["read", "query"]),
        .grant(.everyone, on: .class("doc"), ["read", "query"]),
        .definePermission("permission:p", subject: "user:ann", ["update"]), .attachPermission("permission:p", to: "doc:mid"),
    ]

    private static let subjects: [Name] = ["user:root", "user:ann", "user:ben", "thing:door", "user:nobody", .anonymous]
    private static let objects: [Name] = [
        "doc:1", "doc:mid", "doc:leaf", "doc:new", "kept:1", "role:r", "role:new", "permission:p", "permission:new", .store,
        .class("doc"), .class("new"), "user:ann",
    ]

    /// The answers of a store to many queries, as text.
    static func answers(_ store: Store) throws -> [String] {
        try store.read { snapshot in
            var answers: [String] = []
            for object in objects {
                answers.append("\(object) exists \(try snapshot.exists(object)), entries \(try snapshot.entries(on: object))")
                for subject in subjects {
                    answers.append("\(subject) on \(object): \(try snapshot.privileges(of: subject, on: object))")
                }
            }
            for role: Name in ["role:r", "role:outer", "role:ring1", "role:ring5"] {
                answers.append("\(role): \(try snapshot.members(of: role))")
            }
            answers.append("\(try snapshot.value(of: "doc:1", as: "user:ann")) \(try snapshot.list(class: "doc", as: "user:root"))")
            return answers + ["\(try store.administrators)", "\(try store.head)", "\(try store.eventCount)"]
        }
    }
}
