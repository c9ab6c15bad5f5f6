internal import Events

/// Finds the objects that make another object readable by linking to it.
struct LinkSearch<State: ExplainableState> {
    private let rules: AccessRules<State>
    private let subjects: SubjectSet
    /// The links that a check follows, by their target.
    private var links: [ObjectID: [LinkWalk<State>.Link]] = [:]
    /// The first link from each object. Together they form a shortest path to the object in the question.
    private var firstLinks: [ObjectID: ObjectID] = [:]
    /// The nearest object that is readable without links.
    private var nearest: ObjectID?
    /// The result for each object read so far; nil for an object that does not exist.
    private var known: [ObjectID: ObjectReasons?] = [:]

    init(_ rules: AccessRules<State>, _ subjects: SubjectSet) {
        self.rules = rules
        self.subjects = subjects
    }

    /// Returns the chains of links that make an object readable, the shortest first, and whether they are complete. No chain
    /// contains an object twice. If a chain exists, at least one is found, whatever the limit.
    mutating func chains(to target: ObjectReasons, limit: Int) throws -> (found: [LinkReasons], isComplete: Bool) {
        try follow(to: target.object)
        guard let nearest else { return ([], true) }
        var found: [LinkReasons] = []
        var isComplete = true
        var pending: [[ObjectID]] = [[]]
        while !pending.isEmpty {
            var longer: [[ObjectID]] = []
            for chain in pending {
                for link in links[chain.last ?? target.object] ?? [] where !chain.contains(link.source) {
                    if link.isReadable {
                        guard found.count < limit else { return (found, false) }
                        found.append(try reasons(of: chain + [link.source]))
                    }
                    guard link.passesOn else { continue }
                    if longer.count < limit { longer.append(chain + [link.source]) } else { isComplete = false }
                }
            }
            pending = longer
        }
        return (found.isEmpty ? [try reasons(of: shortestChain(from: nearest, to: target.object))] : found, isComplete)
    }

    private mutating func follow(to target: ObjectID) throws {
        var walk = LinkWalk(rules, subjects, deciding: nil)
        try walk.follow(to: target) { link in
            links[link.target, default: []].append(link)
            if firstLinks[link.source] == nil { firstLinks[link.source] = link.target }
            if link.isReadable, nearest == nil { nearest = link.source }
            return true
        }
    }

    private func shortestChain(from nearest: ObjectID, to target: ObjectID) -> [ObjectID] {
        var chain: [ObjectID] = []
        var object = nearest
        while object != target, let next = firstLinks[object] {
            chain.append(object)
            object = next
        }
        return chain.reversed()
    }

    private mutating func reasons(of chain: [ObjectID]) throws -> LinkReasons {
        LinkReasons(sources: try chain.compactMap { try reasons(of: $0) })
    }

    private mutating func reasons(of object: ObjectID) throws -> ObjectReasons? {
        if let reasons = known[object] { return reasons }
        var reasons: ObjectReasons?
        if let place = try rules.state.place(of: object), let options = try rules.state.options(of: place.classID) {
            reasons = try rules.objectReasons(for: subjects, on: object, at: place, options, wanted: .read)
        }
        known[object] = .some(reasons)
        return reasons
    }
}
