import Events
import Foundation
import Muniment
import Permissions
import StoreSupport
import TestSupport

/// A random history in a real store, together with the naive model.
struct RandomHistoryRun {
    /// A difference, with everything needed to reproduce it.
    struct Disagreement: Error, CustomStringConvertible {
        let seed: UInt64
        let step: Int
        let what: String

        var description: String { "MUNIMENT_SEED=\(seed) MUNIMENT_HISTORIES=1, step \(step): \(what)" }
    }

    private let path: String
    private let clock = ManualClock()
    private var history: RandomHistory
    private var store: Store
    private var model = NaiveModel()
    private var knownHead: Revision?
    private var step = 0
    /// The answers of the store during the history. The same queries are run again later.
    private var answered: [(question: Question, point: Point, answer: Answer)] = []

    private static let steps = 120
    /// The number of transactions that an import writes to disk together.
    private var imported: Int

    init(seed: UInt64, in folder: String) throws {
        history = RandomHistory(seed: seed)
        path = folder + "/store"
        // One history of four uses the importer for some parts.
        imported = seed % 4 == 3 ? Int(seed / 4 % 7) + 2 : 0
        clock.now = history.start
        store = try Store.create(
            at: path, preset: history.preset, administrator: history.administrator, options: RandomHistoryRun.options(clock))
        try followLog()
    }

    private static func options(_ clock: ManualClock) -> StoreOptions {
        StoreOptions(clock: { clock.now }, expiryRecording: .withCommits)
    }

    mutating func run() throws {
        defer { try? store.close() }
        while step < Self.steps {
            if imported > 0, step / 10 % 2 == 1 { try importStretch() } else { try commitStep() }
            try ask(3)
        }
        try ask(40)
        try reopen { _ in }
        try askAgain("after opening it again")
        try reopen { path in try FileManager.default.removeItem(atPath: path + "/index") }
        try askAgain("after folding the index again")
        try ask(10)
        try store.close()
        try verify()
    }
}

// MARK: Steps

extension RandomHistoryRun {
    private mutating func commitStep() throws {
        let next = history.next()
        step += 1
        clock.now = next.time
        let before = try store.head.revision
        do {
            let receipt = try store.commit(Transaction(next.caller, next.changes))
            try followLog()
            guard receipt.head == model.head, receipt.revision == nil || receipt.revision == receipt.head else {
                throw disagreement("the receipt \(receipt) does not fit the log, which ends with \(model.head)")
            }
        } catch let refusal as Refusal {
            history.takeBack()
            try followLog()
            try checkUnchanged(since: before, next.caller, refusal)
        }
    }

    /// Imports a few transactions with the callers' own rights, written to disk together.
    private mutating func importStretch() throws {
        let importer = try store.importer()
        for _ in 0..<imported {
            let next = history.next()
            step += 1
            clock.now = next.time
            do { try importer.add(Transaction(next.caller, next.changes)) } catch is Refusal { history.takeBack() }
        }
        try importer.finish()
        try followLog()
    }

    /// Applies the new commits of the log to the model.
    private mutating func followLog() throws {
        let first = knownHead?.next ?? .genesis
        let head = try store.head.revision
        if first <= head {
            var commits: [Commit] = []
            try store.log(from: first, to: head) { commits.append($0.commit) }
            for commit in commits { try model.append(commit) }
        }
        knownHead = head
        guard model.head == head else { throw disagreement("the log has \(model.head) of \(head) revisions") }
    }

    /// A refused transaction may leave only two things: due expiries, and the first connection of the caller.
    private func checkUnchanged(since before: Revision, _ caller: Name, _ refusal: Refusal) throws {
        try store.log(from: before.next, to: model.head) { described in
            for event in described.commit.events {
                switch event {
                case .accessExpired where described.commit.actor == .system: continue
                case .principalRegistered(let principal) where try described.name(principal.id) == caller.text: continue
                default: throw disagreement("a transaction was refused (\(refusal)) and yet left \(event)")
                }
            }
        }
    }
}

// MARK: Queries

extension RandomHistoryRun {
    private mutating func ask(_ count: Int) throws {
        for _ in 0..<count {
            let question = history.question()
            let point = history.point(upTo: model.head)
            let answer = try store.answer(question, at: point)
            try compare(answer, question, point, "")
            // The head advances. Later queries name its revision and time.
            let fixed: Point = point == .head ? .moment(clock.now) : point
            if point != .head || clock.now >= model.time(of: model.head) { answered.append((question, fixed, answer)) }
        }
    }

    private func compare(_ answer: Answer, _ question: Question, _ point: Point, _ when: String) throws {
        let expected = model.view(point, now: clock.now).answer(question)
        guard answer == expected else {
            throw disagreement("\(when) \(question) at \(point): the store says \(answer), the log means \(expected)")
        }
    }

    /// Runs the last queries again, each at the same point in time.
    private mutating func askAgain(_ when: String) throws {
        for (question, point, _) in answered.suffix(60) {
            try compare(try store.answer(question, at: point), question, point, when)
        }
    }

    private mutating func reopen(_ meanwhile: (String) throws -> Void) throws {
        let head = try store.head
        try store.close()
        try meanwhile(path)
        store = try Store.open(at: path, .writing, options: RandomHistoryRun.options(clock))
        guard try store.head == head else { throw disagreement("the store ended with \(head) and opens with \(try store.head)") }
    }

    /// Checks the hash chain, and every row of the index against a rebuild in one batch.
    private func verify() throws {
        let report = try Store.verify(at: path)
        guard report.isSound, report.head?.revision == model.head, report.commits == model.head.rawValue else {
            throw disagreement("verify finds \(report)")
        }
    }

    private func disagreement(_ what: String) -> Disagreement { Disagreement(seed: history.seed, step: step, what: what) }
}
