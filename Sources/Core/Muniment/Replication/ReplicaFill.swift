internal import Events
internal import Hashing
internal import Permissions
internal import Projections

/// The order of the objects in a fill: by class, and by number within a class.
struct ReplicaFill: Sendable {
    let revision: Revision
    let hash: Digest
    let reason: ReplicaStepKind.Reason
    private(set) var classIndex = 0
    /// The smallest number to continue with.
    private var next: UInt64 = 0
    private var source: Source?

    private enum Source {
        /// All objects of the class.
        case all
        /// Only these, sorted: the others are unreadable.
        case some([ObjectID])
    }

    /// The user can have entries on at most this number of objects so that only these are examined, and not all objects of the class.
    private static let namedLimit = 100_000

    init(at revision: Revision, _ hash: Digest, _ reason: ReplicaStepKind.Reason, after place: ReplicaPosition.FilledPlace? = nil) {
        (self.revision, self.hash, self.reason) = (revision, hash, reason)
        guard let place else { return }
        (classIndex, next) = (place.classIndex, place.object.rawValue + 1)
    }

    /// Returns the next objects that the user may be able to read, in order. Empty at the end of a class, and at the end.
    mutating func objects(
        _ limit: Int, of classes: [ClassID], for user: Name, _ reader: IndexReader
    ) throws -> [ObjectID] {
        guard classIndex < classes.count else { return [] }
        let classID = classes[classIndex]
        reader.move(to: revision)
        let source = try self.source ?? source(of: classID, for: user, reader)
        self.source = source
        switch source {
        case .all:
            return try reader.related(.instances(of: classID), from: next, limit: limit, at: revision, or: revision)
                .found.map(ObjectID.init(rawValue:))
        case .some(let objects):
            var (low, high) = (0, objects.count)
            while low < high {
                let middle = (low + high) / 2
                if objects[middle].rawValue < next { low = middle + 1 } else { high = middle }
            }
            return Array(objects[low...].prefix(limit))
        }
    }

    private func source(of classID: ClassID, for user: Name, _ reader: IndexReader) throws -> Source {
        guard let caller = try reader.caller(user) else { return .some([]) }
        let subjects = try reader.subjects(of: caller)
        let found = try reader.candidates(
            for: subjects, toRead: classID, limit: Self.namedLimit)
        return found.map { .some($0.sorted()) } ?? .all
    }

    /// Returns the position of a replica that has received everything so far.
    func position(digest: String) -> ReplicaPosition {
        ReplicaPosition(
            revision: revision, hash: ReplicaPosition.text(of: hash), digest: digest,
            filled: ReplicaPosition.FilledPlace(
                classIndex: classIndex, object: ObjectID(rawValue: next == 0 ? 0 : next - 1)))
    }

    mutating func advance(after object: ObjectID) { next = object.rawValue + 1 }

    mutating func finishClass() {
        classIndex += 1
        next = 0
        source = nil
    }
}
