import TestSupport
import Testing

@Suite("Observing: random histories compared with a query at every revision", .timeLimit(.minutes(60)))
struct RandomObservationTests {
    @Test("F14: every observer gets exactly the changes while it could read, and the end of its access")
    func everyObserverIsToldRight() async {
        let (first, count) = (TestSettings.firstSeed &+ 9_000_000, max(TestSettings.historyCount / 8, 1))
        var (changes, ends) = (0, 0)
        for seed in first..<first + UInt64(count) {
            do {
                let told = try await withTemporaryFolder { folder in
                    var run = try RandomObservationRun(seed: seed, in: folder)
                    return try await run.run()
                }
                changes += told.changes
                ends += told.ends
            } catch {
                Issue.record("\(error) (MUNIMENT_SEED=\(seed &- 9_000_000))")
            }
        }
        // A few histories can have few changes. Seeds differ from run to run, so this counts all of them.
        if count >= 25 { #expect(changes > 250 && ends > 40, "\(changes) changes and \(ends) ends say little") }
    }
}
