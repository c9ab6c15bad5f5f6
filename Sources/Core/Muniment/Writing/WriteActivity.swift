internal import Events
internal import Synchronization

/// Statistics of the writes to a store's log since it was opened.
public struct StoreActivity: Hashable, Sendable {
    public internal(set) var commits: UInt64 = 0
    public internal(set) var events: UInt64 = 0
    /// The number of records of refused commands.
    public internal(set) var refusals: UInt64 = 0
    /// The duration of each write of a group, including its sync to the disk.
    public internal(set) var writes = DurationHistogram()
}

/// A histogram of durations.
public struct DurationHistogram: Hashable, Sendable {
    /// The upper bounds of the buckets, in nanoseconds. One more bucket counts longer durations.
    public static let boundsNanoseconds: [UInt64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000,
        500_000_000, 1_000_000_000, 2_500_000_000, 10_000_000_000,
    ]

    /// The counts of each bucket: durations up to its bound and above the previous bound. The last count is for longer durations.
    public private(set) var counts = [UInt64](repeating: 0, count: boundsNanoseconds.count + 1)
    /// The sum of all durations.
    public private(set) var totalNanoseconds: UInt64 = 0

    public init() {}

    /// Creates a histogram from counts.
    ///
    /// - Parameters:
    ///   - counts: one for each bound, and one more.
    ///   - totalNanoseconds: the sum of all durations.
    public init(counts: [UInt64], totalNanoseconds: UInt64) {
        precondition(counts.count == DurationHistogram.boundsNanoseconds.count + 1, "a count for each bound and one more")
        self.counts = counts
        self.totalNanoseconds = totalNanoseconds
    }

    /// Returns the bucket of a duration.
    public static func span(of nanoseconds: UInt64) -> Int {
        boundsNanoseconds.firstIndex { nanoseconds <= $0 } ?? boundsNanoseconds.count
    }

    mutating func add(_ nanoseconds: UInt64) {
        counts[DurationHistogram.span(of: nanoseconds)] += 1
        totalNanoseconds += nanoseconds
    }
}

/// Counts the writes to the log.
final class WriteActivity: Sendable {
    private let state = Mutex(StoreActivity())

    var value: StoreActivity { state.withLock { $0 } }

    /// Measures a write of the log, and counts it if it succeeds.
    func measure(_ commits: [Commit], _ refusals: [RecordedRefusal], _ write: () throws -> Void) throws {
        let begun = ContinuousClock.now
        try write()
        let taken = ContinuousClock.now - begun
        state.withLock { state in
            state.commits += UInt64(commits.count)
            state.events += commits.reduce(0) { $0 + UInt64($1.events.count) }
            state.refusals += UInt64(refusals.count)
            state.writes.add(UInt64(max(0, taken / .nanoseconds(1))))
        }
    }
}
