public import Events
internal import Permissions
internal import Projections

/// Objects that come one by one, each once, sorted by id, all as they were at the revision at which they were asked for.
///
/// What happens to them meanwhile changes nothing of it, and every iteration brings the same. Ids are held in memory; a value is
/// read when its turn comes.
public struct FetchedObjects: AsyncSequence, Sendable {
    /// The revision that all values are of.
    public let revision: Revision
    private let store: Store
    private let found: [(object: ObjectID, id: String)]

    init(_ objects: [ObjectID], from snapshot: Snapshot, in store: Store) throws {
        revision = snapshot.revision
        self.store = store
        let named = try objects.map { (object: $0, id: Name(try snapshot.reader.name(of: $0)).id ?? "") }
        found = named.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    /// How many there are.
    public var count: Int { found.count }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(objects: self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let objects: FetchedObjects
        private var delivered = 0

        fileprivate init(objects: FetchedObjects) { self.objects = objects }

        /// The next object; nil when all have come.
        ///
        /// - Throws: `CancellationError` when the task is cancelled, so that a part is never taken for the whole; ``StoreError``.
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

/// One of several objects that are being fetched.
public struct FetchedObject: Hashable, Sendable {
    public let id: String
    public let value: JSONValue
    /// How far the fetching has come with this object: above 0, each object counting the same, and 1 with the last one.
    public let progress: Double

    public init(id: String, value: JSONValue, progress: Double) {
        self.id = id
        self.value = value
        self.progress = progress
    }
}
