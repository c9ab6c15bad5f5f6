import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Fine print: creators and owners")
struct CreatorTests {
    private let gift = ["read", "setPermissions", "update"]

    @Test("R6: create without update: the creator may change the new object in the same transaction, but not later")
    func createWithoutUpdate() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .setAccess(.everyone, on: .class("doc"), ["create", "read"]))
            let make: [Change] = [.createObject("doc:1"), .writeObject("doc:1", .value(.integer(1)))]
            #expect(try fixture.refusal(of: make, as: "user:ann") == nil)
            #expect(try fixture.refusal(.writeObject("doc:1", .value(.integer(2))), as: "user:ann")?.code == .noPrivilege)
            #expect(try fixture.store.read { try $0.value(of: "doc:1", as: "user:root") } == .integer(1))
        }
    }

    @Test(
        "In the transaction that creates an object, its creator may grant read, update and the privileges of the upper levels"
    )
    func creatingTransaction() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .register("user:ben"),
                .setAccess(.everyone, on: .class("doc"), ["create", "setPermissions", "query"]))
            func share(_ privileges: String...) throws -> Refusal? {
                try fixture.refusal(.createObject("doc:1"), .grant("user:ben", on: "doc:1", privileges), as: "user:ann")
            }
            let refusal = try share("delete")
            #expect(refusal?.code == .aboveOwnLevel)
            #expect(refusal?.change == 1)
            #expect(try share("query", "read", "update") == nil)
            #expect(try fixture.entries("doc:1").map(\.subject) == ["user:ben"])
            #expect(try fixture.refusal(.revoke("user:ben", on: "doc:1"), as: "user:ann")?.code == .noPrivilege)
        }
    }

    @Test("R8: by default the creator of an object gets no access")
    func nothingByItself() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc"))
            try fixture.commit(.createObject("doc:1"), as: "user:ann")
            #expect(try fixture.entries("doc:1").isEmpty)
            #expect(try fixture.privileges("user:ann", "doc:1") == [])
            #expect(try fixture.store.read { try $0.owner(of: "doc:1") } == "user:ann")
        }
    }

    @Test("creatorPrivileges go to the owner, who is the caller unless the command names another one")
    func creatorPrivileges() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc", ClassSettings(creatorPrivileges: gift)), .register("user:ben"))
            try fixture.commit(.createObject("doc:1"), .createObject("doc:2", owner: "user:ben"), as: "user:ann")
            #expect(try fixture.privileges("user:ann", "doc:1") == gift)
            #expect(try fixture.privileges("user:ann", "doc:2") == [])
            #expect(try fixture.privileges("user:ben", "doc:2") == gift)
            #expect(try fixture.entries("doc:1").map(\.isPermanent) == [false])
            try fixture.commit(.revoke("user:ann", on: "doc:1"), as: "user:ann")
            #expect(try fixture.entries("doc:1").isEmpty)
        }
    }

    @Test("creatorPrivileges apply only to classes that require object ACLs")
    func noObjectACL() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc", ClassSettings(objectACL: ObjectACL.none, creatorPrivileges: gift)))
            try fixture.commit(.createObject("doc:1"), as: "user:ann")
            #expect(try fixture.entries("doc:1").isEmpty)
        }
    }

    @Test("K9: no caller can remove any part of a permanent creator's entry, and later additions can be removed")
    func permanentEntry() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc", ClassSettings(creatorPrivileges: gift, creatorPermanent: true)))
            try fixture.commit(.createObject("doc:1"), as: "user:ann")
            try fixture.commit(.grant("user:ann", on: "doc:1", ["query"]))
            let attempts: [Change] = [
                .revoke("user:ann", on: "doc:1"), .revoke("user:ann", on: "doc:1", ["read"]),
                .revoke("user:ann", on: "doc:1", ["query", "read"]), .setAccess("user:ann", on: "doc:1", ["read", "update"]),
                .setAccess("user:ann", on: "doc:1", []),
            ]
            for change in attempts {
                for caller: Name in ["user:root", "user:ann"] {
                    #expect(try fixture.refusal(change, as: caller)?.code == .permanentEntry)
                }
            }
            #expect(try fixture.refusal(.revoke("user:ann", on: "doc:1", ["query"])) == nil)
            #expect(try fixture.entries("doc:1").map(\.privileges) == [gift])
            #expect(try fixture.entries("doc:1").map(\.isPermanent) == [true])
        }
    }

    @Test("setOwner gives the new owner the same entry; the old owner's entry stays but is no longer permanent")
    func setOwner() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc", ClassSettings(creatorPrivileges: gift, creatorPermanent: true)), .register("user:ben"))
            try fixture.commit(.createObject("doc:1"), as: "user:ann")
            #expect(try fixture.refusal(.setOwner("doc:1", owner: "user:ben"), as: "user:ann")?.code == .noPrivilege)
            try fixture.commit(.setOwner("doc:1", owner: "user:ben"))
            #expect(try fixture.entries("doc:1").map(\.subject) == ["user:ann", "user:ben"])
            #expect(try fixture.entries("doc:1").map(\.isPermanent) == [false, true])
            #expect(try fixture.refusal(.revoke("user:ann", on: "doc:1")) == nil)
            #expect(try fixture.refusal(.revoke("user:ben", on: "doc:1"))?.code == .permanentEntry)
            #expect(try fixture.commit(.setOwner("doc:1", owner: "user:ben")).revision == nil)
            #expect(try fixture.store.read { try $0.owner(of: "doc:1") } == "user:ben")
        }
    }
}
