internal import Events
internal import Synchronization

/// What a store has brought to its log since it was opened.
public struct StoreActivity: Hashable, Sendable {
    public internal(set) var commits: UInt64 = 0
    public internal(set) var events: UInt64 = 0
    /// Records of refused commands.
    public internal(set) var refusals: UInt64 = 0
    /// How long each write of a group took, its sync of the disk included.
    public internal(set) var writes = DurationHistogram()

    public init() {}
}

/// How often something took how long.
public struct DurationHistogram: Hashable, Sendable {
    /// The upper bounds of the spans that are told apart, in nanoseconds; what takes longer is in one more.
    public static let boundsNanoseconds: [UInt64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000,
        500_000_000, 1_000_000_000, 2_500_000_000, 10_000_000_000,
    ]

    /// How often it took no longer than each bound, and longer than the one before; the last is for what took longer than all.
    public private(set) var counts = [UInt64](repeating: 0, count: boundsNanoseconds.count + 1)
    /// How long it took altogether.
    public private(set) var totalNanoseconds: UInt64 = 0

    public init() {}

    /// A histogram whose parts were counted elsewhere.
    ///
    /// - Parameters:
    ///   - counts: one for each bound, and one more.
    ///   - totalNanoseconds: how long all of it took.
    public init(counts: [UInt64], totalNanoseconds: UInt64) {
        precondition(counts.count == DurationHistogram.boundsNanoseconds.count + 1, "a count for each bound and one more")
        self.counts = counts
        self.totalNanoseconds = totalNanoseconds
    }

    /// The span that a duration falls into.
    public static func span(of nanoseconds: UInt64) -> Int {
        boundsNanoseconds.firstIndex { nanoseconds <= $0 } ?? boundsNanoseconds.count
    }

    mutating func add(_ nanoseconds: UInt64) {
        counts[DurationHistogram.span(of: nanoseconds)] += 1
        totalNanoseconds += nanoseconds
    }
}

/// Counts what a writer brings to the log.
final class WriteActivity: Sendable {
    private let state = Mutex(StoreActivity())

    var value: StoreActivity { state.withLock { $0 } }

    /// Measures a write of the log, and counts it where it succeeds.
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
