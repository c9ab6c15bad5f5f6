internal import Muniment
internal import Synchronization

/// A counter that only increases. Usable from any thread without a lock.
final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .relaxed) }

    func add(_ number: UInt64 = 1) { count.add(number, ordering: .relaxed) }
}

/// A number that increases and decreases. Usable from any thread without a lock.
final class Gauge: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ number: Int) { count.add(number, ordering: .relaxed) }
}

/// A histogram of durations. Usable from any thread without a lock.
final class DurationCounter: Sendable {
    private let counts = (0...DurationHistogram.boundsNanoseconds.count).map { _ in Counter() }
    private let total = Counter()

    func add(nanoseconds: UInt64) {
        counts[DurationHistogram.span(of: nanoseconds)].add()
        total.add(nanoseconds)
    }

    /// The histogram. During concurrent updates, the sum may be a moment ahead of the counts.
    var value: DurationHistogram { DurationHistogram(counts: counts.map(\.value), totalNanoseconds: total.value) }
}
