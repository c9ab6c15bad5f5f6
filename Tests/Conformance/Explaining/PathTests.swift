import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Explanations: each kind of path, with the event, the actor and the time of each step")
struct PathTests {
    @Test("E11: An entry is told with the event that gave it, its actor, time, request and comment")
    func entry() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"), .register("user:ann"), .register("user:boss"))
            try fixture.commit(.appointAdministrator("user:boss"))
            try fixture.commit(.createObject("doc:plan"))
            fixture.clock.advance(seconds: 60)
            try fixture.commit(
                .grant("user:ann", on: "doc:plan", ["read"]), as: "user:boss",
                origin: Origin(requestID: "ticket-7", comment: "for the audit"))
            fixture.clock.advance(seconds: 60)
            try fixture.commit(.grant("user:ann", on: "doc:plan", ["read", "update"]))
            let witness = try fixture.witness("user:ann", "read", on: "doc:plan")
            #expect(witness.isAllowed)
            #expect(witness.outcomes.map(\.decider) == [.object])
            let path = try #require(witness.paths(at: .object).first)
            #expect(witness.line(path) == "user:ann; user:ann has read on doc:plan (r4 user:boss)")
            let citation = try #require(path.facts.last?.citation)
            #expect(citation.time == Instant.newYear.later(seconds: 60))
            #expect(citation.kind == .accessGranted)
            #expect(citation.origin.requestID == "ticket-7")
            #expect(citation.origin.comment == "for the audit")
        }
    }
}
