internal import Events
internal import Muniment
internal import Permissions

extension History {
    /// Shrinks a failing history: removes entries, changes, privileges and names that are not needed for the failure.
    ///
    /// The result is deterministic. The outcomes of the remaining transactions may change if the failure is the same: an
    /// expectation of the same kind, or an error of the same type.
    ///
    /// - Parameters:
    ///   - replays: the maximum number of replays, at least 1.
    ///   - property: the property that fails at some revision.
    /// - Returns: the shrunk history; nil if the history does not fail.
    /// - Throws: the errors of the store.
    public func shrunk(replays: Int = 2000, breaking property: (HistoryStep) throws -> Void) throws -> ShrunkHistory? {
        do {
            try replay(property)
            return nil
        } catch {
            return Shrinking.shrink(self, breaking: error, replays: replays, property)
        }
    }
}

/// Shrinks a history with Zeller and Hildebrandt's delta debugging: first whole entries, then their parts.
struct Shrinking {
    private let property: (HistoryStep) throws -> Void
    private let kind: FailureKind
    private let limit: Int
    private var replays = 0
    /// The shortest failing history so far.
    private var best: History
    private var failure: any Error
    private var outcomes: [Int: History.Outcome] = [:]

    /// Shrinks a failing history.
    static func shrink(
        _ history: History, breaking failure: any Error, replays: Int = 2000, _ property: (HistoryStep) throws -> Void
    ) -> ShrunkHistory {
        withoutActuallyEscaping(property) { property in
            var shrinking = Shrinking(of: history, breaking: failure, replays: replays, property)
            return shrinking.run()
        }
    }

    private init(
        of history: History, breaking failure: any Error, replays limit: Int,
        _ property: @escaping (HistoryStep) throws -> Void
    ) {
        (self.property, self.failure, self.limit) = (property, failure, limit)
        kind = FailureKind(failure)
        // The outcomes of the transactions may change if the failure is the same.
        best = kind == .outcome ? history : history.expectingAnything
    }

    private mutating func run() -> ShrunkHistory {
        _ = accept(best)
        var count: Int
        repeat {
            count = best.size
            leaveOutEntries()
            leaveOutChanges()
            simplifyChanges()
            mergeNames()
        } while best.size < count && replays < limit
        return ShrunkHistory(history: best, failure: failure, scenario: scenario, replays: replays)
    }

    /// Replaces the best history with another one if that fails in the same way.
    private mutating func accept(_ history: History) -> Bool {
        guard replays < limit else { return false }
        replays += 1
        let replay: Replay
        do { replay = try Replay(of: history) } catch { return false }
        do {
            try replay.runEach(property)
            return false
        } catch {
            guard FailureKind(error) == kind else { return false }
            best = history
            failure = error
            outcomes = replay.outcomes
            // Entries after the failure are not needed.
            best.entries.removeSubrange((replay.entry + 1)...)
            return true
        }
    }

    // MARK: Entries and changes

    private mutating func leaveOutEntries() {
        leaveOut {
            $0.entries.count
        } without: { history, range in
            history.entries.removeSubrange(range)
        }
    }

    private mutating func leaveOutChanges() {
        var index = 0
        while index < best.entries.count {
            let place = index
            if best.entries[place].changes.count > 1 {
                leaveOut {
                    $0.entries.indices.contains(place) ? $0.entries[place].changes.count : 0
                } without: { history, range in
                    history.entries[place].changes.removeSubrange(range)
                }
            }
            index += 1
        }
    }

    /// Removes pieces while the history still fails without them, large pieces first.
    private mutating func leaveOut(
        _ count: (History) -> Int, without remove: (inout History, Range<Int>) -> Void
    ) {
        var piece = max(count(best) / 2, 1)
        while true {
            // From the end, because later entries depend on earlier ones.
            var end = count(best)
            while end > 0 {
                let start = max(end - piece, 0)
                var candidate = best
                remove(&candidate, start..<end)
                _ = accept(candidate)
                end = min(start, count(best))
            }
            if piece == 1 { return }
            piece = max(piece / 2, 1)
        }
    }

    // MARK: Within changes

    private mutating func simplifyChanges() {
        var index = 0
        while index < best.entries.count {
            var change = 0
            while index < best.entries.count, change < best.entries[index].changes.count {
                while simplify(index, change) {}
                change += 1
            }
            if index < best.entries.count { leaveOutTime(index) }
            index += 1
        }
    }

    /// Replaces a change with a simpler one if the history still fails. Returns whether it did.
    private mutating func simplify(_ index: Int, _ change: Int) -> Bool {
        guard index < best.entries.count, change < best.entries[index].changes.count else { return false }
        for simpler in best.entries[index].changes[change].simpler {
            var candidate = best
            candidate.entries[index].changes[change] = simpler
            if accept(candidate) { return true }
        }
        return false
    }

    private mutating func leaveOutTime(_ index: Int) {
        guard case .transaction(let transaction, _) = best.entries[index].event, transaction.time != nil else { return }
        var candidate = best
        candidate.entries[index].changeTransaction { $0.time = nil }
        _ = accept(candidate)
    }

    // MARK: Names

    /// Replaces one user, role or object with another, so that few remain.
    private mutating func mergeNames() {
        for name in best.names.reversed() {
            for other in best.names where other < name && other.className == name.className {
                if accept(best.renaming(name, to: other)) { break }
            }
        }
    }
}

extension Shrinking {
    /// The scenario file, which also fails under `muniment scenario`.
    private var scenario: String {
        let unmet = failure as? ExpectationError
        var lines = best.scenarioLines(
            note: unmet.map { "expected: \($0.expected)" } ?? "breaks a property: \(failure)", outcomes: outcomes)
        if let question = unmet?.question { lines.append(question) }
        return lines.map { $0 + "\n" }.joined()
    }
}

/// The kind of a failure.
private enum FailureKind: Equatable {
    /// A transaction had an unexpected outcome.
    case outcome
    /// An expectation of this kind was not met.
    case expectation(String)
    /// An error of another type was thrown.
    case error(ObjectIdentifier)

    init(_ error: any Error) {
        guard let unmet = error as? ExpectationError else {
            self = .error(ObjectIdentifier(type(of: error)))
            return
        }
        self = unmet.isOutcome ? .outcome : .expectation(unmet.kind)
    }
}
