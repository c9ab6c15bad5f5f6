internal import Events

/// Follows the links to an object, and the links to the linking objects, nearest first.
///
/// Every caller who may read an object may link to it, so a walk has limits: it reads at most
/// ``Primitives/Limits/linkReadsPerCaller`` objects for the links that one caller has written and ``Primitives/Limits/linkReads`` in
/// total. The links of one caller therefore cannot make a check expensive, and cannot prevent another caller's links from being
/// followed.
///
/// Walks with the same memory read each object once. The limits count for each walk as if it had read everything itself, so that a
/// list and a check decide the same.
struct LinkWalk<State: AccessState> {
    private let rules: AccessRules<State>
    private let subjects: SubjectSet
    private let deciding: SubjectSet?
    private let memory: LinkMemory

    init(_ rules: AccessRules<State>, _ subjects: SubjectSet, deciding: SubjectSet?) {
        self.rules = rules
        self.subjects = subjects
        self.deciding = deciding
        memory = rules.state.linkMemory(for: subjects, deciding: deciding, at: rules.instant)
    }

    /// Returns whether a readable object links to an object that is not readable without links, directly or through a chain of such
    /// links.
    func reachesReadable(_ object: ObjectID) throws -> Bool {
        if memory.isFruitless(object) { return false }
        var isReadable = false
        let followed = try follow(to: object) { link in
            isReadable = link.isReadable
            return !isReadable
        }
        // A walk from one of these objects would follow no other links.
        if !isReadable, let followed { memory.markFruitless(followed) }
        return isReadable
    }

    /// Passes each link once to `body`, until `body` returns false.
    ///
    /// - Returns: the numbers of the objects whose links were followed; nil if some were not, because of a limit.
    @discardableResult
    func follow(to object: ObjectID, _ body: (FollowedLink) throws -> Bool) throws -> [Int]? {
        let start = memory.beginWalk(to: object)
        var pending = [start]
        var next = 0
        var isComplete = true
        while next < pending.count {
            let target = pending[next]
            next += 1
            guard memory.reads < Limits.linkReads else { return nil }
            let links = try memory.links(to: target) { try rules.state.links(to: $0, limit: Limits.linkReads) }
            let room = Limits.linkReads - memory.reads
            if links.count > room || links.count == Limits.linkReads { isComplete = false }
            for place in links.indices.prefix(room) {
                memory.countRead()
                let writer = links[place].writer
                guard memory.mayRead(for: writer) else {
                    isComplete = false
                    continue
                }
                for source in memory.sources(place, of: target) where source != start {
                    guard memory.mayRead(for: writer) else {
                        isComplete = false
                        break
                    }
                    let found = try memory.evaluation(of: source, countingFor: writer) { try evaluate($0) }
                    guard found.exists else { continue }
                    let link = FollowedLink(
                        source: memory[source], target: memory[target], isReadable: found.isReadable, passesOn: found.passesOn)
                    guard try body(link) else { return pending }
                    if found.passesOn, memory.isFirstVisit(source) { pending.append(source) }
                }
            }
        }
        return isComplete ? pending : nil
    }

    /// Evaluates an object that links.
    private func evaluate(_ source: ObjectID) throws -> LinkMemory.Evaluation {
        guard let (place, options) = try rules.located(source) else { return LinkMemory.Evaluation() }
        let (levels, objectsRead) = try rules.levels(
            for: subjects, on: source, at: place, options, wanted: .read, deciding: deciding)
        return LinkMemory.Evaluation(
            exists: true, isReadable: levels.combined.contains(.read),
            passesOn: options.readThroughLinks && levels.withLink.combined.contains(.read), cost: Int32(objectsRead))
    }
}

/// A followed link.
struct FollowedLink {
    let source: ObjectID
    let target: ObjectID
    /// Whether the linking object is readable without links.
    let isReadable: Bool
    /// Whether the linking object can be readable because of a link to it.
    let passesOn: Bool
}

/// The links to an object that a check follows.
struct FollowedLinks {
    private let target: ObjectID
    /// The links by their target.
    private var links: [ObjectID: [FollowedLink]] = [:]
    /// The target of the first link from each object. Together these links form a shortest path to the object in the question.
    private var next: [ObjectID: ObjectID] = [:]
    /// The nearest object that is readable without links.
    private var nearest: ObjectID?

    init(to target: ObjectID) { self.target = target }

    mutating func add(_ link: FollowedLink) {
        links[link.target, default: []].append(link)
        if next[link.source] == nil { next[link.source] = link.target }
        if link.isReadable, nearest == nil { nearest = link.source }
    }

    /// Returns the chains of links that make the object readable, the shortest first, and whether they are complete. No chain
    /// contains an object twice. If a chain exists, at least one is found, whatever the limit.
    func chains(limit: Int) -> (found: [[ObjectID]], isComplete: Bool) {
        guard let nearest else { return ([], true) }
        var found: [[ObjectID]] = []
        var isComplete = true
        var pending: [[ObjectID]] = [[]]
        while !pending.isEmpty {
            var longer: [[ObjectID]] = []
            for chain in pending {
                for link in links[chain.last ?? target] ?? [] where !chain.contains(link.source) {
                    if link.isReadable {
                        guard found.count < limit else { return (found, false) }
                        found.append(chain + [link.source])
                    }
                    guard link.passesOn else { continue }
                    if longer.count < limit { longer.append(chain + [link.source]) } else { isComplete = false }
                }
            }
            pending = longer
        }
        if found.isEmpty {
            let shortest = sequence(first: nearest) { next[$0] }.prefix { $0 != target }
            found = [shortest.reversed()]
        }
        return (found, isComplete)
    }
}
