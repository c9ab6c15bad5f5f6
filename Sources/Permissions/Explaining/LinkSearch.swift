internal import Events

/// Looks for the objects that make another one readable because they link to it.
struct LinkSearch<State: ExplainableState> {
    private let rules: AccessRules<State>
    private let subjects: SubjectSet
    private let store: Privileges
    /// What was found of the objects looked at; nil for one that is not there.
    private var known: [ObjectID: ObjectReasons?] = [:]

    init(_ rules: AccessRules<State>, _ subjects: SubjectSet, store: Privileges) {
        self.rules = rules
        self.subjects = subjects
        self.store = store
    }

    /// The chains of links that make an object readable, the shortest first, and whether these are all. No chain comes by one
    /// object twice. Where there is any, one is found, whatever the limit.
    mutating func chains(to target: ObjectReasons, limit: Int) throws -> (found: [LinkReasons], isComplete: Bool) {
        // Without read at the store level nothing that links is readable either.
        guard store.contains(.read), let shortest = try shortestChain(to: target.object) else { return ([], true) }
        var found: [LinkReasons] = []
        var isComplete = true
        var pending: [[ObjectReasons]] = [[]]
        while !pending.isEmpty {
            var longer: [[ObjectReasons]] = []
            for chain in pending {
                for source in try sources(linkingTo: chain.last?.object ?? target.object)
                where source.object != target.object && !chain.contains(where: { $0.object == source.object }) {
                    if source.isReadable(store: store) {
                        guard found.count < limit else { return (found, false) }
                        found.append(LinkReasons(sources: chain + [source]))
                    }
                    guard source.passesOn(store: store) else { continue }
                    if longer.count < limit { longer.append(chain + [source]) } else { isComplete = false }
                }
            }
            pending = longer
        }
        return (found.isEmpty ? [shortest] : found, isComplete)
    }

    /// One of the shortest chains; nil where there is none. Comes by each object once.
    private mutating func shortestChain(to target: ObjectID) throws -> LinkReasons? {
        var below: [ObjectID: ObjectID] = [:]
        var pending = [target]
        while !pending.isEmpty {
            var next: [ObjectID] = []
            for object in pending {
                for source in try sources(linkingTo: object) where source.object != target && below[source.object] == nil {
                    below[source.object] = object
                    if source.isReadable(store: store) { return try chain(from: source.object, to: target, below) }
                    if source.passesOn(store: store) { next.append(source.object) }
                }
            }
            pending = next
        }
        return nil
    }

    private mutating func chain(
        from last: ObjectID, to target: ObjectID, _ below: [ObjectID: ObjectID]
    ) throws -> LinkReasons {
        var sources: [ObjectReasons] = []
        var object = last
        while object != target, let next = below[object] {
            if let reasons = try reasons(of: object) { sources.append(reasons) }
            object = next
        }
        return LinkReasons(sources: sources.reversed())
    }

    private mutating func sources(linkingTo target: ObjectID) throws -> [ObjectReasons] {
        var found: [ObjectReasons] = []
        for source in try rules.state.sources(linkingTo: target) {
            if let reasons = try reasons(of: source) { found.append(reasons) }
        }
        return found
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

extension ObjectReasons {
    /// Whether the object can be read because of a link, and what it links to because of it.
    fileprivate func passesOn(store: Privileges) -> Bool { options.readThroughLinks && mayBeRead(store: store) }
}
