internal import Events
internal import Projections
internal import Synchronization

/// What queries have found beyond the page that was asked for, kept for the pages behind it. It is of one revision and one
/// instant, and so is right for as long as it is kept.
final class QueryMemory: Sendable {
    /// Positions kept in all: some dozens of bytes each.
    private static let limit = 1_000_000

    private let kept = Mutex<[Entry]>([])

    private struct Entry {
        let key: Key
        /// In the query's order.
        let positions: [QueryPosition]
    }

    struct Key: Hashable {
        /// Tells the query and its caller from others.
        let digest: [UInt8]
        let revision: Revision
        let instant: Instant
    }

    /// Keeps what a query has found; what was used least lately goes where that is too much.
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

    /// The page behind a position; nil where it is not kept.
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
