internal import Events
internal import Permissions

/// A way to answer a query, which goes on for as many candidates as it is told to.
protocol QueryPlan: AnyObject {
    /// Looks at some candidates; answers whether the plan has found all that it has to.
    func advance(by count: Int) throws -> Bool
    /// The matches in order, at most one more than the page has. Valid once the plan has found all.
    func matches() -> [QueryMatch]
    func close()
}

/// What all plans of one answer share.
struct QueryTask {
    let matcher: QueryMatcher
    let order: MatchOrder
    /// One more than the page has, which tells whether there are more; nil for no limit.
    let wanted: Int?
    /// Only what comes behind this.
    let start: QueryMatch?

    func isBehindStart(_ match: QueryMatch) -> Bool { start.map { order.isBefore($0, match) } ?? true }
}

/// Goes through candidates that come in the order that the query asks for, until the page is full.
final class OrderedPlan: QueryPlan {
    private let task: QueryTask
    private let source: any CandidateSource
    private let slot: UInt16?
    /// Whether objects with the same first property have to be put in order among themselves.
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
            guard let match = try task.matcher.match(candidate, by: slot), task.isBehindStart(match) else { continue }
            if hasGroups { group.append(match) } else { found.append(match) }
            if isFull { return true }
        }
        return false
    }

    /// How many candidates it takes to fill the page if it goes on as it has begun; nil where that cannot be told yet.
    func expectedRest(after examined: Int) -> Int? {
        let count = found.count + group.count
        guard let wanted = task.wanted, count * 10 >= wanted else { return nil }
        return examined * (wanted - count) / count
    }

    private var isFull: Bool { task.wanted.map { found.count >= $0 } ?? false }

    private func endGroup() {
        found += group.sorted(by: task.order.isBefore)
        group = []
    }

    func matches() -> [QueryMatch] { found }
    func close() { source.close() }
}

/// Goes through all candidates that a source has, and puts what it has found in order.
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
            // What led to it is not told: sources of several properties can be joined.
            if let match = try task.matcher.match(candidate, by: nil), task.isBehindStart(match) { found.append(match) }
        }
        return false
    }

    func matches() -> [QueryMatch] { found.sorted(by: task.order.isBefore) }
    func close() { source.close() }
}

/// Several plans for the same answer, of which the first to be done counts.
///
/// Which one is fast depends on how many objects satisfy the condition, how many the caller has, and how the two fall together:
/// nobody knows that beforehand. So they take turns, each time with twice as many candidates: together they look at no more
/// than a small multiple of what the best of them alone would.
struct QueryRace {
    /// Candidates that each plan looks at in the first turn.
    private static let firstTurn = 256
    /// Candidates that the ordered plan looks at before any other has its turn, at most.
    private static let headStart = 4096

    /// - Returns: the matches in order, and whether they are all there are behind the start.
    static func run(
        _ ordered: OrderedPlan, pageSize: Int?, against collecting: [CollectingPlan]
    ) throws -> (matches: [QueryMatch], isEverything: Bool) {
        let headStart = min(headStart, max(1024, (pageSize ?? headStart) * 16))
        if try ordered.advance(by: headStart) { return (ordered.matches(), false) }
        var examined = headStart
        var turn = firstTurn
        while true {
            // An ordered plan that has come far is let finish, unless it takes longer than it looks. Not for a large page: another
            // plan finds what comes behind it as well.
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
