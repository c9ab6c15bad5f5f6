import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Random histories: the notices of subscribers")
struct RandomNoticeTests {
    /// Groups of seeds, so that the test uses all cores.
    static let portions: [Range<UInt64>] = {
        let (first, count, size) = (TestSettings.firstSeed, TestSettings.noticeHistoryCount, 10)
        return stride(from: 0, to: count, by: size).map { start in
            first + UInt64(start)..<first + UInt64(min(start + size, count))
        }
    }()

    private func forEach(_ seeds: Range<UInt64>, steps: Int, _ body: (inout RandomNoticeRun) throws -> Void) {
        for seed in seeds {
            do {
                let history = RandomHistory(seed: seed)
                try withStore(history.preset, clock: ManualClock(history.start)) { (fixture) throws in
                    var run = RandomNoticeRun(history, in: fixture)
                    try run.write(steps: steps)
                    try body(&run)
                }
            } catch {
                Issue.record("\(error) (seed \(seed))")
            }
        }
    }

    @Test(
        "E6, E13, F9, F10, F11, F12, F13: at every revision, applied notices equal the access found by a check of every object",
        arguments: portions)
    func everyNotice(seeds: Range<UInt64>) {
        forEach(seeds, steps: 70) { run in try run.check() }
    }

    @Test("E6: a subscriber that resumes after any revision gets exactly the remaining notices", arguments: portions.prefix(3))
    func everyResumption(seeds: Range<UInt64>) {
        forEach(seeds, steps: 45) { run in try run.checkResuming() }
    }

    @Test("E4, E6: a rebuilt index gives the same notices", arguments: portions.prefix(2))
    func foldedAfresh(seeds: Range<UInt64>) {
        forEach(seeds, steps: 70) { run in
            try run.fixture.reopenWithoutIndex()
            try run.check()
        }
    }
}
