internal import Events
internal import Foundation
internal import Muniment
internal import Permissions
public import RandomHistories

/// Expects something of every revision of random histories, and makes the first history that breaks it short.
///
/// ```swift
/// try forAllHistories(after: setup, drawnFrom: vocabulary) { step in
///     try step.expect("anonymous", mayNot: "read", on: "doc:plan")
/// }
/// ```
///
/// Histories are drawn from seeds, so that a failure can be seen again: where no seed is given, the environment variable
/// `MUNIMENT_SEED` can give the first. A seed gives the same history on every machine.
///
/// - Parameters:
///   - count: how many histories, at least 1.
///   - length: how many transactions are drawn for each.
///   - beginning: what every history begins with; nil for a world that is drawn too.
///   - vocabulary: the names that are drawn; nil for a small world with all that a store has. What it names should be there behind
///     `beginning`.
///   - seed: the seed of the first history, those of the others follow it; nil for what `MUNIMENT_SEED` says, or another one in every run.
///   - property: what is to hold at each revision; throws where it does not, as expectations do.
/// - Throws: ``BrokenProperty``.
public func forAllHistories(
    _ count: Int = 100, length: Int = 60, after beginning: History? = nil, drawnFrom vocabulary: Vocabulary? = nil,
    seed: UInt64? = nil, _ property: (HistoryStep) throws -> Void
) throws {
    let given = ProcessInfo.processInfo.environment["MUNIMENT_SEED"].flatMap { UInt64($0) }
    let first = seed ?? given ?? UInt64(UInt32.random(in: 0 ... .max))
    for offset in 0..<UInt64(clamping: max(count, 1)) {
        let drawn = DrawnHistory(seed: first &+ offset, length: length, after: beginning, from: vocabulary)
        guard let (history, failure) = try drawn.failure(of: property) else { continue }
        let shrunk = Shrinking.shrink(history, breaking: failure, property)
        throw BrokenProperty(seed: first &+ offset, drawn: history.entries.count, shrunk)
    }
}

/// One history that a seed decides, drawn while it runs: what was refused is not counted on.
private struct DrawnHistory {
    let seed: UInt64
    let length: Int
    let beginning: History?
    let vocabulary: Vocabulary?

    init(seed: UInt64, length: Int, after beginning: History?, from vocabulary: Vocabulary?) {
        (self.seed, self.length, self.beginning, self.vocabulary) = (seed, length, beginning, vocabulary)
    }

    /// The history up to where it breaks a property, and how; nil where it does not.
    func failure(of property: (HistoryStep) throws -> Void) throws -> (History, any Error)? {
        var random: RandomHistory
        if let beginning, let vocabulary {
            random = RandomHistory(
                seed: seed, vocabulary: vocabulary, preset: beginning.preset, administrator: beginning.administrator,
                behind: beginning.transactions.flatMap(\.changes), at: beginning.end)
        } else {
            random = RandomHistory(seed: seed, vocabulary: vocabulary, preset: beginning?.preset)
        }
        let history =
            beginning ?? History(preset: random.preset, administrator: random.administrator, start: random.start)
        let replay = try Replay(of: history)
        do {
            try replay.runEach(property)
            for _ in 0..<length {
                let step = random.next()
                let transaction = Transaction(step.caller, step.changes, time: step.time)
                try replay.go(on: .transaction(transaction, nil), property)
                if case .refused? = replay.lastOutcome { random.takeBack() }
            }
            return nil
        } catch {
            return (replay.history, error)
        }
    }
}
