import Events
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Explanations of random histories, compared with a naive model and checked against the log")
struct RandomExplanationTests {
    /// Groups of seeds, so that the test uses all cores.
    static let portions: [Range<UInt64>] = {
        let (first, count, size) = (TestSettings.firstSeed, TestSettings.historyCount, 50)
        return stride(from: 0, to: count, by: size).map { start in
            first + UInt64(start)..<first + UInt64(min(start + size, count))
        }
    }()

    @Test(
        "E11: each explanation equals the check, has every path and follows from the log; each proposal is enough and minimal",
        arguments: portions)
    func everyExplanationHolds(seeds: Range<UInt64>) {
        var tally = RandomExplanationRun.Tally()
        for seed in seeds {
            let history = RandomHistory(seed: seed)
            do {
                try withStore(history.preset, clock: ManualClock(history.start)) { fixture in
                    var run = RandomExplanationRun(seed: seed, fixture, history)
                    try run.run()
                    tally.add(run.tally)
                }
            } catch {
                Issue.record("\(error) (seed \(seed))")
            }
        }
        // A missing case would mean that it was not tested.
        guard seeds.count == 50 else { return }
        #expect(tally.allowed > 50 && tally.denied > 50, "\(tally)")
        #expect(DecidingLevel.allCases.allSatisfy { tally.paths[$0, default: 0] > 50 }, "\(tally)")
        // Most groups have links, but not all. Therefore links are not required here.
        #expect(tally.proposals > 50 && tally.memberships > 0, "\(tally)")
    }
}

extension RandomExplanationRun.Tally {
    mutating func add(_ other: Self) {
        allowed += other.allowed
        denied += other.denied
        paths.merge(other.paths, uniquingKeysWith: +)
        links += other.links
        proposals += other.proposals
        memberships += other.memberships
    }
}
