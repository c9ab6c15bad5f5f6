internal import Projections
internal import Synchronization

/// A pool of unused readers. Each keeps its cache of callers and classes.
final class ReaderPool: @unchecked Sendable {
    private let resting = Mutex<[Resting]>([])

    private struct Resting: @unchecked Sendable {
        let reader: IndexReader
        let index: Index
    }

    /// Returns a reader of an index, from the pool or new.
    func take(of index: Index) throws -> IndexReader {
        while let rested = resting.withLock({ $0.popLast() }) {
            guard rested.index === index else {
                rested.reader.end()
                continue
            }
            do { try rested.reader.renew() } catch {
                rested.reader.end()
                throw error
            }
            return rested.reader
        }
        return try index.beginReading()
    }

    func putBack(_ reader: IndexReader, of index: Index) {
        reader.rest()
        let rested = Resting(reader: reader, index: index)
        resting.withLock { $0.append(rested) }
    }

    func drain() {
        let all = resting.withLock { readers in
            defer { readers = [] }
            return readers
        }
        for rested in all { rested.reader.end() }
    }
}
