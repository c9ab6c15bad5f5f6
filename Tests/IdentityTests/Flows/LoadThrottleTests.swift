import Files
import Synchronization
import Testing

@testable import Identity

@Suite("Hashing rests longer if the rest of the process is busier")
struct LoadThrottleTests {
    /// Clocks that a test sets.
    private final class Clocks: Sendable {
        private let state = Mutex((reading: ClockReading(monotonic: 7, process: 5, thread: 3), rests: [UInt32]()))

        var rests: [UInt32] { state.withLock { $0.rests } }

        func pace(processors: Int) -> LoadThrottle {
            LoadThrottle(
                processors: processors, read: { self.state.withLock { $0.reading } },
                rest: { microseconds in self.state.withLock { $0.rests.append(microseconds) } })
        }

        /// Advances the clocks by one hash, while the rest of the process also works.
        func pass(milliseconds: UInt64, hashing: UInt64, others: UInt64) {
            state.withLock { state in
                state.reading.monotonic += milliseconds * 1_000_000
                state.reading.thread += hashing * 1_000_000
                state.reading.process += (hashing + others) * 1_000_000
            }
        }
    }

    @Test(
        "The rest is twelve times the work if others use all processors, nothing if they use none, and at most 250 ms",
        arguments: [
            // On two processors, 100 ms are 200 ms of processor time.
            (hashing: 10, others: 0, rest: nil), (10, 190, 114_000), (10, 100, 60_000), (10, 20, 12_000), (100, 100, 250_000),
            // More than possible: the clocks were not read at the same moment.
            (10, 400, 120_000),
        ] as [(hashing: UInt64, others: UInt64, rest: UInt32?)])
    func rests(hashing: UInt64, others: UInt64, rest: UInt32?) {
        let clocks = Clocks()
        clocks.pace(processors: 2).work { clocks.pass(milliseconds: 100, hashing: hashing, others: others) }
        #expect(clocks.rests == (rest.map { [$0] } ?? []))
    }

    @Test("Hashing does not count as other work, and short jobs are added up")
    func together() {
        let clocks = Clocks()
        let pace = clocks.pace(processors: 2)
        for _ in 0..<10 { pace.work { clocks.pass(milliseconds: 10, hashing: 10, others: 0) } }
        #expect(clocks.rests.isEmpty)
        pace.work { clocks.pass(milliseconds: 10, hashing: 5, others: 10) }
        pace.work { clocks.pass(milliseconds: 10, hashing: 5, others: 10) }
        #expect(clocks.rests == [30_000])
    }
}
