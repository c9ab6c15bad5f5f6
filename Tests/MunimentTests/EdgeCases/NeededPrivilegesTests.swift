import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Fine print: the privileges that a command needs")
struct NeededPrivilegesTests {
    struct Need: CustomTestStringConvertible {
        let change: Change
        /// The sufficient privileges. Each of them is necessary.
        let needed: [(privilege: String, object: Name)]

        init(_ change: Change, _ needed: (String, Name)...) {
            self.change = change
            self.needed = needed
        }

        var testDescription: String { "\(change)" }
    }

    private static let needs: [Need] = [
        Need(.defineClass("new"), ("modifySchema", .store)),
        Need(.changeClass("doc", ClassSettings(properties: ["n"])), ("modifySchema", .class("doc"))),
        Need(.createObject("doc:new"), ("create", .class("doc"))),
        Need(.createObject("doc:new", parent: "doc:1"), ("create", .class("doc")), ("update", "doc:1")),
        Need(.createRole("role:new"), ("create", .class("role"))),
        Need(.definePermission("permission:new", subject: "user:ben", ["read"]), ("create", .class("permission"))),
        Need(.register("user:new"), ("create", .class("user"))),
        Need(.register("thing:new"), ("create", .class("thing"))),
        Need(.writeObject("doc:1", .value(.integer(1))), ("update", "doc:1")),
        Need(.moveObject("doc:1", parent: "doc:2"), ("update", "doc:1"), ("setPermissions", "doc:1"), ("update", "doc:2")),
        Need(.moveObject("doc:child", parent: nil), ("update", "doc:child"), ("setPermissions", "doc:child")),
        Need(.deleteObject("doc:1"), ("delete", "doc:1")),
        Need(.setOwner("doc:1", owner: "user:ben"), ("setOwner", "doc:1")),
        Need(.deleteRole("role:r"), ("delete", "role:r")),
        Need(.addMember("user:ben", to: "role:r"), ("update", "role:r")),
        Need(.removeMember("user:root", from: "role:r"), ("update", "role:r")),
        Need(.grant("user:ben", on: "doc:1", ["setPermissions"]), ("setPermissions", "doc:1")),
        Need(.setAccess("user:root", on: "doc:1", []), ("setPermissions", "doc:1")),
        Need(.revoke("user:root", on: "doc:1"), ("setPermissions", "doc:1")),
        Need(.grant("user:ben", on: .class("doc"), ["setPermissions"]), ("setPermissions", .class("doc"))),
        Need(.grant("user:ben", on: .store, ["setPermissions"]), ("setPermissions", .store)),
        Need(.attachPermission("permission:p", to: "doc:1"), ("setPermissions", "doc:1")),
        Need(.detachPermission("permission:p", from: "doc:2"), ("setPermissions", "doc:2")),
        Need(
            .changePermission("permission:p", subject: "user:ben", ["setPermissions"]), ("update", "permission:p"),
            ("setPermissions", "doc:2")),
    ]

    private static let levels: [Name] =
        [.store] + ["class", "store", "doc", "role", "permission", "user", "thing"].map { Name.class($0) }

    /// Everyone has all privileges at the store and class levels except the needed ones, and none on objects. `user:ann` also has
    /// the needed ones.
    private func prepare(_ fixture: StoreFixture, _ needed: [(privilege: String, object: Name)]) throws {
        let required = ClassSettings(objectACL: .required)
        try fixture.commit(
            .defineClass("doc"), .changeClass("role", required), .changeClass("permission", required), .register("user:ann"),
            .register("user:ben"), .createRole("role:r"), .addMember("user:root", to: "role:r"), .createObject("doc:1"),
            .createObject("doc:2"), .createObject("doc:child", parent: "doc:1"), .grant("user:root", on: "doc:1", ["read"]),
            .definePermission("permission:p", subject: "user:ben", ["setPermissions"]),
            .attachPermission("permission:p", to: "doc:2"))
        for level in Self.levels {
            let open = Privileges.builtInNames.filter { name in !needed.contains { $0 == (name, level) } }
            try fixture.commit(.grant(.everyone, on: level, open))
        }
        for (privilege, object) in needed { try fixture.commit(.grant("user:ann", on: object, [privilege])) }
    }

    @Test("The documented privileges of each command are sufficient, and each of them is necessary", arguments: needs)
    func needed(need: Need) throws {
        try withStore { (fixture) throws in
            try prepare(fixture, need.needed)
            for (privilege, object) in need.needed {
                try fixture.commit(.revoke("user:ann", on: object, [privilege]))
                let refusal = try fixture.refusal(need.change, as: "user:ann")
                #expect(refusal?.code == .noPrivilege, "without \(privilege) on \(object)")
                try fixture.commit(.grant("user:ann", on: object, [privilege]))
            }
            #expect(try fixture.refusal(need.change, as: "user:ann") == nil)
        }
    }

    @Test("R10: only administrators appoint and dismiss administrators")
    func administrators() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.register("user:ann"), .register("user:ben"), .createRole("role:admin"))
            try fixture.commit(.addMember("user:ann", to: "role:admin"), .grant("role:admin", on: .store, Privileges.builtInNames))
            for change: Change in [.appointAdministrator("user:ann"), .dismissAdministrator("user:root")] {
                #expect(try fixture.refusal(change, as: "user:ann")?.code == .notAdministrator)
                #expect(try fixture.refusal(change, as: .anonymous)?.code == .notAdministrator)
            }
            try fixture.commit(.appointAdministrator("user:ann"))
            #expect(try fixture.refusal(.dismissAdministrator("user:root"), as: "user:ann") == nil)
            #expect(try fixture.store.administrators == ["user:ann"])
            #expect(try fixture.refusal(.appointAdministrator("user:ben"))?.code == .notAdministrator)
        }
    }
}
