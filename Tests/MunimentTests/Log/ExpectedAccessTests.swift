import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("A change of an access list names the revision at which its caller read the list")
struct ExpectedAccessTests {
    private func lastChange(_ fixture: StoreFixture, _ object: Name = "doc:1") throws -> Revision? {
        try fixture.store.read { try $0.lastAccessChange(of: object) }
    }

    private func grant(_ fixture: StoreFixture, _ expected: Revision?) throws -> Refusal.Code? {
        // Each grant has another end, so that it changes the entry.
        let until = fixture.clock.now.later(seconds: 1 + Int64(try fixture.head.rawValue))
        return try fixture.refusal(
            .grant("user:ben", on: "doc:1", ["read"], until: until, expectedRevision: expected))?.code
    }

    private func prepare(_ fixture: StoreFixture) throws {
        try fixture.commit(
            .defineClass("doc"), .register("user:ann"), .register("user:ben"), .createRole("role:r"), .createObject("doc:1"),
            .createObject("doc:2"))
    }

    @Test("E8: grant, setAccess and revoke are refused after another change of the access list, and nothing changes")
    func refused() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            let seen = try fixture.head
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            let entries = try fixture.store.read { try $0.entries(on: "doc:1") }
            let stale: [Change] = [
                .grant("user:ben", on: "doc:1", ["read"], expectedRevision: seen),
                .grant("user:ann", on: "doc:1", ["read"], strict: true, expectedRevision: seen),
                .setAccess("user:ann", on: "doc:1", ["update"], expectedRevision: seen),
                .revoke("user:ann", on: "doc:1", expectedRevision: seen),
                .revoke("user:ben", on: "doc:1", expectedRevision: seen),
            ]
            for change in stale { #expect(try fixture.refusal(change)?.code == .conflict, "\(change)") }
            #expect(try fixture.store.read { try $0.entries(on: "doc:1") } == entries)
            #expect(try fixture.refusal(.revoke("user:ann", on: "doc:1", expectedRevision: fixture.head)) == nil)
        }
    }

    @Test("E8: a change of the value or parent does not refuse a change of the access list; one of entries or permissions does")
    func whatCounts() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            var seen = try fixture.head
            try fixture.commit(.writeObject("doc:1", .value(.integer(1))), .moveObject("doc:1", parent: "doc:2"))
            try fixture.commit(.grant("user:ann", on: "doc:2", ["read"]))
            #expect(try lastChange(fixture) == seen)
            #expect(try grant(fixture, seen) == nil)
            let changes: [Change] = [
                .definePermission("permission:p", subject: "role:r", ["read"]), .attachPermission("permission:p", to: "doc:1"),
                .changePermission("permission:p", subject: "role:r", ["read", "update"]),
                .detachPermission("permission:p", from: "doc:1"), .grant("role:r", on: "doc:1", ["read"]), .deleteRole("role:r"),
            ]
            for change in changes {
                seen = try fixture.head
                try fixture.commit(change)
                if case .definePermission = change { continue }
                #expect(try lastChange(fixture) == fixture.head, "\(change)")
                #expect(try grant(fixture, seen) == .conflict, "\(change)")
            }
            try fixture.reopenWithoutIndex()
            #expect(try grant(fixture, seen) == .conflict)
            #expect(try grant(fixture, fixture.head) == nil)
        }
    }

    @Test("E8: a transaction does not conflict with its own changes, only with those of other transactions")
    func ownChanges() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            let seen = try fixture.head
            let changes: [Change] = [
                .grant("user:ann", on: "doc:1", ["read"], expectedRevision: seen),
                .grant("user:ben", on: "doc:1", ["read"], expectedRevision: seen),
                .revoke("user:ann", on: "doc:1", expectedRevision: seen),
            ]
            #expect(try fixture.refusal(of: changes) == nil)
            #expect(try fixture.refusal(of: changes)?.code == .conflict)
            let head = try fixture.head
            try fixture.commit(
                .createObject("doc:3"), .grant("user:ann", on: "doc:3", ["read"], expectedRevision: head))
        }
    }

    @Test("E8: a revision that the store has not reached is refused")
    func future() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            #expect(try grant(fixture, fixture.head.next) == .conflict)
            #expect(try grant(fixture, Revision(.max)) == .conflict)
        }
    }

    @Test("E8: a caller without setPermissions learns nothing about the access list")
    func order() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            let seen = try fixture.head
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            let change = Change.revoke("user:ann", on: "doc:1", expectedRevision: seen)
            #expect(try fixture.refusal(change, as: "user:ben")?.code == .noPrivilege)
        }
    }

    @Test("E8: a transaction with an expected revision is refused if another one changed an object that it names")
    func transaction() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            let seen = try fixture.head
            func refusal(_ changes: [Change], _ expected: Revision) throws -> Refusal? {
                do {
                    _ = try fixture.store.commit(Transaction("user:root", changes, expectedRevision: expected))
                    return nil
                } catch let refusal as Refusal {
                    return refusal
                }
            }
            try fixture.commit(.setOwner("doc:2", owner: "user:ann"))
            let both: [Change] = [
                .grant("user:ben", on: "doc:1", ["read"]), .grant("user:ben", on: "doc:1", ["update"]),
                .revoke("user:ben", on: "doc:2"),
            ]
            let refused = try #require(try refusal(both, seen))
            #expect(refused.code == .conflict && refused.change == 2, "\(refused)")
            #expect(try fixture.entries("doc:1").allSatisfy { $0.subject != "user:ben" })
            #expect(try refusal(Array(both.prefix(2)), seen) == nil)
            #expect(try refusal(both, seen)?.change == 0)
            #expect(try refusal([.writeObject("doc:1", .value(.integer(1)))], seen)?.code == .conflict)
            #expect(try refusal([.createObject("doc:3"), .moveObject("doc:3", parent: "doc:2")], seen) == nil)
            #expect(try refusal(both, fixture.head.next)?.code == .conflict)
            #expect(try refusal(both, fixture.head) == nil)
        }
    }

    @Test("E8: a transaction with an expected revision tells callers without setPermissions nothing about the access list")
    func transactionWithoutSetPermissions() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(
                .grant("user:ben", on: "doc:1", ["update", "delete"]),
                .grant("user:ann", on: "doc:1", ["update", "setPermissions"]))
            func refusal(as caller: Name, _ change: Change, _ expected: Revision) throws -> Refusal.Code? {
                do {
                    _ = try fixture.store.commit(Transaction(caller, [change], expectedRevision: expected))
                    return nil
                } catch let refusal as Refusal {
                    return refusal.code
                }
            }
            func write(_ number: Int64) -> Change { .writeObject("doc:1", .value(.integer(number))) }
            var seen = try fixture.head
            try fixture.commit(.grant("user:ann", on: "doc:1", ["delete"]))
            #expect(try refusal(as: "user:ann", write(1), seen) == .conflict)
            #expect(try refusal(as: "user:ben", write(2), seen) == nil)
            seen = try fixture.head
            try fixture.commit(.setOwner("doc:1", owner: "user:ann"))
            #expect(try refusal(as: "user:ben", .deleteObject("doc:1"), seen) == .conflict)
            try fixture.commit(.revoke("user:ann", on: "doc:1", ["delete"]))
            #expect(try refusal(as: "user:ben", .deleteObject("doc:1"), fixture.head) == nil)
        }
    }

    @Test("E8: an access list with many entries has the revision of its last change, at each revision and after a new index")
    func manyEntries() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            for number in 0..<70 {
                let user = Name("user:\(number)")
                try fixture.commit(.register(user))
                try fixture.commit(.grant(user, on: "doc:1", ["read"]))
                #expect(try lastChange(fixture) == fixture.head)
            }
            let full = try fixture.head
            try fixture.commit(.writeObject("doc:1", .value(.integer(1))))
            #expect(try lastChange(fixture) == full)
            try fixture.commit(.revoke("user:1", on: "doc:1"))
            let last = try fixture.head
            try fixture.reopenWithoutIndex()
            #expect(try lastChange(fixture) == last)
            #expect(try fixture.store.read(at: .revision(full)) { try $0.lastAccessChange(of: "doc:1") } == full)
        }
    }

    @Test("E8: a transaction that grants access and revokes it again changes nothing, and its access list keeps its revision")
    func noEffect() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            let head = try fixture.head
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]), .revoke("user:ann", on: "doc:1"))
            #expect(try fixture.head == head)
            #expect(try lastChange(fixture) == head)
        }
    }
}
