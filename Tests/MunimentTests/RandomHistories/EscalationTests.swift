import TestSupport
import Testing

@Suite("Random histories in which callers try to give what they lack")
struct EscalationTests {
    @Test(
        "E14: entries, permissions, moves and links give nobody a privilege that their writer lacks on the object, and their writer none at all",
        arguments: RandomHistoryTests.portions)
    func noCallerGivesMoreThanTheyHave(seeds: Range<UInt64>) {
        for seed in seeds {
            do {
                try withTemporaryFolder { folder in
                    var run = try EscalationRun(seed: seed, in: folder)
                    try run.run()
                }
            } catch {
                Issue.record("\(error)")
            }
        }
    }
}
