internal import EventLog
internal import Events
internal import Hashing
internal import Permissions
internal import Projections

/// One look of a replica's subscriber: its readers, the work that is left, and the parts found.
struct ReplicaLook {
    let reader: IndexReader
    let log: EventLog
    let classes: [ClassID]
    let classIDs: Set<ClassID>
    let head: Revision
    private var views: ReplicaReader
    private let limits: ReplicaLimits
    /// The objects and commits that may still be examined.
    var objectsLeft: Int
    var commitsLeft: UInt64
    private(set) var parts: [ReplicaPart] = []
    /// Whether the parts have reached the size of a look.
    private(set) var isFull = false

    init(
        _ reader: IndexReader, _ log: EventLog, _ subscriber: NamedSubscriber, _ classes: [ClassID], _ classIDs: Set<ClassID>,
        now: Instant, _ limits: ReplicaLimits
    ) throws {
        (self.reader, self.log, self.classes, self.classIDs, self.limits) = (reader, log, classes, classIDs, limits)
        (objectsLeft, commitsLeft) = (limits.objectsOfLook, limits.commitsOfLook)
        head = reader.state.revision
        views = try ReplicaReader(reader, for: subscriber, classes: classIDs, now: max(now, reader.state.time))
    }

    /// The user's subjects at the revision that was read last.
    var subscriber: NamedSubscriber { views.subscriber }

    mutating func add(_ part: ReplicaPart) {
        if case .objects(let objects) = part, objects.changed.reduce(0, { $0 + $1.byteCount }) > limits.bytesOfPart / 2 {
            isFull = true
        }
        parts.append(part)
    }

    // MARK: Objects

    /// Returns a part with the first of some objects at a revision, and the last of the objects that it covers; nil for none, if the
    /// next one cannot be sent before the next commit.
    mutating func page(of objects: [ObjectID], at revision: Revision) throws -> (part: ReplicaObjects, last: ObjectID?) {
        let objects = objects.prefix(limits.objectsOfPart)
        objectsLeft -= objects.count
        try views.move(to: revision)
        let outcomes = try objects.map { object in try views.view(of: object).map(ReplicaOutcome.changed) ?? .nothing }
        let (part, count, _) = try part(of: objects, outcomes, at: revision)
        return (part, count == 0 ? nil : objects[count - 1])
    }

    /// Returns a part with the differences of the next objects of a comparison, and whether the next one cannot be sent before the
    /// next commit.
    mutating func page(of comparison: inout ReplicaComparison) throws -> (part: ReplicaObjects, isUnsettled: Bool) {
        let objects = comparison.next(min(limits.objectsOfPart, max(1, objectsLeft)))
        objectsLeft -= objects.count
        try views.move(to: comparison.from)
        let before = try objects.map { (try views.view(of: $0), try views.isReadable($0)) }
        try views.move(to: comparison.to)
        let after = try objects.map { (try views.view(of: $0), try views.isReadable($0)) }
        let outcomes = zip(before, after).map { before, after -> ReplicaOutcome in
            if let view = after.0 { return comparison.isNet && before.0 == view ? .nothing : .changed(view) }
            return before.0 == nil ? .nothing : .removed
        }
        let (part, count, isWithheld) = try part(of: objects, outcomes, at: comparison.to)
        comparison.take(count)
        if isWithheld { comparison.withhold() }
        for index in 0..<count
        where comparison.mayShowParent(objects[objects.startIndex + index], before[index].1 != after[index].1) {
            // The objects below show their parent only if the user may read it.
            let object = objects[objects.startIndex + index]
            let below = try reader.related(.children(of: object), at: comparison.from, or: comparison.to).found
            comparison.add(below.map(ObjectID.init(rawValue:)))
        }
        return (part, count == 0)
    }

    /// Returns a part with the outcomes of some objects as far as they fit, their number, and whether one of them was withheld.
    private mutating func part(
        of objects: ArraySlice<ObjectID>, _ outcomes: [ReplicaOutcome], at revision: Revision
    ) throws -> (part: ReplicaObjects, count: Int, isWithheld: Bool) {
        try views.move(to: head)
        let permissions = try zip(objects, outcomes).map { object, outcome -> ReplicaReader.Permission in
            guard case .changed(let view) = outcome else { return .allowed }
            return try views.permission(toSend: view, of: object)
        }
        try views.move(to: revision)
        var part = ReplicaObjects()
        var (count, bytes, isWithheld) = (0, 0, false)
        for ((object, outcome), permission) in zip(zip(objects, outcomes), permissions) {
            guard permission != .unsettled else { break }
            switch outcome {
            case .nothing: break
            case .removed: part.removed.append(try reader.name(of: object))
            case .changed(let view):
                guard permission == .allowed else {
                    isWithheld = true
                    break
                }
                let found = try views.object(object, view)
                bytes += found.byteCount
                guard bytes <= limits.bytesOfPart || part.isEmpty else { return (part, count, isWithheld) }
                part.changed.append(found)
            }
            count += 1
        }
        return (part, count, isWithheld)
    }

    // MARK: Ends

    mutating func classPrivileges(at revision: Revision) throws -> [TimedPrivileges] {
        try views.move(to: revision)
        return try views.classPrivileges(classes)
    }

    mutating func named(_ privileges: TimedPrivileges) -> [ReplicaPrivilege] { views.named(privileges) }

    func end(at revision: Revision, _ classes: [ReplicaClass], digest: String) throws -> ReplicaEnd {
        var (time, hash) = (reader.state.time, reader.state.hash)
        if revision < head {
            (time, hash) = try log.read { (try reader.time(of: revision, in: $0), try $0.hash(of: revision)) }
        }
        let position = ReplicaPosition(revision: revision, hash: ReplicaPosition.text(of: hash), digest: digest)
        return ReplicaEnd(revision: revision, time: time, position: position, classes: classes)
    }

    // MARK: Spans

    /// Returns the changes of a span for the user; nil if that cannot be shared, or if an end of access is not recorded yet.
    mutating func objects(of span: ReplicaSpan) throws -> ReplicaObjects? {
        try views.move(to: span.to)
        let after = try span.objects.map { try views.view(of: $0.id, as: $0.after) }
        for (object, view) in zip(span.objects, after) {
            guard let view else { continue }
            guard try views.isReadableNow(object.id), try view.parent.map({ try views.isReadableNow($0) }) ?? true else {
                return nil
            }
        }
        try views.move(to: span.from)
        let outcomes = try zip(span.objects, after).map { object, after -> ReplicaOutcome in
            // Without a change of access, the user can read both versions or none.
            guard object.isAccessChanged else { return after.map { .changed($0) } ?? .nothing }
            let before = try views.view(of: object.id, as: object.before)
            return before == after ? .nothing : after.map { .changed($0) } ?? .removed
        }
        guard outcomes.contains(where: { $0 != .nothing }) else { return ReplicaObjects() }
        return try span.part(for: outcomes, &views, bytes: limits.bytesOfPart)
    }

    mutating func keys() throws -> Set<UInt64> {
        try views.move(to: head)
        return try views.keys()
    }
}

/// How much is read and sent at once.
struct ReplicaLimits: Sendable {
    var objectsOfLook = 512
    var commitsOfLook: UInt64 = 256
    /// A part has at most this number of objects.
    var objectsOfPart = 256
    /// A part has at most this number of bytes, except for a single object with more.
    var bytesOfPart = 200 << 10
    /// A difference of more objects than this, or over more commits, is replaced by a fill.
    var objectsOfDifference = 100_000
    var commitsOfDifference: UInt64 = 50_000
    /// Whether steps are shared with other replicas.
    var sharesSteps = true
}

/// The comparison of candidates at two revisions.
struct ReplicaComparison: Sendable {
    let from: Revision
    let to: Revision
    /// Whether only differences are sent. Otherwise every candidate is sent.
    let isNet: Bool
    /// Whether there were too many candidates, so that later commits follow in another difference.
    let isCut: Bool
    /// Whether the user may not read an object now that was found.
    private(set) var hasWithheld = false
    private var objects: [ObjectID]
    private var taken = 0
    private var known: Set<ObjectID>
    /// The objects to which the access may have changed.
    private let accessed: Set<ObjectID>

    init(_ candidates: ReplicaCandidates, isNet: Bool, isCut: Bool) {
        (from, to, self.isNet, self.isCut) = (candidates.from, candidates.through, isNet, isCut)
        known = candidates.accessed.union(candidates.written)
        objects = known.sorted()
        accessed = candidates.accessed
    }

    var isAtEnd: Bool { taken == objects.count }
    var count: Int { objects.count }

    func next(_ count: Int) -> ArraySlice<ObjectID> { objects[taken...].prefix(count) }

    mutating func take(_ count: Int) { taken += count }

    mutating func withhold() { hasWithheld = true }

    mutating func add(_ more: [ObjectID]) { objects += more.filter { known.insert($0).inserted } }

    /// Whether the objects below an object may show another parent.
    func mayShowParent(_ object: ObjectID, _ isReadableOnce: Bool) -> Bool {
        isReadableOnce || !isNet && accessed.contains(object)
    }
}

extension ReplicaPart.Object {
    /// The approximate size of its JSON in bytes.
    var byteCount: Int { 96 + name.utf8.count * 2 + value.count + (parent?.utf8.count ?? 0) * 2 + privileges.count * 48 }
}
