public import Events
public import Permissions

/// Where a page of a query ends.
public struct QueryPosition: Hashable, Sendable {
    /// What the last object has in the properties that the query orders by.
    public var keys: [[UInt8]]
    public var object: ObjectID

    public init(keys: [[UInt8]], object: ObjectID) {
        self.keys = keys
        self.object = object
    }
}

/// A page of what a query finds.
public struct QueryResult: Sendable {
    public var objects: [ObjectID]
    /// How many objects were looked at to find them; one that several ways led to counts as often.
    public var examined: Int
    /// Where the page ends; nil where nothing comes behind.
    public var next: QueryPosition?
    /// All that the query finds behind the position that was asked for, where that came out and is more than the page.
    public var everything: [QueryPosition]?

    public init(objects: [ObjectID], examined: Int = 0, next: QueryPosition? = nil, everything: [QueryPosition]? = nil) {
        self.objects = objects
        self.examined = examined
        self.next = next
        self.everything = everything
    }
}

extension QueryPosition {
    fileprivate init(_ match: QueryMatch) { self.init(keys: match.keys.map(\.bytes), object: match.object) }
}

extension IndexReader {
    /// The objects of a class that a query finds, in its order, behind a position.
    ///
    /// Looks at no more than a small multiple of the fewest of: the objects up to the end of the page in the query's order, those
    /// that satisfy the most telling part of its condition, and those that the caller's subjects are named on or that stand
    /// below these. Where the class reads through links, or gives what it has to objects below, the last does not apply.
    ///
    /// - Parameters:
    ///   - query: well formed; what it orders by is named by the class.
    ///   - classID: the class of the query.
    ///   - subjects: whom the caller counts as.
    ///   - instant: when ends are judged.
    ///   - position: where the page before ended; nil for the first page.
    public func find(
        _ query: Query, in classID: ClassID, for subjects: SubjectSet, at instant: Instant, behind position: QueryPosition? = nil
    ) throws -> QueryResult {
        let reach = try reach(of: classID, for: subjects, wanted: [.read, .query], at: instant)
        guard reach != .nothing else { return QueryResult(objects: []) }
        let matcher = try QueryMatcher(self, query, in: classID, for: subjects, at: instant)
        let task = QueryTask(
            matcher: matcher, order: MatchOrder(query.order), wanted: query.limit.map { $0 + 1 },
            start: position.map { QueryMatch(keys: $0.keys.map(PropertyKey.init(bytes:)), object: $0.object) })
        let ordered = try orderedPlan(task, query, in: classID)
        defer { ordered.close() }
        var collecting: [CollectingPlan] = []
        defer { for plan in collecting { plan.close() } }
        if reach == .named {
            let inherits = try options(of: classID)?.inherits.isEmpty == false
            collecting.append(CollectingPlan(task, try NamedSource(self, for: subjects.members, inherits: inherits)))
        }
        if let source = try coveringSource(task, query, in: classID) { collecting.append(CollectingPlan(task, source)) }
        let (found, isEverything) = try QueryRace.run(ordered, pageSize: query.limit, against: collecting)
        let page = query.limit.map { found.prefix($0) } ?? found[...]
        let hasMore = page.count < found.count
        return QueryResult(
            objects: page.map(\.object), examined: matcher.examined, next: hasMore ? page.last.map(QueryPosition.init) : nil,
            everything: hasMore && isEverything ? found.map(QueryPosition.init) : nil)
    }

    private func orderedPlan(_ task: QueryTask, _ query: Query, in classID: ClassID) throws -> OrderedPlan {
        guard let first = query.order.first, let slot = task.matcher.slots[ExactText(first.property)] else {
            let source = try RelatedSource(
                self, RelationPrefix(kind: .instance, first: classID.rawValue), behind: task.start?.object)
            return OrderedPlan(task, source, by: nil, hasGroups: false)
        }
        let range = query.condition?.range(of: first.property) ?? .everything
        let hasGroups = query.order.count > 1
        var start = task.start.map { Candidate(object: $0.object, key: $0.keys.first) }
        if hasGroups { start = start.flatMap(\.key).map { beforeGroup($0, isDescending: first.isDescending) } }
        let source = try PropertySource(
            self, classID, slot: slot, range, isDescending: first.isDescending, behind: start)
        return OrderedPlan(task, source, by: slot, hasGroups: hasGroups)
    }

    /// A position before all objects with some key: those of a group can be in another order than their numbers.
    private func beforeGroup(_ key: PropertyKey, isDescending: Bool) -> Candidate {
        Candidate(object: ObjectID(rawValue: isDescending ? ObjectID.beyondAll : 0), key: key)
    }

    /// Every object for which the condition can hold, from the index of properties; nil where that does not tell.
    private func coveringSource(_ task: QueryTask, _ query: Query, in classID: ClassID) throws -> (any CandidateSource)? {
        guard let covering = query.condition?.covering() else { return nil }
        var sources: [any CandidateSource] = []
        for (property, range) in covering {
            guard let slot = task.matcher.slots[ExactText(property)] else {
                for source in sources { source.close() }
                return nil
            }
            sources.append(try PropertySource(self, classID, slot: slot, range))
        }
        return sources.count == 1 ? sources[0] : JoinedSource(sources)
    }
}

extension ObjectID {
    /// A number that no object has: five bytes hold all that can be.
    fileprivate static let beyondAll: UInt64 = 1 << 40 - 1
}
