import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Fine print: the effects of a deletion")
struct DeletionTests {
    @Test("Delete on an object also deletes all its descendants, of any class, and keeps its siblings")
    func subtree() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .defineClass("box"), .register("user:ann"), .createObject("doc:top"),
                .createObject("box:1", parent: "doc:top"), .createObject("doc:leaf", parent: "box:1"), .createObject("doc:beside"),
                .grant("user:ann", on: "doc:top", ["delete"]), .grant(.everyone, on: "doc:leaf", ["read"]))
            #expect(try fixture.refusal(.deleteObject("doc:top"), as: "user:ann") == nil)
            #expect(try fixture.store.read { try $0.objects(for: "user:root", with: ["read"]) } == ["doc:beside"])
            #expect(try fixture.privileges("user:root", "doc:leaf") == [])
            #expect(try fixture.entries("doc:leaf").isEmpty)
            #expect(try fixture.may("user:ben", "read", "doc:leaf", at: .revision(Revision(1))))
        }
    }

    @Test("A later object with the same name inherits nothing: no entries, value, parent, owner or attachments")
    func sameNameAgain() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc", ClassSettings(inherits: .everything)), .register("user:ann"), .createObject("doc:top"),
                .definePermission("permission:p", subject: "user:ann", ["query"]), .grant("user:ann", on: "doc:top", ["update"]),
                .createObject("doc:1", parent: "doc:top", value: .integer(1), owner: "user:ann"),
                .grant("user:ann", on: "doc:1", ["read"]), .attachPermission("permission:p", to: "doc:1"))
            #expect(try fixture.privileges("user:ann", "doc:1") == ["query", "read", "update"])
            try fixture.commit(.deleteObject("doc:1"))
            try fixture.commit(.createObject("doc:1"))
            try fixture.store.read { (snapshot) throws in
                #expect(try snapshot.privileges(of: "user:ann", on: "doc:1") == [])
                #expect(try snapshot.value(of: "doc:1", as: "user:root") == .null)
                #expect(try snapshot.owner(of: "doc:1") == "user:root")
                #expect(try snapshot.lastChange(of: "doc:1") == Revision(3))
            }
            try fixture.commit(.deleteObject("doc:top"))
            #expect(try fixture.store.read { try $0.exists("doc:1") })
        }
    }

    @Test("Deleting a role deletes its memberships in both directions, its entries, and its permissions")
    func role() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .createObject("doc:1"), .createRole("role:inner"),
                .createRole("role:r"),
                .createRole("role:outer"), .addMember("role:inner", to: "role:r"), .addMember("role:r", to: "role:outer"),
                .addMember("user:ann", to: "role:inner"), .definePermission("permission:p", subject: "role:r", ["query"]),
                .attachPermission("permission:p", to: "doc:1"), .grant("role:r", on: "doc:1", ["read"]),
                .grant("role:outer", on: "doc:1", ["update"]), .grant("role:inner", on: "doc:1", ["delete"]),
                .grant("role:r", on: .class("doc"), ["read"]))
            #expect(try fixture.privileges("user:ann", "doc:1") == ["delete", "query", "read", "update"])
            try fixture.commit(.deleteRole("role:r"))
            #expect(try fixture.privileges("user:ann", "doc:1") == ["delete"])
            #expect(try fixture.entries("doc:1").map(\.subject) == ["role:inner", "role:outer"])
            #expect(try fixture.entries(.class("doc")).map(\.subject) == ["everyone"])
            #expect(try fixture.store.read { try $0.members(of: "role:outer") } == [])
            #expect(try !fixture.store.read { try $0.exists("permission:p") })
            #expect(try fixture.refusal(.attachPermission("permission:p", to: "doc:1"))?.code == .unknownPermission)
            try fixture.commit(.createRole("role:r"))
            #expect(try fixture.store.read { try $0.members(of: "role:r") } == [])
            #expect(try fixture.privileges("user:ann", "doc:1") == ["delete"])
            #expect(
                try fixture.privileges("user:ann", "doc:1", at: .revision(Revision(1))) == ["delete", "query", "read", "update"])
        }
    }

    @Test("A role can be recreated in the transaction that deletes it, and starts without members")
    func roleAgain() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .createRole("role:r"), .addMember("user:root", to: "role:r"), .grant("role:r", on: .class("user"), ["read"]))
            try fixture.commit(.deleteRole("role:r"), .createRole("role:r"))
            #expect(try fixture.store.read { try $0.members(of: "role:r") } == [])
            #expect(try fixture.entries(.class("user")).map(\.subject) == ["everyone"])
            try fixture.reopenWithoutIndex()
            #expect(try fixture.store.read { try $0.members(of: "role:r") } == [])
        }
    }

    @Test("After a role is deleted and created again, its former child roles are not its children")
    func childrenOfRoles() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .changeClass("role", ClassSettings(objectACL: .required, creatorPrivileges: ["read", "update", "delete"])),
                .defineClass("doc", ClassSettings(inherits: .everything)))
            try fixture.commit(.createRole("role:team"), .createObject("doc:plan", parent: "role:team"), as: "user:ann")
            #expect(try fixture.may("user:ann", "read", "doc:plan"))
            let deletion = try fixture.commit(.deleteRole("role:team"), as: "user:ann")
            #expect(try !fixture.may("user:ann", "read", "doc:plan"))
            try fixture.commit(.createRole("role:team"), as: "user:mallory")
            #expect(try !fixture.may("user:mallory", "read", "doc:plan"))
            try fixture.reopenWithoutIndex()
            #expect(try !fixture.may("user:mallory", "read", "doc:plan"))
            #expect(try fixture.store.read { try $0.lastChange(of: "doc:plan") } == deletion.revision)
            #expect(try fixture.may("user:ann", "read", "doc:plan", at: .revision(Revision(deletion.head.rawValue - 1))))
        }
    }
}
