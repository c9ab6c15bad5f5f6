import TestSupport
import Testing

@Suite("Observing: random histories compared with a query at every revision", .timeLimit(.minutes(60)))
struct RandomObservationTests {
    static let portions: [Range<UInt64>] = {
        let (first, count, size) = (TestSettings.firstSeed &+ 9_000_000, max(TestSettings.historyCount / 8, 1), 5)
        return stride(from: 0, to: count, by: size).map { start in
            first + UInt64(start)..<first + UInt64(min(start + size, count))
        }
    }()

    @Test("F14: every observer gets exactly the changes while it could read, and the end of its access", arguments: portions)
    func everyObserverIsToldRight(seeds: Range<UInt64>) async {
        var (changes, ends) = (0, 0)
        for seed in seeds {
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
        // A single history can have few changes.
        if seeds.count == 5 { #expect(changes > 50 && ends > 10, "\(changes) changes and \(ends) ends say little") }
    }
}
