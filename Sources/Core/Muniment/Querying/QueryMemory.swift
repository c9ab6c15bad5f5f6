internal import Events
internal import Projections
internal import Synchronization

/// A cache of the results of queries beyond the returned page, for the following pages. Each item belongs to one revision and one
/// instant, so it never becomes invalid.
final class QueryMemory: Sendable {
    /// The largest number of cached positions. Each takes some dozens of bytes.
    private static let limit = 1_000_000

    private let kept = Mutex<[Entry]>([])

    private struct Entry {
        let key: Key
        /// In the query's order.
        let positions: [QueryPosition]
    }

    struct Key: Hashable {
        /// A digest of the query and its caller.
        let digest: [UInt8]
        let revision: Revision
        let instant: Instant
    }

    /// Caches the results of a query. Above the limit, the least recently used results are removed.
    func keep(_ positions: [QueryPosition], for key: Key) {
        kept.withLock { kept in
            kept.removeAll { $0.key == key }
            kept.insert(Entry(key: key, positions: positions), at: 0)
            var count = 0
            let fitting = kept.prefix { entry in
                count += entry.positions.count
                return count <= Self.limit
            }
            kept.removeLast(kept.count - fitting.count)
        }
    }

    /// Returns the page after a position; nil if it is not cached.
    func page(behind position: QueryPosition, limit: Int?, for key: Key) -> QueryResult? {
        kept.withLock { kept in
            guard let place = kept.firstIndex(where: { $0.key == key }),
                let index = kept[place].positions.firstIndex(where: { $0.object == position.object }),
                kept[place].positions[index] == position
            else { return nil }
            kept.insert(kept.remove(at: place), at: 0)
            let rest = kept[0].positions[(index + 1)...]
            let page = limit.map { rest.prefix($0) } ?? rest
            return QueryResult(objects: page.map(\.object), next: page.count < rest.count ? page.last : nil)
        }
    }
}
