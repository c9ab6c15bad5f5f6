import Events
import Histories
import Muniment
import MunimentTesting
import Notices
import Permissions
import Testing

@Suite("Histories in tests")
struct ReplayTests {
    /// Ann creates a plan. Ben may read it for one minute.
    static let sharing: History = {
        var history = History(
            "Ann shares her plan", preset: .open,
            [
                Transaction(
                    "user:root",
                    [
                        .defineClass("doc", ClassSettings(creatorPrivileges: ["read", "update", "setPermissions"])),
                        .register("user:ben"),
                    ]),
                Transaction("user:ann", [.createObject("doc:plan")]),
            ])
        history.mark("made")
        history.append(
            Transaction(
                "user:ann",
                [.grant("user:ben", on: "doc:plan", ["read"], until: History.newYear.advanced(byMicroseconds: 60_000_000))]))
        history.append(Transaction("user:ben", [.deleteObject("doc:plan")]), expecting: .refused(.noPrivilege))
        history.moveClock(to: History.newYear.advanced(byMicroseconds: 60_000_000))
        return history
    }()

    @Test("E12: A history runs in memory step by step, and each step has its revision and its cause")
    func steps() throws {
        var seen: [(Revision, Bool, Int)] = []
        try ReplayTests.sharing.replay { step in
            seen.append((step.revision, try step.snapshot.check("user:ben", ["read"], on: "doc:plan").isAllowed, step.entry))
        }
        #expect(seen.map(\.0) == (1...5).map { Revision($0) })
        #expect(seen.map(\.1) == [false, false, false, true, false])
        #expect(seen.map(\.2) == [0, 1, 1, 3, 5])
    }

    @Test("E12: An unmet expectation reports the expected result, the reason, the place and the last command")
    func failure() throws {
        let failure = #expect(throws: ExpectationError.self) {
            try ReplayTests.sharing.replay { step in
                if step.marks["made"] != nil { try step.expect("user:ben", may: "read", "update", on: "doc:plan") }
            }
        }
        let lines = failure?.description.split(separator: "\n").map(String.init) ?? []
        #expect(
            lines == [
                "expected: `user:ben` may update `doc:plan`", "but: it may not",
                "because: no entry on doc:plan, direct or inherited, gives user:ben update",
                "at: revision 4, 2026-01-01T00:00:00Z of `Ann shares her plan`",
                #"after: {"as":"user:ann","do":[{"op":"grant","subject":"user:ben","object":"doc:plan","privileges":["read"],"until":"2026-01-01T00:01:00Z"}]}"#,
            ])
        #expect(
            failure?.question
                == #"{"ask":"check","subject":"user:ben","object":"doc:plan","privilege":"update","answer":true}"#)
    }

    @Test("E12: The notices of a subscriber are checked at each revision, and a failure lists the actual notices")
    func notices() throws {
        var told: [[String]] = []
        try ReplayTests.sharing.replay { step in
            told.append(try step.notices(for: "user:ben").map { "\($0.kind) \($0.object)" })
            switch step.entry {
            case 3: try step.expectNotices(for: "user:ben", [.shared: ["doc:plan"]])
            case 5: try step.expectNotices(for: "user:ben", [.madeInaccessible: ["doc:plan"]])
            default: try step.expectNotices(for: "user:ben", [:])
            }
        }
        #expect(told == [[], [], [], ["shared doc:plan"], ["madeInaccessible doc:plan"]])
        let shrunk = try #require(
            try ReplayTests.sharing.shrunk { step in
                if step.commit.events.contains(where: { if case .accessExpired = $0 { true } else { false } }) {
                    try step.expectNotices(for: "user:ben", [:])
                }
            })
        #expect(
            "\(shrunk)".contains("expected: `user:ben` receives: nothing\nbut: it receives: madeInaccessible `doc:plan`"),
            "\(shrunk)"
        )
        let result = try ScenarioRunner().run(text: shrunk.scenario, named: "shrunk")
        #expect(result.failures.map(\.expected) == ["[]"], "\(shrunk)")
    }
}
