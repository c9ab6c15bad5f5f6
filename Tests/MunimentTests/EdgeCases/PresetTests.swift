import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Fine print: presets and built-in classes")
struct PresetTests {
    private static let all = Privileges.builtInNames.sorted()

    @Test("R3: in an open store, everyone starts with all privileges on the store and on every class, built-in or new")
    func openStore() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc"))
            let classes = ClassID.builtIn.map(\.name) + ["doc"]
            for object in [.store] + classes.map({ Name.class($0) }) {
                #expect(try fixture.entries(object).map(\.subject) == ["everyone"])
                #expect(try fixture.privileges("user:ann", object) == Self.all)
                #expect(try fixture.privileges(.anonymous, object) == [])
            }
        }
    }

    @Test("R3: in a locked store, only the administrator has access")
    func lockedStore() throws {
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            for object: Name in [.store, .class("doc"), .class("role"), "doc:1"] {
                #expect(try fixture.entries(object).isEmpty)
                #expect(try fixture.privileges("user:ann", object) == [])
                #expect(try fixture.privileges("user:root", object) == Self.all)
            }
        }
    }

    @Test("The preset of all privileges in an open store includes later custom privileges; an explicit list does not")
    func wildcard() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc", ClassSettings(objectACL: ObjectACL.none, privileges: ["approve"])), .createObject("doc:1"))
            #expect(try fixture.privileges("user:ann", "doc:1") == (Self.all + ["approve"]).sorted())
            try fixture.commit(.revoke(.everyone, on: .class("doc"), ["delete"]))
            #expect(try fixture.privileges("user:ann", "doc:1") == (Self.all + ["approve"]).filter { $0 != "delete" }.sorted())
            try fixture.commit(.changeClass("doc", ClassSettings(privileges: ["approve", "triage"])))
            #expect(try !fixture.may("user:ann", "triage", "doc:1"))
            #expect(try fixture.may("user:ann", "approve", "doc:1"))
            try fixture.commit(.revoke(.everyone, on: .class("doc")))
            #expect(try fixture.privileges("user:ann", "doc:1") == [])
        }
    }

    @Test("R8: a new class requires object ACLs; class and store do too, the other built-in ones do not")
    func defaults() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .createObject("doc:1"), .createRole("role:r"), .register("user:ann"),
                .definePermission("permission:p", subject: "user:ann", ["read"]), .revoke(.everyone, on: .class("role")))
            #expect(try fixture.privileges("user:ann", "doc:1") == [])
            #expect(try fixture.privileges("user:ann", "permission:p") == Self.all)
            #expect(try fixture.privileges("user:ann", "user:ann") == Self.all)
            #expect(try fixture.privileges("user:ann", "role:r") == [])
            #expect(try fixture.privileges("user:ann", .class("role")) == [])
            #expect(try fixture.privileges("user:ann", .class("doc")) == Self.all)
        }
    }

    @Test("R14: a built-in class can be changed like any other, and its objects can have entries")
    func builtInClassesChange() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .changeClass(
                    "role", ClassSettings(objectACL: .required, creatorPrivileges: ["read", "update"], privileges: ["praise"])),
                .register("user:ann"))
            try fixture.commit(.createRole("role:r"), as: "user:ann")
            #expect(try fixture.privileges("user:ann", "role:r") == ["read", "update"])
            #expect(try fixture.privileges("user:ben", "role:r") == [])
            try fixture.commit(.grant("user:root", on: "role:r", ["praise"]))
            #expect(try fixture.refusal(.addMember("user:ann", to: "role:r"), as: "user:ben")?.code == .noPrivilege)
            #expect(try fixture.refusal(.addMember("user:ann", to: "role:r"), as: "user:ann") == nil)
        }
    }

    @Test("R15: if the class of roles is read-only for everyone, users cannot add themselves to roles")
    func lockingRoles() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .createRole("role:staff"), .register("user:ann"), .setAccess(.everyone, on: .class("role"), ["read"]))
            #expect(try fixture.refusal(.addMember("user:ann", to: "role:staff"), as: "user:ann")?.code == .noPrivilege)
            #expect(try fixture.refusal(.createRole("role:own"), as: "user:ann")?.code == .noPrivilege)
            #expect(try fixture.may("user:ann", "read", "role:staff"))
        }
    }

    @Test("R5: a store level without update makes the store read-only for that caller, with any lower levels")
    func readOnlyStore() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc", ClassSettings(objectACL: ObjectACL.none)), .createObject("doc:1"),
                .revoke(.everyone, on: .store, ["update"]))
            #expect(
                try fixture.privileges("user:ann", "doc:1") == Self.all.filter { !["create", "delete", "update"].contains($0) })
            #expect(try fixture.refusal(.createObject("doc:2"), as: "user:ann")?.code == .noPrivilege)
            #expect(try fixture.refusal(.deleteObject("doc:1"), as: "user:ann")?.code == .noPrivilege)
            #expect(try fixture.refusal(.createObject("doc:2")) == nil)
        }
    }

    @Test("R20: adding a class needs modifySchema on the store, adding properties modifySchema on the class")
    func schema() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .revoke(.everyone, on: .store, ["modifySchema"]))
            #expect(try fixture.refusal(.defineClass("box"), as: "user:ann")?.code == .noPrivilege)
            try fixture.commit(
                .grant(.everyone, on: .store, ["modifySchema"]), .revoke(.everyone, on: .class("doc"), ["modifySchema"]))
            #expect(try fixture.refusal(.defineClass("box"), as: "user:ann") == nil)
            let change = Change.changeClass("doc", ClassSettings(properties: ["size"]))
            #expect(try fixture.refusal(change, as: "user:ann")?.code == .noPrivilege)
            #expect(try fixture.refusal(.changeClass("box", ClassSettings(properties: ["size"])), as: "user:ann") == nil)
        }
    }
}
