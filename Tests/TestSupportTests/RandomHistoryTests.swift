import Events
import Permissions
import TestSupport
import Testing

@Suite("Random histories")
struct RandomHistoryTests {
    @Test("A seed determines the history and the questions, and another seed gives different ones")
    func seedsDecide() {
        func drawn(_ seed: UInt64) -> (steps: [RandomHistory.Step], questions: [Question], points: [Point]) {
            var history = RandomHistory(seed: seed)
            var drawn: (steps: [RandomHistory.Step], questions: [Question], points: [Point]) = ([], [], [])
            for _ in 0..<150 {
                drawn.steps.append(history.next())
                drawn.questions.append(history.question())
                drawn.points.append(history.point(upTo: Revision(9)))
            }
            return drawn
        }
        #expect(drawn(1).steps == drawn(1).steps)
        #expect(drawn(1).questions == drawn(1).questions)
        #expect(drawn(1).points == drawn(1).points)
        #expect(drawn(1).steps != drawn(2).steps)
    }

    @Test("Time never goes back, and often stays the same")
    func timeGoesForward() {
        var history = RandomHistory(seed: 3)
        var last = history.start
        var standstills = 0
        for _ in 0..<500 {
            let step = history.next()
            #expect(step.time >= last)
            if step.time == last { standstills += 1 }
            last = step.time
        }
        #expect(last > history.start)
        #expect(standstills > 250)
    }

    @Test("Every kind of change and question occurs")
    func everyKindComesUp() {
        var changes: Set<String> = []
        var questions: Set<String> = []
        for seed in UInt64(0)..<10 {
            var history = RandomHistory(seed: seed)
            for _ in 0..<200 {
                for change in history.next().changes { changes.insert(caseName(change)) }
                questions.insert(caseName(history.question()))
            }
        }
        #expect(changes.count == 21)
        #expect(questions.count == 8)
    }

    private func caseName<Value>(_ value: Value) -> String { String("\(value)".prefix { $0 != "(" }) }

    @Test("The random numbers are those of SplitMix64 on every platform")
    func generatorIsStable() {
        var random = SplitMix64(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in random.next() } == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }
}
