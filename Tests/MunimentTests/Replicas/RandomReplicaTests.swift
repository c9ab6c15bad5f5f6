import StoreSupport
import TestSupport
import Testing

@Suite("Random histories: the replicas of users")
struct RandomReplicaTests {
    /// Groups of seeds, so that the test uses all cores.
    static let portions: [Range<UInt64>] = {
        let (first, count, size) = (TestSettings.firstSeed, TestSettings.noticeHistoryCount, 10)
        return stride(from: 0, to: count, by: size).map { start in
            first + UInt64(start)..<first + UInt64(min(start + size, count))
        }
    }()

    @Test(
        "R17, E15: a replica equals the model at the end of every step, and receives nothing that its user may not read now",
        arguments: portions)
    func everyStep(seeds: Range<UInt64>) {
        var (steps, objects) = (0, 0)
        for seed in seeds {
            do {
                let history = RandomHistory(seed: seed)
                try withStore(history.preset, clock: ManualClock(history.start)) { (fixture) throws in
                    var run = RandomReplicaRun(history, in: fixture)
                    try run.run(steps: 110)
                    (steps, objects) = (steps + run.steps, objects + run.sentObjects)
                }
            } catch {
                Issue.record("\(error) (seed \(seed))")
            }
        }
        #expect(steps > 8 && objects > 0)
    }
}
