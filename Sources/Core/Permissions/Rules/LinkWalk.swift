internal import Events

/// Follows the links to an object, and the links to the linking objects, nearest first.
///
/// Every caller who may read an object may link to it, so a walk has limits: it reads at most
/// ``Primitives/Limits/linkReadsPerCaller`` objects for the links that one caller has written and ``Primitives/Limits/linkReads`` in
/// total. The links of one caller therefore cannot make a check expensive, and cannot prevent another caller's links from being
/// followed.
struct LinkWalk<State: AccessState> {
    private let rules: AccessRules<State>
    private let subjects: SubjectSet
    private let deciding: SubjectSet?
    private var reads = 0
    private var readsByWriter: [PrincipalID: Int] = [:]
    private var known: [ObjectID: (isReadable: Bool, passesOn: Bool)?] = [:]

    init(_ rules: AccessRules<State>, _ subjects: SubjectSet, deciding: SubjectSet?) {
        self.rules = rules
        self.subjects = subjects
        self.deciding = deciding
    }

    /// Passes each link once to `body`, until `body` returns false.
    mutating func follow(to object: ObjectID, _ body: (FollowedLink) throws -> Bool) throws {
        var pending = [object]
        var targets: Set<ObjectID> = [object]
        var next = 0
        while next < pending.count, reads < Limits.linkReads {
            let target = pending[next]
            next += 1
            for links in try rules.state.links(to: target, limit: Limits.linkReads - reads) {
                reads += 1
                for source in links.sources where source != object {
                    guard reads < Limits.linkReads, readsByWriter[links.writer, default: 0] < Limits.linkReadsPerCaller else {
                        break
                    }
                    guard let (isReadable, passesOn) = try evaluate(source, countingFor: links.writer) else { continue }
                    let link = FollowedLink(source: source, target: target, isReadable: isReadable, passesOn: passesOn)
                    guard try body(link) else { return }
                    if passesOn, targets.insert(source).inserted { pending.append(source) }
                }
            }
        }
    }

    /// Evaluates an object that links; nil if it does not exist.
    private mutating func evaluate(
        _ source: ObjectID, countingFor writer: PrincipalID
    ) throws -> (isReadable: Bool, passesOn: Bool)? {
        var cost = 1
        defer {
            reads += cost
            readsByWriter[writer, default: 0] += cost
        }
        if let found = known[source] { return found }
        var found: (isReadable: Bool, passesOn: Bool)?
        if let (place, options) = try rules.located(source) {
            let (levels, objectsRead) = try rules.levels(
                for: subjects, on: source, at: place, options, wanted: .read, deciding: deciding)
            cost = objectsRead
            found = (levels.combined.contains(.read), options.readThroughLinks && levels.withLink.combined.contains(.read))
        }
        known[source] = .some(found)
        return found
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
