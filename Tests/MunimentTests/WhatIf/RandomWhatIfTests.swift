import Events
import Foundation
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("What-if compared with a model that checks every principal on every object")
struct RandomWhatIfTests {
    /// Uses a quarter of the histories, because the comparison of all principals with all objects is slow.
    static let portions = RandomHistoryTests.portions.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)

    @Test(
        "E12: The predicted changes of what-if equal the actual changes, and what-if writes nothing",
        arguments: portions)
    func everyDifference(seeds: Range<UInt64>) {
        for seed in seeds {
            do {
                try withTemporaryFolder { folder in
                    var run = try WhatIfRun(seed: seed, in: folder)
                    try run.run()
                }
            } catch {
                Issue.record("\(error) (seed \(seed))")
            }
        }
    }
}

/// A random history. Every few steps are tried with what-if first.
private struct WhatIfRun {
    private let path: String
    private let clock = ManualClock()
    private var history: RandomHistory
    private let store: Store
    private var model = NaiveModel()
    private var knownHead: Revision?

    private static let drafts = 12

    init(seed: UInt64, in folder: String) throws {
        history = RandomHistory(seed: seed)
        path = folder + "/store"
        clock.now = history.start
        store = try Store.create(
            at: path, preset: history.preset, administrator: history.administrator,
            options: StoreOptions(clock: { [clock] in clock.now }, expiryRecording: .withCommits))
        try followLog()
    }

    mutating func run() throws {
        defer { try? store.close() }
        // The first steps create some data.
        for _ in 0..<20 { _ = try? store.commit(Transaction(history.next(), at: clock)) }
        try followLog()
        for number in 0..<WhatIfRun.drafts { try tryAndMake(steps: [1, 1, 2, 4][number % 4]) }
    }

    private mutating func tryAndMake(steps count: Int) throws {
        let steps = (0..<count).map { _ in history.next() }
        clock.now = steps[0].time
        // The later steps have explicit times, like a draft with times.
        let transactions = steps.map { Transaction($0.caller, $0.changes, time: $0.time) }
        let files = try contents()
        let answer = try store.whatIf(transactions)
        guard try contents() == files else { throw Disagreement(what: "the files of the store are others after a what-if") }

        var refusals: [Refusal?] = []
        let before = model.view(.head, now: answer.instant)
        for transaction in transactions {
            do {
                _ = try store.commit(transaction)
                refusals.append(nil)
            } catch let refusal as Refusal {
                refusals.append(refusal)
            }
        }
        if refusals.contains(where: { $0 != nil }) { history.takeBack() }
        try followLog()
        clock.now = max(clock.now, answer.instant)
        let after = model.view(.head, now: answer.instant)
        guard answer.refusals == refusals else {
            throw Disagreement(what: "what-if refuses \(answer.refusals), the store \(refusals), of \(transactions)")
        }
        let expected = WhatIfRun.differences(before, after)
        guard answer.differences == expected, answer.isComplete else {
            let missing = expected.filter { !answer.differences.contains($0) }
            let extra = answer.differences.filter { !expected.contains($0) }
            throw Disagreement(what: "at \(model.head) of \(transactions.map(\.changes)): missing \(missing), too many \(extra)")
        }
    }

    private static func differences(_ before: NaiveView, _ after: NaiveView) -> [WhatIf.Difference] {
        let (subjects, objects) = (Set(before.everybody + after.everybody), Set(before.everything + after.everything))
        let (old, new) = (before.table(of: subjects, on: objects), after.table(of: subjects, on: objects))
        var found: [WhatIf.Difference] = []
        for subject in subjects.sorted() {
            for object in objects.sorted() {
                let (had, has) = (old[subject]?[object] ?? [], new[subject]?[object] ?? [])
                guard had != has else { continue }
                found.append(WhatIf.Difference(subject: subject.text, object: object.text, before: had, after: has))
            }
        }
        return found
    }

    private mutating func followLog() throws {
        let head = try store.head.revision
        let first = knownHead?.next ?? .genesis
        if first <= head {
            var commits: [Commit] = []
            try store.log(from: first, to: head) { commits.append($0.commit) }
            for commit in commits { try model.append(commit) }
        }
        knownHead = head
    }

    /// Returns every file except LMDB's reader tables, which change with each reader.
    private func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for case let file as String in FileManager.default.enumerator(atPath: path) ?? .init() where !file.hasSuffix("lock.mdb") {
            contents[file] = FileManager.default.contents(atPath: path + "/" + file)
        }
        return contents
    }
}

extension Transaction {
    fileprivate init(_ step: RandomHistory.Step, at clock: ManualClock) {
        clock.now = step.time
        self.init(step.caller, step.changes)
    }
}

/// A difference between what-if and the store.
private struct Disagreement: Error, CustomStringConvertible {
    let what: String

    var description: String { what }
}
