public import Events
public import Permissions

/// The end of a page of a query.
public struct QueryPosition: Hashable, Sendable {
    /// The keys of the last object in the properties of the query's order.
    public var keys: [[UInt8]]
    public var object: ObjectID

    public init(keys: [[UInt8]], object: ObjectID) {
        self.keys = keys
        self.object = object
    }
}

/// A page of a query's results.
public struct QueryResult: Sendable {
    public var objects: [ObjectID]
    /// The number of objects examined. An object found in several ways is counted several times.
    public var examined: Int
    /// The end of the page; nil if it is the last one.
    public var next: QueryPosition?
    /// All results after the requested position, if they were found and are more than the page.
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
    /// Returns the objects of a class that a query finds, in its order, after a position.
    ///
    /// It examines at most a small multiple of the fewest of:
    ///
    /// - the objects up to the end of the page in the query's order
    /// - the objects that satisfy the most selective part of its condition
    /// - the objects with entries or permissions for the caller's subjects, and the objects below these
    ///
    /// The last one does not apply if the class reads through links, or passes privileges to objects below.
    ///
    /// - Parameters:
    ///   - query: a well-formed query; the class must name the properties that it orders by.
    ///   - classID: the class of the query.
    ///   - subjects: the subjects of the caller.
    ///   - wanted: the privileges that the subjects need on an object.
    ///   - instant: the time for evaluating ends.
    ///   - position: the end of the previous page; nil for the first page.
    public func find(
        _ query: Query, in classID: ClassID, for subjects: SubjectSet, wanted: Privileges = [.read, .query], at instant: Instant,
        after position: QueryPosition? = nil
    ) throws -> QueryResult {
        let reach = try reach(of: classID, for: subjects, wanted: wanted, at: instant)
        guard reach != .nothing else { return QueryResult(objects: []) }
        let matcher = try QueryMatcher(self, query, in: classID, for: subjects, wanted: wanted, at: instant)
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
        for source in try coveringSources(task, query, in: classID) { collecting.append(CollectingPlan(task, source)) }
        let (found, isEverything) = try QueryPlanner.run(ordered, pageSize: query.limit, or: collecting)
        let page = query.limit.map { found.prefix($0) } ?? found[...]
        let hasMore = page.count < found.count
        return QueryResult(
            objects: page.map(\.object), examined: matcher.examined, next: hasMore ? page.last.map(QueryPosition.init) : nil,
            everything: hasMore && isEverything ? found.map(QueryPosition.init) : nil)
    }

    /// Returns those of some objects that a query finds. Its order and limit have no effect.
    ///
    /// - Parameters:
    ///   - query: a well-formed query.
    ///   - objects: the objects, of any class.
    ///   - classID: the class of the query.
    ///   - subjects: the subjects of the caller.
    ///   - instant: the time for evaluating ends.
    public func found(
        _ query: Query, among objects: [ObjectID], in classID: ClassID, for subjects: SubjectSet, at instant: Instant
    ) throws -> Set<ObjectID> {
        let matcher = try QueryMatcher(
            self, Query(query.className, where: query.condition), in: classID, for: subjects, wanted: [.read, .query], at: instant)
        return Set(try objects.filter { try matcher.match($0, from: nil) != nil })
    }

    private func orderedPlan(_ task: QueryTask, _ query: Query, in classID: ClassID) throws -> OrderedPlan {
        guard let first = query.order.first, let slot = task.matcher.slots[ExactText(first.property)] else {
            let source = try RelatedSource(
                self, .instances(of: classID), after: task.start?.object)
            return OrderedPlan(task, source, hasGroups: false)
        }
        let range = query.condition?.range(of: first.property) ?? .everything
        let hasGroups = query.order.count > 1
        // Within a group, the order can differ from the order of numbers: the group begins again.
        let start = task.start.flatMap { start in
            start.keys.first.map { key in
                (key, hasGroups ? ObjectID(rawValue: first.isDescending ? ObjectID.beyondAll : 0) : start.object)
            }
        }
        let source = try PropertySource(
            self, classID, slot: slot, range, isDescending: first.isDescending, after: start)
        return OrderedPlan(task, source, hasGroups: hasGroups)
    }

    /// Returns sources from the index of properties; each has every object that can satisfy the condition.
    private func coveringSources(_ task: QueryTask, _ query: Query, in classID: ClassID) throws -> [any CandidateSource] {
        guard let condition = query.condition else { return [] }
        return try condition.coverings().compactMap { covering in
            // The ordered plan reads this range too.
            if covering.count == 1, query.order.first.map({ ExactText($0.property) }) == ExactText(covering[0].property) {
                return nil
            }
            let slots = covering.map { task.matcher.slots[ExactText($0.property)] }
            guard !slots.contains(nil) else { return nil }
            let sources = try zip(slots, covering).compactMap { slot, covering in
                try slot.map { try PropertySource(self, classID, slot: $0, covering.range) }
            }
            return sources.count == 1 ? sources[0] : JoinedSource(sources)
        }
    }
}

extension ObjectID {
    /// A number greater than every object's: numbers have at most five bytes.
    fileprivate static let beyondAll: UInt64 = 1 << 40 - 1
}
