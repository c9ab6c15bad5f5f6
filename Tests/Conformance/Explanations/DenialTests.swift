import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Explanations of denials: the failing levels, the missing privileges, and the smallest changes that allow the access")
struct DenialTests {
    private func proposals(_ fixture: StoreFixture, _ subject: Name, _ privileges: String..., on object: Name) throws
        -> ProposalList
    {
        try fixture.store.read { try $0.proposals(for: $0.explain(subject, privileges, on: object)) }
    }

    @Test("E11: A denial names every failing level with its missing privileges, the highest first")
    func levels() throws {
        try withStore { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"), .register("user:ann"))
            func outcome(_ privileges: String...) throws -> [PrivilegeResult] {
                try fixture.store.read { try $0.explain("user:ann", privileges, on: "doc:1").outcomes }
            }
            func denied(_ decider: PrivilegeResult.Decider, _ failing: DecidingLevel...) -> PrivilegeResult {
                PrivilegeResult(privilege: "read", isAllowed: false, decider: decider, failing: failing)
            }
            #expect(try outcome("read") == [denied(.store, .store, .class, .object)])
            try fixture.commit(.grant("user:ann", on: .class("doc"), ["read"]))
            #expect(try outcome("read") == [denied(.store, .store, .object)])
            try fixture.commit(.grant("user:ann", on: .store, ["read"]))
            #expect(try outcome("read") == [denied(.object, .object)])
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            #expect(try outcome("read") == [PrivilegeResult(privilege: "read", isAllowed: true, decider: .object)])
            #expect(try outcome("read", "update").map(\.isAllowed) == [true, false])
        }
    }

    @Test("R5, E11: A missing update at the store level also removes delete, and the denial says what update there would allow")
    func readOnlyStore() throws {
        try withStore { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"), .register("user:ann"))
            for object: Name in [.store, .class("doc"), "doc:1"] { try fixture.commit(.grant("user:ann", on: object, ["delete"])) }
            let witness = try fixture.witness("user:ann", "delete", on: "doc:1")
            #expect(witness.outcomes.map(\.failing) == [[.store]])
            #expect(witness.missing == [.store: .update])
            let found = try proposals(fixture, "user:ann", "delete", on: "doc:1")
            #expect(found.proposals.map(\.changes) == [[.grant("user:ann", on: .store, ["update"])]])
        }
    }

    @Test("E11: If no grant can help, the reason is given: unknown name, unknown object, or impossible privilege")
    func obstacles() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            #expect(try proposals(fixture, "role:none", "read", on: "doc:1").obstacle == .unknownSubject)
            #expect(try proposals(fixture, "user:ann", "read", on: "doc:2").obstacle == .unknownObject)
            #expect(try proposals(fixture, "user:ann", "", on: "doc:1").obstacle == .impossiblePrivilege(""))
            let names = (0..<24).map { "p\($0)" }
            try fixture.commit(.defineClass("all", ClassSettings(privileges: names)))
            #expect(try proposals(fixture, "user:ann", "p24", on: "doc:1").obstacle == .impossiblePrivilege("p24"))
            #expect(try fixture.witness("role:none", "read", on: "doc:1").outcomes.map(\.decider) == [.unknownSubject])
            #expect(try fixture.witness("user:ann", "read", on: "doc:2").outcomes.map(\.decider) == [.unknownObject])
            #expect(try fixture.witness("user:ann", "p24", on: "doc:1").outcomes.map(\.decider) == [.unknownPrivilege])
            #expect(try fixture.witness("user:root", "p3", on: "doc:1").outcomes.map(\.decider) == [.unknownToClass])
        }
    }

    @Test(
        "E11: An unknown privilege is denied separately, and the other requested privileges get their normal answers")
    func unknownAmongKnown() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"), .grant(.everyone, on: "doc:1", ["read"]))
            for subject in ["user:ann", "user:root"] as [Name] {
                let witness = try fixture.witness(subject, "read", "raed", on: "doc:1")
                #expect(witness.outcomes.map(\.isAllowed) == [true, false])
                #expect(witness.outcomes.map(\.decider).last == .unknownPrivilege)
                #expect(!witness.isAllowed)
                #expect(try !fixture.store.read { try $0.explain(subject, ["raed", "read"], on: "doc:1").isAllowed })
                #expect(witness.lines.contains { $0.contains("the store has no privilege raed") })
                #expect(witness.lines.first == "no: \(subject) may read doc:1, and may not raed it")
            }
        }
    }

    @Test("E11: A grant to the subject comes first, then roles with the missing privileges, named roles before nested ones")
    func grantOrRole() throws {
        try withStore(.open) { fixture in
            try fixture.commit(
                .defineClass("box"), .defineClass("doc", ClassSettings(inherits: .everything)), .register("user:ann"))
            for role: Name in ["role:readers", "role:writers", "role:staff"] { try fixture.commit(.createRole(role)) }
            try fixture.commit(.createObject("box:1"), .createObject("doc:1", parent: "box:1"))
            try fixture.commit(.grant("role:readers", on: "box:1", ["read"]), .grant("role:writers", on: "doc:1", ["update"]))
            try fixture.commit(.addMember("role:staff", to: "role:readers"), .addMember("role:staff", to: "role:writers"))
            let read = try proposals(fixture, "user:ann", "read", on: "doc:1")
            #expect(
                read.proposals.map(\.changes) == [
                    [.grant("user:ann", on: "doc:1", ["read"])], [.addMember("user:ann", to: "role:readers")],
                ])
            // One change gives both privileges only to a member of the role below.
            let both = try proposals(fixture, "user:ann", "read", "update", on: "doc:1")
            #expect(
                both.proposals.map(\.changes) == [
                    [.grant("user:ann", on: "doc:1", ["read", "update"])], [.addMember("user:ann", to: "role:staff")],
                ])
        }
    }

    @Test("E11: For a widening class the denial says that the class or the object must give access, and proposes either")
    func widening() throws {
        try withStore { fixture in
            try fixture.commit(
                .defineClass("doc", ClassSettings(composition: .widening)), .createObject("doc:1"), .register("user:ann"))
            try fixture.commit(.createRole("role:team"), .grant("role:team", on: .class("doc"), ["read"]))
            let witness = try fixture.witness("user:ann", "read", "update", on: "doc:1")
            #expect(witness.outcomes.map(\.failing) == [[.store, .class, .object], [.store, .class, .object]])
            #expect(witness.lines.last == "└─ doc:1 does not give read, update, but one of the two would be enough")
            let found = try proposals(fixture, "user:ann", "read", "update", on: "doc:1")
            let store = Change.grant("user:ann", on: .store, ["read", "update"])
            #expect(
                found.proposals.map(\.changes) == [
                    [.grant("user:ann", on: .class("doc"), ["read", "update"]), store],
                    [.grant("user:ann", on: "doc:1", ["read", "update"]), store],
                ])
        }
    }

    @Test("E11: No proposal creates a cycle of roles or adds an anonymous caller to a role")
    func impossibleMemberships() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"), .createRole("role:low"), .createRole("role:high"))
            try fixture.commit(.addMember("role:low", to: "role:high"), .grant("role:low", on: "doc:1", ["read"]))
            let high = try proposals(fixture, "role:high", "read", on: "doc:1")
            #expect(high.proposals.map(\.changes) == [[.grant("role:high", on: "doc:1", ["read"])]])
            try fixture.commit(.grant(.anonymous, on: .store, ["read"]), .grant(.anonymous, on: .class("doc"), ["read"]))
            let anonymous = try proposals(fixture, .anonymous, "read", on: "doc:1")
            #expect(anonymous.proposals.map(\.changes) == [[.grant(.anonymous, on: "doc:1", ["read"])]])
        }
    }

    @Test("E11: An unknown user is registered first, and a privilege that classes lack is added to them first")
    func conditions() throws {
        try withStore { fixture in
            try fixture.commit(.defineClass("doc", ClassSettings(privileges: ["approve"])), .createObject("doc:1"))
            let found = try proposals(fixture, "user:new", "triage", on: "doc:1")
            let changes: [Change] = [
                .register("user:new"), .changeClass("store", ClassSettings(privileges: ["triage"])),
                .changeClass("doc", ClassSettings(privileges: ["approve", "triage"])),
                .grant("user:new", on: "doc:1", ["triage"]), .grant("user:new", on: .class("doc"), ["triage"]),
                .grant("user:new", on: .store, ["triage"]),
            ]
            #expect(found.proposals.map(\.changes) == [changes])
            try fixture.commit(changes[0], changes[1], changes[2], changes[3], changes[4], changes[5])
            #expect(try fixture.may("user:new", "triage", "doc:1"))
        }
    }

    @Test("E11: If too many roles lead to an object, the answer is correct and says that it is incomplete")
    func limits() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"), .register("user:ann"))
            // Two possible steps at each of twelve levels: 4096 chains.
            var below: [Name] = ["user:ann"]
            for step in 0..<12 {
                let roles = ["role:a\(step)", "role:b\(step)"].map { Name($0) }
                try fixture.store.commit(Transaction("user:root", roles.map { .createRole($0) }))
                for role in roles { try fixture.store.commit(Transaction("user:root", below.map { .addMember($0, to: role) })) }
                below = roles
            }
            try fixture.commit(.createRole("role:top"), .addMember(below[0], to: "role:top"), .addMember(below[1], to: "role:top"))
            try fixture.commit(.grant("role:top", on: "doc:1", ["read"]))
            let witness = try fixture.witness("user:ann", "read", on: "doc:1")
            #expect(witness.isAllowed)
            #expect(!witness.isComplete)
            #expect(witness.paths(at: .object).count == ExplanationLimits.pathsPerLevel)
            #expect(Set(witness.paths(at: .object)).count == ExplanationLimits.pathsPerLevel)
            #expect(try WitnessChecker(fixture.commits()).faults(in: witness) == [])
        }
    }
}
