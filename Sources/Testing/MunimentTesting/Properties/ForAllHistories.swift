internal import Events
internal import Foundation
internal import Muniment
internal import Permissions
public import RandomHistories

/// Checks a property at every revision of random histories, and shrinks the first history that breaks it.
///
/// ```swift
/// try forAllHistories(after: setup, drawnFrom: vocabulary) { step in
///     try step.expect("anonymous", mayNot: "read", on: "doc:plan")
/// }
/// ```
///
/// Histories are generated from seeds, so that a failure can be reproduced. If no seed is passed, the environment variable
/// `MUNIMENT_SEED` can set the first one. A seed gives the same history on every machine.
///
/// - Parameters:
///   - count: the number of histories, at least 1.
///   - length: the number of generated transactions per history.
///   - beginning: the start of every history; nil to generate that too.
///   - vocabulary: the names to use; nil for a small world with all features of a store. Its names should exist after `beginning`.
///   - seed: the seed of the first history; the others follow it. Nil for `MUNIMENT_SEED`, or a different seed in every run.
///   - property: checks a revision; throws if the property does not hold, as expectations do.
/// - Throws: ``PropertyError``.
public func forAllHistories(
    _ count: Int = 100, length: Int = 60, after beginning: History? = nil, drawnFrom vocabulary: Vocabulary? = nil,
    seed: UInt64? = nil, _ property: (HistoryStep) throws -> Void
) throws {
    let given = ProcessInfo.processInfo.environment["MUNIMENT_SEED"].flatMap { UInt64($0) }
    let first = seed ?? given ?? UInt64(UInt32.random(in: 0 ... .max))
    for offset in 0..<UInt64(clamping: max(count, 1)) {
        guard
            let (history, failure) = try firstFailure(
                of: property, seed: first &+ offset, length, after: beginning, from: vocabulary)
        else { continue }
        let shrunk = Shrinking.shrink(history, breaking: failure, property)
        throw PropertyError(seed: first &+ offset, drawn: history.entries.count, shrunk)
    }
}

/// Returns the history of a seed up to the failure of a property, and the failure; nil if the property holds. The history is generated
/// while it runs, so that later transactions do not depend on refused ones.
private func firstFailure(
    of property: (HistoryStep) throws -> Void, seed: UInt64, _ length: Int, after beginning: History?,
    from vocabulary: Vocabulary?
) throws -> (History, any Error)? {
    var random: RandomHistory
    if let beginning, let vocabulary {
        random = RandomHistory(
            seed: seed, vocabulary: vocabulary, preset: beginning.preset, administrator: beginning.administrator,
            after: beginning.transactions.flatMap(\.changes), at: beginning.end)
    } else {
        random = RandomHistory(seed: seed, vocabulary: vocabulary, preset: beginning?.preset)
    }
    let history = beginning ?? History(preset: random.preset, administrator: random.administrator, start: random.start)
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
