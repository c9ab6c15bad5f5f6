import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Fine print: entries")
struct EntryTests {
    private func prepare(_ fixture: StoreFixture) throws {
        try fixture.commit(
            .defineClass("doc", ClassSettings(privileges: ["approve"])), .register("user:ann"), .createRole("role:r"),
            .createObject("doc:1"), .grant("user:ann", on: "doc:1", ["read", "update"]), .addMember("user:ann", to: "role:r"))
    }

    /// Changes that are already in effect, and the error that each gives in strict mode.
    private static let idle: [(change: @Sendable (Bool) -> Change, code: Refusal.Code)] = [
        ({ .grant("user:ann", on: "doc:1", ["read"], strict: $0) }, .alreadyExists),
        ({ .grant("user:ann", on: "doc:1", ["read", "update"], strict: $0) }, .alreadyExists),
        ({ .grant("user:ann", on: "doc:1", ["read"], until: .newYear.later(seconds: 9), strict: $0) }, .alreadyExists),
        ({ .revoke("user:ann", on: "doc:1", ["delete"], strict: $0) }, .notThere),
        ({ .revoke("user:root", on: "doc:1", strict: $0) }, .notThere),
        ({ .addMember("user:ann", to: "role:r", strict: $0) }, .alreadyExists),
        ({ .removeMember("user:root", from: "role:r", strict: $0) }, .notThere),
    ]

    @Test("K8: a change that is already in effect succeeds and changes nothing, unless strict is set", arguments: idle.indices)
    func idleChanges(index: Int) throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            let (change, code) = Self.idle[index]
            #expect(try fixture.commit(change(false)).revision == nil)
            #expect(try fixture.refusal(change(true))?.code == code)
            #expect(try fixture.head == Revision(1))
        }
    }

    @Test("K8: strict accepts a change that has an effect, even a partial one")
    func strictWithEffect() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            #expect(try fixture.refusal(.grant("user:ann", on: "doc:1", ["delete", "read"], strict: true)) == nil)
            #expect(try fixture.refusal(.revoke("user:ann", on: "doc:1", ["query", "read"], strict: true)) == nil)
            #expect(try fixture.entries("doc:1").map(\.privileges) == [["delete", "update"]])
        }
    }

    @Test("E13: a grant never shortens an expiry, and part of an entry can expire while the rest stays")
    func endsOfParts() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            let (soon, late) = (Instant.newYear.later(seconds: 10), Instant.newYear.later(seconds: 20))
            try fixture.commit(.grant("user:ann", on: "doc:1", ["delete", "query", "read"], until: late))
            #expect(try fixture.commit(.grant("user:ann", on: "doc:1", ["delete"], until: soon)).revision == nil)
            let entries = try fixture.entries("doc:1")
            #expect(entries.map(\.until) == [nil, late])
            #expect(entries.map(\.privileges) == [["read", "update"], ["delete", "query"]])
        }
    }

    @Test("setAccess replaces the whole entry, without expiry; an empty set removes the entry")
    func setAccess() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(.grant("user:ann", on: "doc:1", ["query"], until: .newYear.later(seconds: 10)))
            try fixture.commit(.setAccess("user:ann", on: "doc:1", ["approve", "query"]))
            #expect(try fixture.entries("doc:1").map(\.privileges) == [["approve", "query"]])
            #expect(try fixture.entries("doc:1").map(\.until) == [nil])
            #expect(try fixture.commit(.setAccess("user:ann", on: "doc:1", ["approve", "query"])).revision == nil)
            try fixture.commit(.setAccess("user:ann", on: "doc:1", []))
            #expect(try fixture.entries("doc:1").isEmpty)
        }
    }

    @Test("R9: a caller can grant, attach, set or change in a permission only privileges that the caller has on the object")
    func ownLevel() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(
                .grant("user:ann", on: "doc:1", ["setPermissions"]), .grant("user:root", on: "doc:1", ["delete"]),
                .definePermission("permission:low", subject: "role:r", ["read"]),
                .definePermission("permission:high", subject: "role:r", ["delete", "read"]))
            let above: [Change] = [
                .grant("role:r", on: "doc:1", ["delete", "read"]), .setAccess("role:r", on: "doc:1", ["delete"]),
                .attachPermission("permission:high", to: "doc:1"),
            ]
            for change in above { #expect(try fixture.refusal(change, as: "user:ann")?.code == .aboveOwnLevel) }
            let within: [Change] = [
                .grant("role:r", on: "doc:1", ["read", "update"]), .setAccess("user:root", on: "doc:1", ["delete", "read"]),
                .attachPermission("permission:low", to: "doc:1"), .revoke("user:root", on: "doc:1", ["delete"]),
            ]
            for change in within { #expect(try fixture.refusal(change, as: "user:ann") == nil) }
            let change = Change.changePermission("permission:low", subject: "role:r", ["delete"])
            #expect(try fixture.refusal(change, as: "user:ann")?.code == .aboveOwnLevel)
        }
    }

    @Test("R11: a permission can be attached to several objects: a change applies to all, a detach to one")
    func permissions() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(
                .createObject("doc:2"), .definePermission("permission:p", subject: "role:r", ["query"]),
                .attachPermission("permission:p", to: "doc:1"), .attachPermission("permission:p", to: "doc:2"))
            #expect(try fixture.privileges("user:ann", "doc:2") == ["query"])
            let receipt = try fixture.commit(.changePermission("permission:p", subject: "role:r", ["delete"]))
            #expect(try fixture.commits().last?.events.count == 1)
            #expect(try fixture.privileges("user:ann", "doc:1") == ["delete", "read", "update"])
            #expect(try fixture.privileges("user:ann", "doc:2") == ["delete"])
            #expect(try fixture.entries("doc:2").map(\.permission) == ["p"])
            try fixture.commit(.detachPermission("permission:p", from: "doc:2"))
            #expect(try fixture.privileges("user:ann", "doc:2") == [])
            #expect(try fixture.privileges("user:ann", "doc:2", at: .revision(receipt.head)) == ["delete"])
            #expect(try fixture.privileges("user:ann", "doc:1") == ["delete", "read", "update"])
        }
    }

    @Test("R9: only a caller who has a privilege can make it permanent after it was granted with an expiry")
    func prolonging() throws {
        try withStore(.open) { (fixture) throws in
            let end = fixture.clock.now.later(seconds: 60)
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .register("user:bob"), .createObject("doc:1"),
                .grant("user:ann", on: "doc:1", ["setPermissions"]), .grant("user:bob", on: "doc:1", ["read"], until: end))
            for change: Change in [.grant("user:bob", on: "doc:1", ["read"]), .setAccess("user:bob", on: "doc:1", ["read"])] {
                #expect(try fixture.refusal(change, as: "user:ann")?.code == .aboveOwnLevel)
            }
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            #expect(try fixture.refusal(.setAccess("user:bob", on: "doc:1", ["read"]), as: "user:ann") == nil)
            fixture.clock.advance(seconds: 61)
            #expect(try fixture.may("user:bob", "read", "doc:1"))
        }
    }
}
