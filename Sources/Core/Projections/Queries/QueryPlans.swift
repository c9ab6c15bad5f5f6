internal import Events
internal import Permissions

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
final class OrderedPlan {
    private let task: QueryTask
    private let source: any CandidateSource
    /// The source, if it has the order of a property.
    private let property: PropertySource?
    /// Whether objects with the same first property must be sorted among themselves.
    private let hasGroups: Bool
    private var found: [QueryMatch] = []
    private var group: [QueryMatch] = []

    init(_ task: QueryTask, _ source: any CandidateSource, hasGroups: Bool) {
        self.task = task
        self.source = source
        property = source as? PropertySource
        self.hasGroups = hasGroups
    }

    /// Examines some candidates; returns whether the plan is complete.
    func advance(by count: Int) throws -> Bool {
        for _ in 0..<count {
            guard let object = try source.next() else {
                endGroup()
                return true
            }
            if hasGroups, let last = group.first, last.keys.first != property?.key { endGroup() }
            if isFull { return true }
            guard let match = try task.matcher.match(object, from: property), task.isAfterStart(match) else { continue }
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

    /// The matches in order, at most one more than the page size. Valid after the plan is complete.
    var matches: [QueryMatch] { found }

    func close() { source.close() }
}

/// Examines all candidates of a source, and sorts the matches.
final class CollectingPlan {
    private let task: QueryTask
    private let source: any CandidateSource
    private var candidates: [ObjectID] = []
    private var isComplete = false

    init(_ task: QueryTask, _ source: any CandidateSource) {
        self.task = task
        self.source = source
    }

    /// Returns the number of candidates if it is at most `limit`, otherwise nil. Reads no candidate twice, and examines none.
    func count(upTo limit: Int) throws -> Int? {
        while !isComplete, candidates.count <= limit {
            if let object = try source.next() { candidates.append(object) } else { isComplete = true }
        }
        return candidates.count <= limit ? candidates.count : nil
    }

    /// Examines the counted candidates; returns the matches in order.
    func matches() throws -> [QueryMatch] {
        // In the order of the rows that the verdicts read.
        candidates.sort()
        return try candidates.compactMap { object in
            guard let match = try task.matcher.match(object, from: nil), task.isAfterStart(match) else { return nil }
            return match
        }.sorted(by: task.order.isBefore)
    }

    func close() { source.close() }
}

/// Chooses between the plans for an answer.
///
/// The best plan depends on the number of objects that satisfy the condition, the number that the caller can access, and their overlap.
/// The ordered plan begins. The share of matches among its first candidates tells how many it still needs. A collecting plan
/// replaces it if it has fewer candidates. To count candidates is much cheaper than to examine them, and the count stops at the
/// number that would be too many.
struct QueryPlanner {
    /// The maximum number of candidates of the ordered plan before candidates are counted.
    private static let headStart = 4096

    /// - Returns: the matches in order, and whether they are all matches after the start.
    static func run(
        _ ordered: OrderedPlan, pageSize: Int?, or collecting: [CollectingPlan]
    ) throws -> (matches: [QueryMatch], isEverything: Bool) {
        var turn = min(headStart, max(1024, (pageSize ?? headStart) * 16))
        var examined = 0
        while true {
            if try ordered.advance(by: turn) { return (ordered.matches, false) }
            examined += turn
            // Together, the plans count at most four times as many candidates as were examined.
            var limit = 4 * examined / max(1, collecting.count)
            // For a large page, a collecting plan is better in any case: it also finds the results after the page.
            if pageSize ?? .max <= headStart, let rest = ordered.expectedRest(after: examined) { limit = min(limit, rest / 2) }
            if let plan = try best(of: collecting, upTo: limit) { return (try plan.matches(), true) }
            // Later decisions rest on more results.
            turn = examined
        }
    }

    /// Returns the plan with the fewest candidates; nil if all have more than `limit`.
    private static func best(of plans: [CollectingPlan], upTo limit: Int) throws -> CollectingPlan? {
        var best: (plan: CollectingPlan, count: Int)?
        for plan in plans {
            if let count = try plan.count(upTo: best.map { $0.count - 1 } ?? limit) { best = (plan, count) }
        }
        return best?.plan
    }
}
