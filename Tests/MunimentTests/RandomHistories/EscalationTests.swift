import TestSupport
import Testing

@Suite("Random histories with callers that try to grant privileges they lack")
struct EscalationTests {
    @Test(
        "E14: entries, permissions, moves and links never grant a privilege that the writer lacks on the object",
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
