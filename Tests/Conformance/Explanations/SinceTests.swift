import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Explanations: the event that counts if several affect the same access")
struct SinceTests {
    private func withPlan(_ body: (StoreFixture) throws -> Void) throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"), .register("user:ann"))
            try body(fixture)
        }
    }

    private func revisions(_ fixture: StoreFixture, _ privilege: String, at moment: Moment = .now) throws -> [Revision] {
        try fixture.witness("user:ann", privilege, on: "doc:1", at: moment).paths(at: .object).compactMap {
            $0.facts.last?.citation.revision
        }
    }

    @Test("E11: Privileges granted one after another are listed separately, each with the event that granted it")
    func oneAfterTheOther() throws {
        try withPlan { fixture in
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read", "update"]))
            try fixture.commit(.grant(.everyone, on: "doc:1", ["query"]))
            let witness = try fixture.witness("user:ann", "read", "update", on: "doc:1")
            #expect(
                witness.paths(at: .object).map(witness.line) == [
                    "user:ann; user:ann has read on doc:1 (r2 user:root)", "user:ann; user:ann has update on doc:1 (r3 user:root)",
                ])
        }
    }

    @Test("E11: After a revocation the earlier grant counts, also if one commit does both")
    func revokedAndGranted() throws {
        try withPlan { fixture in
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read", "update"]))
            try fixture.commit(.revoke("user:ann", on: "doc:1", ["read"]))
            #expect(try revisions(fixture, "read") == [])
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            #expect(try revisions(fixture, "read") == [Revision(4)])
            #expect(try revisions(fixture, "update") == [Revision(2)])
            // Alone, each of the two would have no effect and would create no revision.
            try fixture.commit(
                .revoke("user:ann", on: "doc:1", ["update"]), .grant("user:ann", on: "doc:1", ["update"]), .register("user:ben"))
            #expect(try revisions(fixture, "update") == [Revision(5)])
            let path = try #require(try fixture.witness("user:ann", "update", on: "doc:1").paths(at: .object).first)
            #expect(path.facts.last?.citation.index == 1)
            // A query about the past gives the explanation of that time.
            #expect(try revisions(fixture, "update", at: .revision(Revision(4))) == [Revision(2)])
        }
    }

    @Test("E13: An expiry is shown, a later expiry counts from its grant, and no path remains after the expiry")
    func ends() throws {
        try withPlan { fixture in
            let (soon, late) = (Instant.newYear.later(seconds: 100), Instant.newYear.later(seconds: 200))
            try fixture.commit(.grant("user:ann", on: "doc:1", ["delete"], until: late))
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read", "update"], until: soon))
            // Moving one of two privileges to an existing end changes neither the privileges nor the ends.
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"], until: late))
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"], until: soon))
            #expect(
                try fixture.why("user:ann", "read", on: "doc:1") == [
                    "user:ann; user:ann has read on doc:1 until \(late) (r4 user:root)"
                ])
            #expect(try revisions(fixture, "update") == [Revision(3)])
            #expect(try fixture.why("user:ann", "update", on: "doc:1", at: .time(soon)) == [])
            let both = try fixture.witness("user:ann", "read", "update", on: "doc:1", at: .time(soon))
            #expect(both.outcomes.map(\.isAllowed) == [true, false])
            #expect(both.paths(at: .object).map(\.privileges) == [.read])
            fixture.clock.now = late
            let denial = try fixture.witness("user:ann", "read", on: "doc:1")
            #expect(!denial.isAllowed)
            #expect(denial.missing == [.object: .read])
        }
    }

    @Test("E11: The remaining privileges of a wildcard are explained with the event of the wildcard")
    func wildcard() throws {
        try withPlan { fixture in
            try fixture.commit(.revoke(.everyone, on: .class("doc"), ["update"]))
            #expect(
                try fixture.why("user:ann", "read", on: "doc:1", .class) == [
                    "everyone; everyone has read on class:doc (r1 user:root)"
                ])
            #expect(try fixture.why("user:ann", "update", on: "doc:1", .class) == [])
        }
    }

    @Test("E11: Membership, parent and existence are explained with the last event that established them")
    func cameAboutAgain() throws {
        try withStore(.open) { fixture in
            try fixture.commit(
                .defineClass("doc", ClassSettings(inherits: .everything)), .register("user:ann"), .createRole("role:a"))
            try fixture.commit(.addMember("user:ann", to: "role:a"), .createObject("doc:top"))
            try fixture.commit(.removeMember("user:ann", from: "role:a"))
            try fixture.commit(.addMember("user:ann", to: "role:a"))
            try fixture.commit(.createObject("doc:1", parent: "doc:top"), .grant("role:a", on: "doc:top", ["read"]))
            try fixture.commit(.deleteObject("doc:top"), .createObject("doc:top"), .grant("role:a", on: "doc:top", ["read"]))
            try fixture.commit(.createObject("doc:1", parent: "doc:top"))
            #expect(
                try fixture.why("user:ann", "read", on: "doc:1") == [
                    "user:ann; user:ann of role:a (r4 user:root); role:a has read on doc:top (r6 user:root); "
                        + "doc:top: class:doc (r6 user:root); doc:1 in doc:top (r7 user:root); class:doc (r1 user:root)"
                ])
            #expect(try fixture.witness("user:ann", "read", on: "doc:1").target?.existence.citation.revision == Revision(7))
        }
    }

    @Test("E5, E11: An explanation of a past time equals the one given at that time")
    func past() throws {
        try withPlan { fixture in
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            fixture.clock.advance(seconds: 10)
            let (then, moment) = (try fixture.witness("user:ann", "read", on: "doc:1"), fixture.clock.now)
            try fixture.commit(.deleteObject("doc:1"))
            fixture.clock.advance(seconds: 10)
            try fixture.commit(.createObject("doc:1"))
            #expect(try !fixture.witness("user:ann", "read", on: "doc:1").isAllowed)
            // The next commit has the same time as the query.
            let again = try fixture.witness("user:ann", "read", on: "doc:1", at: .time(moment.advanced(byMicroseconds: -1)))
            #expect(again.storeLevel == then.storeLevel)
            #expect(again.target == then.target)
            #expect(again.isAllowed)
            try fixture.reopenWithoutIndex()
            #expect(try fixture.witness("user:ann", "read", on: "doc:1", at: .time(moment.advanced(byMicroseconds: -1))) == again)
        }
    }
}
