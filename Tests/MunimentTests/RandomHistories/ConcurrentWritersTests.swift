import Dispatch
import Events
import Muniment
import Permissions
import StoreSupport
import Synchronization
import TestSupport
import Testing

@Suite("Concurrent writers and readers")
struct ConcurrentWritersTests {
    /// The answers that readers got during the run. They are compared with the log afterwards.
    private struct Told: Sendable {
        let question: Question
        let point: Point
        let answer: Answer
    }

    @Test(
        "E2, E3, E4, E5: many writers produce one history, and concurrent readers get answers that match it",
        arguments: UInt64(0)..<6)
    func oneHistory(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 7_000_000 &+ number
        try withStore(.open) { (fixture) throws in
            let (store, clock) = (fixture.store, fixture.clock)
            let told = Mutex<[Told]>([])
            let troubles = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { worker in
                var history = RandomHistory(seed: seed &+ UInt64(worker))
                for step in 0..<60 {
                    do {
                        if worker < 6 {
                            try write(history.next(), to: store, &history)
                        } else {
                            let head = try store.head.revision
                            let question = history.question()
                            let drawn = history.point(upTo: head)
                            let point = drawn == .head ? .revision(head) : drawn
                            let answer = try store.answer(question, at: point)
                            told.withLock { $0.append(Told(question: question, point: point, answer: answer)) }
                        }
                        if worker == 0, step % 10 == 9 { clock.advance(seconds: 86_400) }
                    } catch {
                        troubles.withLock { $0.append("\(error)") }
                    }
                }
            }
            #expect(troubles.withLock { $0 } == [], "seed \(seed)")
            let model = try NaiveModel(fixture.commits())
            #expect(try model.head == fixture.head)
            // A later commit could still belong to a point in time. A revision cannot change.
            for told in told.withLock({ $0 }) where told.point.isSettled {
                #expect(told.answer == model.view(told.point, now: clock.now).answer(told.question), "seed \(seed): \(told)")
            }
            var history = RandomHistory(seed: seed)
            for _ in 0..<100 {
                let (question, point) = (history.question(), history.point(upTo: model.head))
                let expected = model.view(point, now: clock.now).answer(question)
                #expect(try store.answer(question, at: point) == expected, "seed \(seed): \(question) at \(point)")
            }
            try fixture.whileClosed {
                let report = try Store.verify(at: fixture.path)
                #expect(report.problems == [], "seed \(seed)")
                #expect(report.commits == model.head.rawValue)
            }
        }
    }

    /// Commits a transaction at the current time instead of the history's time, because other writers use the same clock.
    private func write(_ step: RandomHistory.Step, to store: Store, _ history: inout RandomHistory) throws {
        do {
            let receipt = try store.commit(Transaction(step.caller, step.changes))
            #expect(try receipt.revision == nil || receipt.head <= store.head.revision)
        } catch is Refusal {
            history.takeBack()
        }
    }
}

extension Point {
    /// Returns whether later commits cannot change the meaning of this point.
    fileprivate var isSettled: Bool {
        switch self {
        case .head: false
        case .revision: true
        case .moment(let instant): instant < .newYear
        }
    }
}
