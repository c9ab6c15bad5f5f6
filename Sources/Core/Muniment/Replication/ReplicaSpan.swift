internal import EventLog
internal import Events
internal import Permissions
internal import Projections
internal import Synchronization

/// The objects that some commits may have changed: found once, and used by every replica that waits for these commits.
///
/// A span exists only for commits that change a few objects and the access to them. Each replica then compares its privileges on these
/// objects, and replicas with the same result share one list of objects.
final class ReplicaSpan: Sendable {
    /// An object that the commits may have changed.
    struct Object: Sendable {
        let id: ObjectID
        let before: ObjectVersion?
        let after: ObjectVersion?
        /// Whether the commits can have changed the access to it.
        var isAccessChanged: Bool
    }

    let from: Revision
    let to: Revision
    /// The hash of the last commit, as in a position.
    let hash: String
    /// The objects, sorted.
    let objects: [Object]
    private let found = Mutex<[[ReplicaOutcome]: ReplicaObjects]>([:])

    /// The maximum numbers of commits and objects.
    private static let commitLimit: UInt64 = 16
    private static let objectLimit = 32
    /// The maximum number of different lists of objects. Each has at most the bytes of a part.
    private static let listLimit = 16

    /// Returns nil if the commits have effects beyond the objects that they name: then each replica looks for itself.
    ///
    /// - Parameters:
    ///   - revision: the revision before the first commit.
    ///   - reader: a view of the index. Its head is the last commit.
    ///   - log: the log of the store.
    init?(after revision: Revision, _ reader: IndexReader, _ log: EventLog) throws {
        let state = reader.state
        guard revision < state.revision, state.revision.rawValue - revision.rawValue <= Self.commitLimit,
            max(state.membershipRevision, state.schemaRevision) <= revision, try !reader.classLinksEver().readThroughLinks
        else { return nil }
        (from, to, hash) = (revision, state.revision, ReplicaPosition.text(of: state.hash))
        let head = state.revision
        var effects: [EventEffect] = []
        try log.read { try $0.forEachCommit(from: revision.next, to: head) { commit, _ in effects += commit.events.map(\.effect) } }
        var found: [ObjectID: Object] = [:]
        for effect in effects {
            let isAccessChanged: Bool
            switch effect {
            case .written, .owner: isAccessChanged = false
            case .entry, .attachment, .created, .moved, .deleted: isAccessChanged = true
            case .registered, .clock: continue
            // These change memberships or classes.
            case .options, .membership, .roleDeleted, .permission, .administrator: return nil
            }
            let id = effect.object
            if found[id] == nil {
                guard found.count < Self.objectLimit else { return nil }
                reader.move(to: from)
                let before = try reader.version(of: id)
                reader.move(to: to)
                found[id] = Object(id: id, before: before, after: try reader.version(of: id), isAccessChanged: false)
            }
            guard isAccessChanged else { continue }
            // The objects below can inherit, and show their parent only to users who may read it.
            guard try reader.related(.children(of: id), limit: 1, at: from, or: to).found.isEmpty else { return nil }
            found[id]?.isAccessChanged = true
        }
        objects = found.values.sorted { $0.id < $1.id }
    }

    /// Returns the objects to send for some outcomes; nil if they are too many for one part, or if too many lists exist.
    func part(for outcomes: [ReplicaOutcome], _ views: inout ReplicaReader, bytes: Int) throws -> ReplicaObjects? {
        if let known = found.withLock({ $0[outcomes] }) { return known }
        try views.move(to: to)
        var part = ReplicaObjects()
        var count = 0
        for (object, outcome) in zip(objects, outcomes) {
            switch outcome {
            case .nothing: break
            case .removed: part.removed.append(try views.reader.name(of: object.id))
            case .changed(let view):
                let made = try views.object(object.id, view)
                count += made.byteCount
                guard count <= bytes else { return nil }
                part.changed.append(made)
            }
        }
        return found.withLock { found in
            guard found.count < Self.listLimit else { return nil }
            found[outcomes] = part
            return part
        }
    }
}

/// The effect of commits on an object of a replica.
enum ReplicaOutcome: Hashable, Sendable {
    case nothing
    case removed
    case changed(ReplicaReader.View)
}

/// The last spans that replicas of a store have waited for.
final class ReplicaSpans: Sendable {
    private struct Entry {
        let from: Revision
        let to: Revision
        let span: ReplicaSpan?
    }

    /// The number of spans kept. Replicas that are woken while commits follow each other wait for different ones.
    private static let limit = 4

    private let entries = Mutex<[Entry]>([])

    /// Returns the span from a revision to the reader's head; nil if none can be made.
    func span(after revision: Revision, _ reader: IndexReader, _ log: EventLog) throws -> ReplicaSpan? {
        let head = reader.state.revision
        let known = entries.withLock { entries in entries.last { $0.from == revision && $0.to == head } }
        if let known { return known.span }
        let span = try ReplicaSpan(after: revision, reader, log)
        entries.withLock { entries in
            if entries.count == Self.limit { entries.removeFirst() }
            entries.append(Entry(from: revision, to: head, span: span))
        }
        return span
    }
}
