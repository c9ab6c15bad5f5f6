import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Audit: the full report of how a subject gained access")
struct AccessStoryTests {
    /// Ann gets access to a document through a nested role, loses it with the role, and gets it again with an expiry. Finally she
    /// has all privileges as an administrator of the store.
    private func story(_ fixture: StoreFixture) throws {
        let everybody: [Change] = (["store", "class:doc"] as [Name]).map { .grant(.everyone, on: $0, ["read", "update"]) }
        try fixture.store.commit(
            Transaction("user:root", [.defineClass("doc"), .register("user:ann"), .register("user:bob")] + everybody))
        func then(_ changes: Change...) throws {
            fixture.clock.advance(seconds: 60)
            try fixture.store.commit(Transaction("user:root", changes, origin: Origin(requestID: "ticket")))
        }
        try then(.createRole("role:inner"), .createRole("role:outer"), .addMember("role:inner", to: "role:outer"))
        try then(.createObject("doc:plan"), .grant("role:outer", on: "doc:plan", ["read"]), .register("user:eve"))
        try then(.register("user:zoe"), .addMember("user:ann", to: "role:inner"))
        try then(.deleteRole("role:outer"))
        try then(.grant("user:ann", on: "doc:plan", ["read"], until: fixture.clock.now.later(seconds: 600)))
        fixture.clock.advance(seconds: 1000)
        try then(.appointAdministrator("user:ann"), .register("user:joe"))
        try then(.deleteObject("doc:plan"))
    }

    @Test("E10: the report lists every start and end of access, with the events that caused it, the caller and the time")
    func turns() throws {
        try withStore(.locked) { fixture in
            try story(fixture)
            let turns = try fixture.store.accessTransitions(of: "user:ann", with: ["read"], on: "doc:plan")
            let told = turns.map { turn in
                ([turn.isGained ? "in" : "out", "r\(turn.revision?.description ?? "–")", turn.actor] + turn.events.map(\.sentence))
                    .joined(separator: "; ")
            }
            #expect(
                told == [
                    "in; r4; user:root; user:ann became a member of role:inner",
                    "out; r5; user:root; role:outer was deleted",
                    "in; r6; user:root; user:ann was granted read on doc:plan until 2026-01-01T00:14:00Z",
                    "out; r7; store; the access of user:ann for read on doc:plan expired",
                    "in; r8; user:root; user:ann became an administrator",
                    "out; r9; user:root; doc:plan was deleted, with everything in it",
                ])
            #expect(turns.map(\.origin.requestID) == ["ticket", "ticket", "ticket", nil, "ticket", "ticket"])
            #expect(turns.dropFirst(3).first?.time == Instant.newYear.later(seconds: 14 * 60))
        }
    }

    @Test("E10: a change of access names only the events that the access rests on, not others of the same commit")
    func onlyTheCause() throws {
        try withStore(.locked) { fixture in
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .createRole("role:readers"), .createRole("role:other"),
                .createObject("doc:plan"), .grant(.everyone, on: .store, ["read", "update"]),
                .grant(.everyone, on: "class:doc", ["read", "update"]))
            try fixture.commit(
                .addMember("user:ann", to: "role:readers"), .addMember("user:ann", to: "role:other"),
                .grant("role:other", on: "doc:plan", ["update"]), .grant("role:readers", on: "doc:plan", ["read"]),
                .grant("user:ann", on: "doc:plan", ["update"]), .writeObject("doc:plan", .value(.integer(1))))
            try fixture.commit(
                .revoke("user:ann", on: "doc:plan"), .removeMember("user:ann", from: "role:other"),
                .removeMember("user:ann", from: "role:readers"))
            let changes = try fixture.store.accessTransitions(of: "user:ann", with: ["read"], on: "doc:plan")
            #expect(
                changes.map { $0.events.map(\.sentence) } == [
                    ["user:ann became a member of role:readers", "role:readers was granted read on doc:plan"],
                    ["user:ann is no longer a member of role:readers"],
                ])
        }
    }

    @Test("E10: changes at the first revision and the first time of a span are listed, and earlier changes are not")
    func inclusiveBeginning() throws {
        try withStore(.locked) { fixture in
            try story(fixture)
            let times = try (0...9).map { try fixture.store.time(of: Revision($0)) }
            func turns(_ from: Moment, _ to: Moment) throws -> [String] {
                try fixture.store.accessTransitions(of: "user:ann", with: ["read"], on: "doc:plan", from: from, to: to)
                    .map { ($0.isGained ? "in r" : "out r") + ($0.revision?.description ?? "") }
            }
            #expect(try turns(.revision(Revision(4)), .revision(Revision(5))) == ["in r4", "out r5"])
            #expect(try turns(.revision(Revision(5)), .revision(Revision(5))) == ["out r5"])
            #expect(try turns(.time(times[4]), .time(times[4])) == ["in r4"])
            #expect(try turns(.time(times[4].later(seconds: 1)), .time(times[5])) == ["out r5"])
            #expect(try turns(.time(times[4].later(seconds: 1)), .time(times[4].later(seconds: 2))) == [])
        }
    }

    @Test("E10: an expiry that no commit has recorded yet takes effect at its time")
    func pendingEnd() throws {
        try withStore(.locked) { fixture in
            try fixture.commit(.defineClass("doc"), .register("user:ann"))
            try fixture.commit(
                .grant(.everyone, on: .store, ["read"]), .grant(.everyone, on: "class:doc", ["read"]), .createObject("doc:1"))
            let end = fixture.clock.now.later(seconds: 100)
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"], until: end))
            let head = try fixture.head
            try fixture.store.close()
            // A read-only process, after the expiry and before the next commit.
            let later = end.later(seconds: 50)
            let reader = try Store.open(at: fixture.path, .reading, options: StoreOptions { later })
            func spans(from: Moment = .revision(.genesis), to: Moment = .now) throws -> [AccessSpan] {
                try reader.accessSpans(with: ["read"], on: "doc:1", from: from, to: to).first { $0.subject == "user:ann" }?.spans
                    ?? []
            }
            let all = try spans()
            #expect(all.map(\.begin) == [head] && all.map(\.end) == [nil] && all.map(\.until) == [end])
            let turns = try reader.accessTransitions(of: "user:ann", with: ["read"], on: "doc:1")
            #expect(turns.map(\.time) == [.newYear, end] && turns.last?.revision == nil && turns.last?.isGained == false)
            #expect(try spans(from: .time(end)).isEmpty)
            #expect(try spans(to: .time(end.later(seconds: -1))).map(\.until) == [nil])
            try reader.close()
            try fixture.reopen()
        }
    }

    @Test("E10: unknown names give an empty answer; ill-formed names and reversed spans are refused")
    func oddQuestions() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            #expect(try fixture.store.accessSpans(with: ["read"], on: "doc:never").isEmpty)
            #expect(try fixture.store.accessSpans(with: ["fly"], on: "doc:1").isEmpty)
            #expect(try fixture.store.accessTransitions(of: "role:never", with: ["read"], on: "doc:1").isEmpty)
            #expect(try !fixture.store.read { try $0.accessReport(of: "role:never").isKnown })
            #expect(throws: Refusal.self) { try fixture.store.accessSpans(with: ["read"], on: "nothing") }
            #expect(throws: Refusal.self) { try fixture.store.accessTransitions(of: "nobody", with: ["read"], on: "doc:1") }
            #expect(throws: Refusal.self) {
                try fixture.store.accessSpans(with: ["read"], on: "doc:1", from: .revision(Revision(1)), to: .revision(.genesis))
            }
            #expect(throws: StoreError.self) {
                try fixture.store.accessSpans(with: ["read"], on: "doc:1", to: .revision(Revision(99)))
            }
        }
    }
}
