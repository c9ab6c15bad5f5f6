import Events
import Muniment
import MunimentTesting
import Permissions
import TestSupport
import Testing

@Suite("What-if: a history with another rule, or with transactions added or removed")
struct HistoryWhatIfTests {
    /// Two departments with a document each. The office role may read both classes of documents.
    static let firm = History(
        "A firm", preset: .open,
        [
            Transaction(
                "user:root",
                [
                    .defineClass("doc", ClassSettings(objectACL: .required)), .register("user:ann"), .register("user:ben"),
                    .createRole("role:office"), .addMember("user:ann", to: "role:office"),
                ]),
            Transaction("user:root", [.createObject("doc:plan"), .createObject("doc:budget")]),
            Transaction("user:root", [.grant("role:office", on: "doc:plan", ["read"])]),
            Transaction("user:root", [.grant("user:ben", on: "doc:budget", ["read"])]),
        ])

    @Test("E12: Another rule for the same history: each gained or lost privilege is listed with its subject and object")
    func anotherRule() throws {
        let open = try HistoryWhatIfTests.firm.whatIf(
            HistoryWhatIfTests.firm.changing(class: "doc") { $0.objectACL = ObjectACL.none })
        let everything = Privileges.builtInNames.sorted()
        func difference(_ subject: String, _ object: String, _ before: [String]) -> WhatIf.Difference {
            WhatIf.Difference(subject: subject, object: object, before: before, after: everything)
        }
        #expect(
            open == [
                difference("everyone", "doc:budget", []), difference("everyone", "doc:plan", []),
                difference("user:ann", "doc:budget", []), difference("user:ann", "doc:plan", ["read"]),
                difference("user:ben", "doc:budget", ["read"]), difference("user:ben", "doc:plan", []),
            ])
        #expect(try HistoryWhatIfTests.firm.whatIf(HistoryWhatIfTests.firm).isEmpty)
        let locked = try HistoryWhatIfTests.firm.whatIf(HistoryWhatIfTests.firm.with(preset: .locked))
        #expect(locked.contains { $0.subject == "user:ann" && $0.object == "doc:plan" && $0.lost == ["read"] && $0.gained == [] })
        #expect(!locked.contains { $0.subject == "user:root" })
    }

    @Test(
        "E12: A removed, added or replaced transaction: the differences are listed after each entry that changes them")
    func edits() throws {
        let firm = HistoryWhatIfTests.firm
        let without = firm.leavingOut {
            $0.changes.contains { if case .grant("role:office", _, _, _, _, _) = $0 { true } else { false } }
        }
        let steps = try firm.whatIfStepByStep(without)
        #expect(steps.map(\.entry) == [2])
        #expect(
            steps.first?.differences == [WhatIf.Difference(subject: "user:ann", object: "doc:plan", before: ["read"], after: [])])
        #expect(steps.first?.cause.contains(#""subject":"role:office""#) == true)

        let with = firm.inserting([Transaction("user:root", [.addMember("user:ben", to: "role:office")])], at: 1)
        let joined = try firm.whatIfStepByStep(with)
        #expect(joined.map(\.entry) == [2])
        #expect(
            joined.first?.differences == [WhatIf.Difference(subject: "user:ben", object: "doc:plan", before: [], after: ["read"])])

        let instead = firm.replacing(3, with: Transaction("user:root", [.grant("user:ben", on: "doc:budget", ["read", "update"])]))
        #expect(
            try firm.whatIf(instead) == [
                WhatIf.Difference(subject: "user:ben", object: "doc:budget", before: ["read"], after: ["read", "update"])
            ])
        // Combines an added and a removed transaction. The entry numbers stay correct.
        let both = with.leavingOut { $0.changes.contains { if case .createObject = $0 { true } else { false } } }
        let last = try firm.whatIfStepByStep(both)
        #expect(last.map(\.entry) == [1, 2, 3])
    }

    @Test("E12: What-if on a store and on its history gives the same differences")
    func sameAsTheStore() throws {
        for offset in 0..<20 {
            let seed = TestSettings.firstSeed &+ UInt64(offset)
            var random = RandomHistory(seed: seed)
            var history = History(preset: random.preset)
            for _ in 0..<30 {
                let step = random.next()
                history.append(Transaction(step.caller, step.changes, time: step.time), expecting: nil)
            }
            var draft: [Transaction] = []
            for _ in 0..<3 {
                var step = random.next()
                step.time = random.now
                draft.append(Transaction(step.caller, step.changes))
            }
            let asHistories = try history.whatIf(history.inserting(draft, at: history.entries.count))
            let inStore = try history.withStore { try $0.whatIf(draft) }
            #expect(inStore.differences == asHistories, "seed \(seed)")
        }
    }
}
