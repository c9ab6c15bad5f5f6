public import Events
internal import Muniment
internal import Permissions
internal import Projections

/// A sequence of objects, each once, sorted by id, at the revision when they were requested.
///
/// Later changes have no effect: every iteration returns the same objects. Ids are held in memory; each value is read when it is
/// reached.
public struct FetchedObjectSequence: AsyncSequence, Sendable {
    /// The revision of all values.
    public let revision: Revision
    private let store: Store
    private let found: [(object: ObjectID, id: String)]

    init(_ objects: [ObjectID], from snapshot: Snapshot, in store: Store) throws {
        revision = snapshot.revision
        self.store = store
        let named = try objects.map { (object: $0, id: Name(try snapshot.reader.name(of: $0)).id ?? "") }
        found = named.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    /// The number of objects.
    public var count: Int { found.count }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(objects: self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let objects: FetchedObjectSequence
        private var delivered = 0

        fileprivate init(objects: FetchedObjectSequence) { self.objects = objects }

        /// Returns the next object; nil at the end.
        ///
        /// - Throws: `CancellationError` if the task is cancelled, so that a part is not mistaken for the whole; ``Muniment/StoreError``.
        public mutating func next() async throws -> FetchedObject? {
            guard delivered < objects.count else { return nil }
            try Task.checkCancellation()
            let fetched = try objects.fetch(delivered)
            delivered += 1
            return fetched
        }
    }

    private func fetch(_ place: Int) throws -> FetchedObject {
        let (object, id) = found[place]
        let value = try store.read(at: .revision(revision)) { try $0.reader.value(of: object).map(JSONText.decode) ?? .null }
        return FetchedObject(id: id, value: value, progress: Double(place + 1) / Double(count))
    }
}

/// One of several fetched objects.
public struct FetchedObject: Hashable, Sendable {
    public let id: String
    public let value: JSONValue
    /// The progress of fetching, including this object: above 0, in equal steps per object, and 1 for the last object.
    public let progress: Double

    public init(id: String, value: JSONValue, progress: Double) {
        self.id = id
        self.value = value
        self.progress = progress
    }
}
