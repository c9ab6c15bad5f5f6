import Events
import Foundation
import Muniment
import Permissions

/// Measures explanations, and compares each with the check that it explains. Both take names.
struct ExplainSuite {
    let store: Store
    let data: GeneratedStore
    let calls: Int

    /// The times of an explanation and of a check with the same questions.
    struct Pair {
        var explanation: Timing
        var check: Timing
    }

    struct Result {
        /// The user has an entry on the object itself.
        var direct: Pair
        /// The highest of five nested roles has an entry on the object's folder.
        var nested: Pair
        /// A random user and a random object: mostly denied.
        var random: Pair
        /// The witness of a nested question, with the events of all its steps.
        var witness: Timing
    }

    private struct Prepared {
        let subject: Name
        let object: Name
        let wanted: [String]
    }

    func run() throws -> Result {
        try store.read { snapshot in
            let nested = prepared(.nested)
            let explanations = try nested.prefix(64).map { try snapshot.explain($0.subject, $0.wanted, on: $0.object) }
            guard explanations.allSatisfy(\.isAllowed) else { throw BenchmarkFailure("an explanation has the wrong answer") }
            return Result(
                direct: try measure(prepared(.direct), snapshot), nested: try measure(nested, snapshot),
                random: try measure(prepared(.random), snapshot),
                witness: try Timing.measure(calls: calls / 100, batch: 1) { call in
                    try snapshot.witness(of: explanations[call % explanations.count]).storeLevel.count
                })
        }
    }

    private func prepared(_ path: Generator.Path) -> [Prepared] {
        data.generator.questions(path, count: calls).map {
            Prepared(subject: Name($0.subject), object: Name($0.object), wanted: privileges(ofRank: $0.rank))
        }
    }

    private func measure(_ questions: [Prepared], _ snapshot: Snapshot) throws -> Pair {
        Pair(
            explanation: try Timing.measure(calls: calls, warmUp: calls) { call in
                let question = questions[call % questions.count]
                let explanation = try snapshot.explain(question.subject, question.wanted, on: question.object)
                // Counting the reasons prevents the compiler from removing their computation.
                return explanation.reasons?.object.sources.count ?? 0
            },
            check: try Timing.measure(calls: calls, warmUp: calls) { call in
                let question = questions[call % questions.count]
                return try snapshot.check(question.subject, question.wanted, on: question.object).isAllowed ? 1 : 0
            })
    }
}

/// Returns the rows about explanations.
func measureExplanations(_ arguments: Arguments) throws -> Table {
    let entries = arguments.isQuick ? 10_000 : 1_000_000
    var table = Table("Explanations vs. checks, \(entries) entries")
    note("explanations")
    let folder = arguments.folder + "/explanations"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let data = try GeneratedStore.make(entries: entries, in: folder)
    let store = try Store.open(at: data.path)
    defer { try? store.close() }
    let result = try ExplainSuite(store: store, data: data, calls: arguments.isQuick ? 20_000 : 200_000).run()
    func row(_ name: String, _ pair: ExplainSuite.Pair) {
        table.add(
            Row(
                name, .nanoseconds(pair.explanation.p50Nanoseconds), raw: .nanoseconds(pair.check.p50Nanoseconds),
                goal: .ratioAtMost(3)))
    }
    row("of a direct entry, p50", result.direct)
    row("through 5 roles and a folder, p50", result.nested)
    row("of a random question, p50", result.random)
    table.add(Row("with the events of all its steps, p50", .nanoseconds(result.witness.p50Nanoseconds)))
    return table
}
