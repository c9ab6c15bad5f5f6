import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Observing: the end of an observation", .timeLimit(.minutes(60)))
struct ObservationEndTests {
    private func prepare(_ fixture: StoreFixture, _ changes: [Change] = [.grant("user:ann", on: "doc:1", ["read"])]) throws {
        try fixture.commit(
            .defineClass("doc"), .register("user:ann"), .register("user:ben"), .createObject("doc:1", value: .integer(0)))
        try fixture.store.commit(Transaction("user:root", changes))
    }

    @Test(
        "F14: an observer that loses read access gets the revision, the earlier changes, and nothing later",
        arguments: AccessLossCase.entries + AccessLossCase.subjects + AccessLossCase.levels + AccessLossCase.places)
    func accessEnds(way: AccessLossCase) async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture, way.setup)
            let store = fixture.store
            let changes = try store.observe(way.object, as: way.caller)
            async let awake = changes.all()
            try await store.untilWaiting(1)
            let before = try fixture.commit(.writeObject(way.object, .merge(.object(["a": .integer(1)])))).head
            try await store.untilWaiting(1)
            let lost = try await store.commit(Transaction("user:root", way.losing)).head
            // The observer is notified of the lost access without any other change.
            let observed = await awake
            #expect(observed.end == .accessEnded(at: lost))
            #expect(observed.steps.map(\.revision) == [before])
            // For an observer that starts later, it makes no difference that access was given again.
            try await store.commit(Transaction("user:root", way.regaining))
            try fixture.commit(.writeObject(way.object, .value(.integer(2))))
            #expect(try fixture.may(way.caller, "read", way.object))
            #expect(await changes.all() == observed)
        }
    }

    @Test("F14: temporary access ends the observation at the revision of its expiry, before the next commit")
    func expiry() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture, [.grant("user:ann", on: "doc:1", ["read"], until: .newYear.later(seconds: 60))])
            let store = fixture.store
            async let observed = store.observe("doc:1", as: "user:ann").all()
            try await store.untilWaiting(1)
            fixture.clock.advance(seconds: 60)
            let head = try fixture.commit(.writeObject("doc:1", .value(.integer(1)))).head
            #expect(try await observed == Observed(end: .accessEnded(at: Revision(head.rawValue - 1))))
        }
    }

    @Test("F14: a commit that writes the value and revokes access does not deliver the new value")
    func writtenAndLost() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            let changes = try fixture.store.observe("doc:1", as: "user:ann")
            let head = try fixture.commit(
                .writeObject("doc:1", .value(.string("secret"))), .revoke("user:ann", on: "doc:1"), .createObject("doc:2")
            ).head
            #expect(await changes.all() == Observed(end: .accessEnded(at: head)))
        }
    }

    @Test("F14: deleting the object ends the observation, directly or with an ancestor that gives it no access")
    func deletion() async throws {
        for deleted in ["doc:1", "doc:top"] as [Name] {
            try await withStore(.open) { (fixture) async throws in
                try prepare(
                    fixture,
                    [
                        .createObject("doc:top"), .createObject("doc:middle", parent: "doc:top"),
                        .moveObject("doc:1", parent: "doc:middle"), .grant("user:ann", on: "doc:1", ["read"]),
                    ])
                let store = fixture.store
                async let observed = store.observe("doc:1", as: "user:ann").all()
                try await store.untilWaiting(1)
                let head = try fixture.commit(.deleteObject(deleted)).head
                #expect(try await observed == Observed(end: .objectDeleted(at: head)))
            }
        }
    }

    @Test("F14: an object recreated with the same name is a new one, even in the commit that deletes the first")
    func anotherObject() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            let changes = try fixture.store.observe("doc:1", as: "user:ann")
            let head = try fixture.commit(
                .deleteObject("doc:1"), .createObject("doc:1", value: .integer(7)), .grant("user:ann", on: "doc:1", ["read"])
            ).head
            let second = try fixture.store.observe("doc:1", as: "user:ann")
            try fixture.commit(.writeObject("doc:1", .value(.integer(8))))
            #expect(await changes.all() == Observed(end: .objectDeleted(at: head)))
            try fixture.commit(.deleteObject("doc:1"))
            #expect(await second.all().changes.map(\.kind) == [.valueChanged(before: .integer(7), after: .integer(8))])
        }
    }

    @Test("F14: an observer is removed when its task ends, and other observers continue")
    func cancelling() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            let store = fixture.store
            let changes = try store.observe("doc:1", as: "user:ann")
            let removed = Task { await changes.all() }
            let staying = Task { await changes.all() }
            try await store.untilWaiting(2)
            removed.cancel()
            #expect(await removed.value == Observed())
            try await store.untilWaiting(1)
            try fixture.commit(.writeObject("doc:1", .value(.integer(1))))
            try fixture.commit(.deleteObject("doc:1"))
            #expect(await staying.value.changes.count == 1)
        }
    }

    @Test("F14: a task that is cancelled before it starts gets nothing, not even existing changes")
    func cancelledBefore() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            let changes = try fixture.store.observe("doc:1", as: "user:ann")
            try fixture.commit(.writeObject("doc:1", .value(.integer(1))))
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return await changes.all()
            }
            task.cancel()
            #expect(await task.value == Observed())
        }
    }

    @Test("F14: closing the store ends an observation, and a new one continues at the same position")
    func closing() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            let store = fixture.store
            let changes = try store.observe("doc:1", as: "user:ann")
            let observing = (0..<20).map { _ in Task { await changes.all() } }
            try await store.untilWaiting(20)
            try fixture.reopen()
            for task in observing { #expect(await task.value == Observed(end: .storeClosed)) }
            #expect(await changes.all() == Observed(end: .storeClosed))
            let later = try await fixture.observed("doc:1", since: changes.since) {
                try fixture.commit(.writeObject("doc:1", .value(.integer(1))))
            }
            #expect(later.changes.count == 1)
        }
    }

    @Test("F14: after its end an observation delivers nothing more")
    func afterTheEnd() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            var iterator = try fixture.store.observe("doc:1", as: "user:ann").makeAsyncIterator()
            let head = try fixture.commit(.revoke("user:ann", on: "doc:1")).head
            await #expect(throws: ObservationError.accessEnded(at: head)) { try await iterator.next() }
            #expect(try await iterator.next() == nil)
        }
    }
}
