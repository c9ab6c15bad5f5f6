import Events
import Muniment
import Permissions
import StoreSupport
import Testing

@Suite("The receipt tells what its caller should know about changes")
struct ChangeNoteTests {
    /// A store that gives everyone the privileges of the tests at its level, and a class `doc` that gives `read` to staff only.
    private func withLevels(_ body: (StoreFixture) throws -> Void) throws {
        try withStore(.locked) { fixture in
            try fixture.commit(
                .defineClass("doc", ClassSettings(objectACL: .required)), .register("user:ann"), .register("user:bob"),
                .createRole("role:staff"), .createRole("role:guests"), .addMember("user:ann", to: "role:staff"),
                .grant("everyone", on: "store", ["read", "update"]), .grant("role:staff", on: "class:doc", ["read", "update"]),
                .createObject("doc:1"))
            try body(fixture)
        }
    }

    private func reasons(_ fixture: StoreFixture, _ changes: Change...) throws -> [String] {
        try fixture.store.commit(Transaction("user:root", changes)).notes.map { "\($0.change) \($0.reason.rawValue)" }
    }

    @Test("A grant that the store or the class denies to all who could gain is named; one that someone gains by is not")
    func blockedGrants() throws {
        try withLevels { fixture in
            #expect(try reasons(fixture, .grant("anonymous", on: "doc:1", ["read"])) == ["0 storeLevel"])
            let both = try reasons(
                fixture, .grant("user:ann", on: "doc:1", ["read"]), .grant("user:bob", on: "doc:1", ["read"]))
            #expect(both == ["1 classLevel"])
            #expect(try reasons(fixture, .setAccess("role:guests", on: "doc:1", ["read"])) == ["0 classLevel"])
            let attached = try reasons(
                fixture, .definePermission("permission:p", subject: "user:bob", ["read"]),
                .attachPermission("permission:p", to: "doc:1"))
            #expect(attached == ["1 classLevel"])
            #expect(try reasons(fixture, .grant("everyone", on: "doc:1", ["read"])) == [])
            // A member of the role has the class level by another role.
            try fixture.commit(.addMember("user:ann", to: "role:guests"))
            #expect(try reasons(fixture, .grant("role:guests", on: "doc:1", ["update"])) == [])
            #expect(try reasons(fixture, .grant("user:ann", on: "doc:1", ["update", "delete"])) == [])
            // It has update already, so that only delete and query are given, and the store denies both.
            #expect(try reasons(fixture, .grant("user:ann", on: "doc:1", ["update", "delete", "query"])) == ["0 storeLevel"])
        }
    }

    @Test("A grant on an object with objects of other classes inside is not named, because they can inherit it")
    func inherited() throws {
        try withLevels { fixture in
            try fixture.commit(
                .defineClass("page", ClassSettings(objectACL: .required, inherits: .everything)),
                .grant("everyone", on: "class:page", ["read"]), .createObject("page:1", parent: "doc:1"))
            #expect(try reasons(fixture, .grant("user:bob", on: "doc:1", ["read"])) == [])
            #expect(try fixture.privileges("user:bob", "page:1") == ["read"])
            #expect(try fixture.privileges("user:bob", "doc:1") == [])
        }
    }

    @Test("A revocation from a subject that keeps all of it in another way is named")
    func keptAccess() throws {
        try withLevels { fixture in
            try fixture.commit(
                .grant("user:ann", on: "doc:1", ["read", "update"]), .grant("role:staff", on: "doc:1", ["read"]))
            #expect(try reasons(fixture, .revoke("user:ann", on: "doc:1", ["read"])) == ["0 stillAllowed"])
            #expect(try reasons(fixture, .revoke("user:ann", on: "doc:1", ["update"])) == [])
            #expect(try reasons(fixture, .revoke("role:staff", on: "doc:1")) == [])
        }
    }

    @Test("A change without an event is named next to changes with one, and a transaction without any has no revision instead")
    func unchanged() throws {
        try withLevels { fixture in
            #expect(
                try reasons(fixture, .addMember("user:ann", to: "role:staff"), .addMember("user:bob", to: "role:staff")) == [
                    "0 unchanged"
                ])
            let receipt = try fixture.store.commit(Transaction("user:root", [.addMember("user:ann", to: "role:staff")]))
            #expect(receipt.revision == nil && receipt.notes.isEmpty)
        }
    }

    private func notes(_ fixture: StoreFixture, as caller: Name = "user:root", _ changes: Change...) throws -> [ChangeNote] {
        try fixture.store.commit(Transaction(caller, changes)).notes
    }

    @Test("R8: a class that gives creators nothing on their objects is named, with the option that gives them privileges")
    func creatorPrivileges() throws {
        try withLevels { fixture in
            let found = try notes(fixture, .register("user:cat"), .defineClass("a"))
            #expect(found.map(\.change) == [1] && found.map(\.reason) == [.noCreatorPrivileges])
            #expect(found[0].message.contains("`muniment class change a --creator-privileges read,query,update,"))
            for (index, settings) in [
                ClassSettings(creatorPrivileges: ["read"]), ClassSettings(creatorPrivileges: []),
                ClassSettings(objectACL: ObjectACL.none), ClassSettings(composition: .widening),
            ].enumerated() {
                #expect(try notes(fixture, .defineClass("b\(index)", settings)) == [], "\(settings)")
            }
            let creator = ClassSettings(creatorPrivileges: ["read"])
            #expect(try notes(fixture, .defineClass("c"), .changeClass("c", creator)) == [])
        }
    }

    @Test("R8: an object that its creator may not read is named, with the grant that would help")
    func unreadable() throws {
        try withLevels { fixture in
            try fixture.commit(
                .grant("everyone", on: "store", ["create"]), .grant("user:ann", on: "class:doc", ["create"]),
                .grant("user:bob", on: "class:doc", ["create", "update"]))
            let byAnn = try notes(fixture, as: "user:ann", .createObject("doc:a"))
            #expect(byAnn.map(\.reason) == [.unreadable])
            let remedy = "Grant read on it; for later objects, use `muniment class change doc --creator-privileges read,query,"
            #expect(byAnn[0].message.contains(remedy))
            let byBob = try notes(fixture, as: "user:bob", .createObject("doc:b"))
            #expect(byBob.map(\.reason) == [.unreadable] && byBob[0].message.hasSuffix("Grant read on `class:doc`"))
            #expect(try notes(fixture, .createObject("doc:c"), .createObject("doc:d", owner: "user:ann")) == [])
        }
    }

    @Test("R8: an object that its creator may read by the class or by another entry is not named")
    func readable() throws {
        try withLevels { fixture in
            try fixture.commit(
                .grant("everyone", on: "store", ["create"]), .grant("user:ann", on: "class:doc", ["create"]),
                .changeClass("doc", ClassSettings(creatorPrivileges: ["query"])))
            let partly = try notes(fixture, as: "user:ann", .createObject("doc:a"))
            #expect(partly.count == 1 && partly[0].message.contains("--creator-privileges query,read`"))
            try fixture.commit(.changeClass("doc", ClassSettings(creatorPrivileges: ["read", "query"])))
            #expect(try notes(fixture, as: "user:ann", .createObject("doc:b")) == [])
            // Another owner gets the privileges.
            let given = try notes(fixture, as: "user:ann", .createObject("doc:c", owner: "user:bob"))
            #expect(given.count == 1 && given[0].message.hasSuffix("Grant read on it"))
        }
    }
}
