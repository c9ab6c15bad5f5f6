internal import Events
internal import Permissions

/// A plan for answering a query, which can be advanced step by step.
protocol QueryPlan: AnyObject {
    /// Examines some candidates; returns whether the plan is complete.
    func advance(by count: Int) throws -> Bool
    /// Returns the matches in order, at most one more than the page size. Valid after the plan is complete.
    func matches() -> [QueryMatch]
    func close()
}

/// The data that all plans of one answer share.
struct QueryTask {
    let matcher: QueryMatcher
    let order: MatchOrder
    /// One more than the page size, to detect a further page; nil for no limit.
    let wanted: Int?
    /// Only matches after this one are returned.
    let start: QueryMatch?

    func isAfterStart(_ match: QueryMatch) -> Bool { start.map { order.isBefore($0, match) } ?? true }
}

/// Examines candidates in the order of the query, until the page is full.
final class OrderedPlan: QueryPlan {
    private let task: QueryTask
    private let source: any CandidateSource
    private let slot: UInt16?
    /// Whether objects with the same first property must be sorted among themselves.
    private let hasGroups: Bool
    private var found: [QueryMatch] = []
    private var group: [QueryMatch] = []

    init(_ task: QueryTask, _ source: any CandidateSource, by slot: UInt16?, hasGroups: Bool) {
        self.task = task
        self.source = source
        self.slot = slot
        self.hasGroups = hasGroups
    }

    func advance(by count: Int) throws -> Bool {
        for _ in 0..<count {
            guard let candidate = try source.next() else {
                endGroup()
                return true
            }
            if hasGroups, let last = group.first, last.keys.first != candidate.key { endGroup() }
            if isFull { return true }
            guard let match = try task.matcher.match(candidate, by: slot), task.isAfterStart(match) else { continue }
            if hasGroups { group.append(match) } else { found.append(match) }
            if isFull { return true }
        }
        return false
    }

    /// Returns the expected number of candidates until the page is full, from the results so far; nil if it cannot be estimated
    /// yet.
    func expectedRest(after examined: Int) -> Int? {
        let count = found.count + group.count
        guard let wanted = task.wanted, count * 10 >= wanted else { return nil }
        // A group can have more matches than the page: then only its end is missing.
        return examined * max(0, wanted - count) / count
    }

    private var isFull: Bool { task.wanted.map { found.count >= $0 } ?? false }

    private func endGroup() {
        found += group.sorted(by: task.order.isBefore)
        group = []
    }

    func matches() -> [QueryMatch] { found }
    func close() { source.close() }
}

/// Examines all candidates of a source, and sorts the matches.
final class CollectingPlan: QueryPlan {
    private let task: QueryTask
    private let source: any CandidateSource
    private var found: [QueryMatch] = []

    init(_ task: QueryTask, _ source: any CandidateSource) {
        self.task = task
        self.source = source
    }

    func advance(by count: Int) throws -> Bool {
        for _ in 0..<count {
            guard let candidate = try source.next() else { return true }
            // The property of the candidate is unknown here, since sources of several properties can be joined.
            if let match = try task.matcher.match(candidate, by: nil), task.isAfterStart(match) { found.append(match) }
        }
        return false
    }

    func matches() -> [QueryMatch] { found.sorted(by: task.order.isBefore) }
    func close() { source.close() }
}

/// Several plans for the same answer; the first one to complete is used.
///
/// The fastest plan depends on the number of objects that satisfy the condition, the number that the caller can access, and their
/// overlap. None of these is known beforehand. So the plans take turns, each time with twice as many candidates. Together they
/// examine at most a small multiple of the candidates of the best plan.
struct QueryRace {
    /// Candidates of each plan in the first turn.
    private static let firstTurn = 256
    /// The maximum number of candidates of the ordered plan before the first turn of another plan.
    private static let headStart = 4096

    /// - Returns: the matches in order, and whether they are all matches after the start.
    static func run(
        _ ordered: OrderedPlan, pageSize: Int?, against collecting: [CollectingPlan]
    ) throws -> (matches: [QueryMatch], isEverything: Bool) {
        let headStart = min(headStart, max(1024, (pageSize ?? headStart) * 16))
        if try ordered.advance(by: headStart) { return (ordered.matches(), false) }
        var examined = headStart
        var turn = firstTurn
        while true {
            // An ordered plan that is almost complete may finish, unless it takes longer than expected. This does not apply to a
            // large page: another plan also finds the results after it.
            if pageSize ?? .max <= Self.headStart, let rest = ordered.expectedRest(after: examined), rest <= 2 * examined {
                if try ordered.advance(by: 2 * rest + 1) { return (ordered.matches(), false) }
                examined += 2 * rest + 1
            }
            for plan in collecting where try plan.advance(by: turn) { return (plan.matches(), true) }
            if try ordered.advance(by: turn) { return (ordered.matches(), false) }
            examined += turn
            turn *= 2
        }
    }
}
