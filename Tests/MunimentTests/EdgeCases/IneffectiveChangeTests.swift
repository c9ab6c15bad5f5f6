import Events
import Muniment
import Permissions
import StoreSupport
import Testing

@Suite("The receipt names the changes that changed nothing that anyone may do")
struct IneffectiveChangeTests {
    /// A store whose store level gives everyone what the tests use, and a class `doc` that gives `read` to staff only.
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
        try fixture.store.commit(Transaction("user:root", changes)).ineffective.map { "\($0.change) \($0.reason.rawValue)" }
    }

    @Test("A grant that the store or the class denies to all who could gain is named; one that someone gains by is not")
    func blockedGrants() throws {
        try withLevels { fixture in
            #expect(try reasons(fixture, .grant("anonymous", on: "doc:1", ["read"])) == ["0 storeLevel"])
            let both = try reasons(
                fixture, .grant("user:ann", on: "doc:1", ["read"]), .grant("user:bob", on: "doc:1", ["read"]))
            #expect(both == ["1 classLevel"])
            #expect(try reasons(fixture, .setAccess("role:guests", on: "doc:1", ["read"])) == ["0 classLevel"])
            #expect(try reasons(fixture, .grant("everyone", on: "doc:1", ["read"])) == [])
            // A member of the role has the class level by another role.
            try fixture.commit(.addMember("user:ann", to: "role:guests"))
            #expect(try reasons(fixture, .grant("role:guests", on: "doc:1", ["update"])) == [])
            #expect(try reasons(fixture, .grant("user:ann", on: "doc:1", ["update", "delete"])) == [])
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
            #expect(receipt.revision == nil && receipt.ineffective.isEmpty)
        }
    }
}
