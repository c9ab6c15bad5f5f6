import TestSupport
import Testing

@Suite("Random histories against a model that recomputes everything from the log")
struct RandomHistoryTests {
    /// Groups of seeds, so that the test uses all cores.
    static let portions: [Range<UInt64>] = {
        let (first, count, size) = (TestSettings.firstSeed, TestSettings.historyCount, 10)
        return stride(from: 0, to: count, by: size).map { start in
            first + UInt64(start)..<first + UInt64(min(start + size, count))
        }
    }()

    @Test(
        "E4, E5, E9: every answer at every point matches the log, refusals change nothing, and a rebuilt index is the same",
        arguments: portions)
    func everyAnswerIsWhatTheLogMeans(seeds: Range<UInt64>) {
        for seed in seeds {
            do {
                try withTemporaryFolder { folder in
                    var run = try RandomHistoryRun(seed: seed, in: folder)
                    try run.run()
                }
            } catch {
                Issue.record("\(error) (seed \(seed))")
            }
        }
    }
}
