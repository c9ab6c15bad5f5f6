internal import Events
internal import Permissions
internal import Projections
internal import Synchronization

/// A cache of the results of queries beyond the returned page, for the following pages. Each item belongs to one revision and one
/// instant, so it never becomes invalid.
///
/// The results of one caller take at most ``callerLimitBytes``, those of a store at most ``storeLimitBytes``, and those of all stores of
/// the process at most ``processLimitBytes``. A query whose results are not cached runs again for each page.
final class QueryMemory: Sendable {
    static let callerLimitBytes = 16 << 20
    static let storeLimitBytes = 64 << 20
    static let processLimitBytes = 256 << 20
    /// The maximum number of cached queries: they are searched one by one.
    private static let entryLimit = 256
    private static let processBytes = Atomic<Int>(0)

    private let kept = Mutex<[Entry]>([])

    private struct Entry {
        let key: Key
        /// In the query's order.
        let positions: [QueryPosition]
        let bytes: Int

        init(_ key: Key, _ positions: [QueryPosition]) {
            self.key = key
            self.positions = positions
            // Arrays have a head of 32 bytes, and a position has a number and a reference.
            bytes = positions.reduce(0) { $0 + 48 + $1.keys.reduce(0) { $0 + 40 + $1.count } }
        }
    }

    struct Key: Hashable {
        let caller: Name
        let digest: [UInt8]
        let revision: Revision
        let instant: Instant
    }

    deinit { Self.processBytes.subtract(bytes, ordering: .relaxed) }

    /// The memory of the cached results, in bytes.
    var bytes: Int { kept.withLock { Self.bytes($0) } }

    private static func bytes(_ entries: [Entry]) -> Int { entries.reduce(0) { $0 + $1.bytes } }

    /// Caches the results of a query. Above a limit, the least recently used results are removed.
    func keep(_ positions: [QueryPosition], for key: Key) {
        let new = Entry(key, positions)
        guard new.bytes <= Self.callerLimitBytes else { return }
        kept.withLock { kept in
            let before = Self.bytes(kept)
            // The same query at another instant has a new cursor: its earlier results are rarely used again.
            kept.removeAll { $0.key.caller == key.caller && $0.key.digest == key.digest && $0.key.revision == key.revision }
            kept.insert(new, at: 0)
            var (all, ofCaller, count) = (0, 0, 0)
            kept = kept.filter { entry in
                let isCallers = entry.key.caller == key.caller
                guard count < Self.entryLimit, all + entry.bytes <= Self.storeLimitBytes,
                    !isCallers || ofCaller + entry.bytes <= Self.callerLimitBytes
                else { return false }
                all += entry.bytes
                count += 1
                if isCallers { ofCaller += entry.bytes }
                return true
            }
            let change = Self.bytes(kept) - before
            let process = Self.processBytes.add(change, ordering: .relaxed).newValue
            if process > Self.processLimitBytes {
                Self.processBytes.subtract(kept.removeFirst().bytes, ordering: .relaxed)
            }
        }
    }

    /// Returns the page after a position; nil if it is not cached.
    func page(after position: QueryPosition, limit: Int?, for key: Key) -> QueryResult? {
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
