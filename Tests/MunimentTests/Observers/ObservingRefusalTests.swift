import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Observing: refused callers")
struct ObservingRefusalTests {
    private func refusal(_ fixture: StoreFixture, _ object: Name, as caller: Name, since: Revision? = nil) throws -> Refusal.Code? {
        do {
            _ = try fixture.store.observe(object, as: caller, since: since)
            return nil
        } catch let refusal as Refusal { return refusal.code }
    }

    @Test("F14: without read access, observing is refused with the same error as reading")
    func refusals() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .register("user:ben"), .createObject("doc:1"),
                .grant("user:ann", on: "doc:1", ["read"]), .grant("user:ben", on: "doc:1", ["update"]))
            #expect(try refusal(fixture, "doc:1", as: "user:ann") == nil)
            #expect(try refusal(fixture, "doc:1", as: "user:ben") == .noPrivilege)
            #expect(try refusal(fixture, "doc:1", as: "user:nobody") == .noPrivilege)
            #expect(try refusal(fixture, "doc:1", as: "anonymous") == .notAuthenticated)
            #expect(try refusal(fixture, "doc:2", as: "user:ann") == .unknownObject)
            #expect(try refusal(fixture, "class:doc", as: "user:root") == .unknownObject)
            #expect(try refusal(fixture, "doc", as: "user:ann") == .malformed)
            #expect(try refusal(fixture, "doc:1", as: "user:") == .malformed)
        }
    }

    @Test("F14: a start revision uses the read access of the caller at that time; a future revision is refused")
    func since() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .register("user:ann"))
            let before = try fixture.head
            let created = try fixture.commit(.createObject("doc:1"), .createObject("doc:2")).head
            let granted = try fixture.commit(.grant("user:ann", on: "doc:1", ["read"])).head
            try fixture.commit(.revoke("user:ann", on: "doc:1"))
            #expect(try refusal(fixture, "doc:1", as: "user:ann") == .noPrivilege)
            #expect(try refusal(fixture, "doc:1", as: "user:ann", since: granted) == nil)
            #expect(try refusal(fixture, "doc:1", as: "user:ann", since: created) == .noPrivilege)
            #expect(try refusal(fixture, "doc:1", as: "user:ann", since: before) == .unknownObject)
            let head = try fixture.head
            #expect(throws: StoreError.noSuchRevision(head.next, head: head)) {
                try fixture.store.observe("doc:1", as: "user:root", since: head.next)
            }
        }
    }

    @Test("F14: access that has expired is missing, even before the log records the expiry")
    func endedByTheClock() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .createObject("doc:1"),
                .grant("user:ann", on: "doc:1", ["read"], until: .newYear.later(seconds: 60)))
            #expect(try refusal(fixture, "doc:1", as: "user:ann") == nil)
            fixture.clock.advance(seconds: 60)
            #expect(try refusal(fixture, "doc:1", as: "user:ann") == .noPrivilege)
        }
    }
}
