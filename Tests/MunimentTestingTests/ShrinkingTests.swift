import Events
import Histories
import Muniment
import MunimentTesting
import Permissions
import Testing

@Suite("Random histories, and shrinking of failing ones")
struct ShrinkingTests {
    /// Classes and users that exist before the random part.
    static let beginning = History(
        "A board", preset: .open,
        [
            Transaction(
                "user:root",
                [
                    .defineClass("doc", ClassSettings(creatorPrivileges: ["read", "update", "setPermissions"])),
                    .register("user:ann"), .register("user:ben"), .createRole("role:staff"), .createObject("doc:1"),
                ])
        ])
    static let vocabulary = Vocabulary(
        users: ["user:ann", "user:ben"], roles: ["role:staff"], objects: ["doc:1", "doc:2", "doc:3"])

    @Test("E12: A property that holds at every revision of random histories reports no failure")
    func holds() throws {
        try forAllHistories(20, length: 30, after: ShrinkingTests.beginning, drawnFrom: ShrinkingTests.vocabulary, seed: 1) {
            step in
            // Only an administrator, or a subject with a grant, has every privilege.
            try step.expect("user:root", may: "read", on: .store)
            try step.expect(step.revision > Revision(0), "revisions begin with 1")
        }
    }

    @Test(
        "E12: A failing property shrinks to the known minimum for every seed, and the printed file fails too")
    func minimum() throws {
        for seed: UInt64 in [1, 20, 300] {
            let broken = try #require(
                #expect(throws: PropertyError.self) {
                    try forAllHistories(
                        200, length: 60, after: ShrinkingTests.beginning, drawnFrom: ShrinkingTests.vocabulary, seed: seed
                    ) { step in try step.expect("user:stranger", mayNot: "read", on: "doc:1") }
                })
            let shrunk = broken.shrunk
            // The minimum creates the class and the object, and opens the object to everyone.
            #expect(shrunk.history.transactions.flatMap(\.changes).count == 3, "\(broken)")
            #expect(shrunk.history.entries.count == 2, "\(broken)")
            let result = try ScenarioRunner().run(text: shrunk.scenario, named: "shrunk")
            #expect(result.failed == 1 && result.failures.first?.expected == "false" && result.failures.first?.actual == "true")
            #expect(broken.description.contains("MUNIMENT_SEED=\(broken.seed) "))
            // A run with only the reported seed gives the same result.
            let again = #expect(throws: PropertyError.self) {
                try forAllHistories(
                    1, length: 60, after: ShrinkingTests.beginning, drawnFrom: ShrinkingTests.vocabulary, seed: broken.seed
                ) { step in try step.expect("user:stranger", mayNot: "read", on: "doc:1") }
            }
            #expect(again?.shrunk.scenario == shrunk.scenario)
        }
    }

    @Test("E12: A failing seed fails again in the same way")
    func again() throws {
        func fail(_ seed: UInt64, _ count: Int) throws -> PropertyError {
            try #require(
                #expect(throws: PropertyError.self) {
                    try forAllHistories(count, length: 40, seed: seed) { step in
                        try step.expect(
                            step.commit.events.allSatisfy { if case .memberAdded = $0 { false } else { true } }, "no members")
                    }
                })
        }
        let first = try fail(77, 50)
        let again = try fail(first.seed, 1)
        #expect(first.seed == again.seed)
        #expect(first.shrunk.scenario == again.shrunk.scenario)
        #expect(first.drawnCount == again.drawnCount)
    }

    @Test("E12: A hand-written history shrinks to what its expectation needs, and keeps the times that matter")
    func byHand() throws {
        let shrunk = try #require(
            try ReplayTests.sharing.shrunk { step in
                if step.time > History.newYear { try step.expect("user:ben", may: "read", on: "doc:plan") }
            })
        let lines = shrunk.scenario.split(separator: "\n").map(String.init)
        // A class, an object, a temporary grant, and the time until it expires.
        #expect(shrunk.history.entries.count == 4, "\(shrunk)")
        #expect(lines[4] == #"{"clock":"2026-01-01T00:01:00Z"}"#)
        #expect(lines.last == #"{"ask":"check","subject":"user:ben","object":"doc:plan","privilege":"read","answer":true}"#)
        #expect(try ScenarioRunner().run(text: shrunk.scenario, named: "shrunk").failed == 1)
        #expect(try ReplayTests.sharing.shrunk { _ in } == nil)
    }

    @Test("E12: A shrunk history keeps the expected refusals")
    func refusals() throws {
        var history = History(preset: .locked, [Transaction("user:root", [.defineClass("doc")])])
        history.append(Transaction("user:new", [.defineClass("box"), .defineClass("cup")]), expecting: .refused(.noPrivilege))
        // A caller is registered even by a refused command.
        let shrunk = try #require(
            try history.shrunk { step in
                let wantsBox = step.cause.contains("box")
                try step.expect(try !wantsBox || !step.snapshot.exists("user:new"), "a refused command registers no user")
            })
        #expect(shrunk.history.transactions.map(\.caller) == ["user:new"])
        #expect(shrunk.scenario.contains(#""expect":{"refused":"noPrivilege"}"#), "\(shrunk)")
        let result = try ScenarioRunner().run(text: shrunk.scenario, named: "shrunk")
        #expect(result.passed == 1 && result.failures.isEmpty)
    }
}
