internal import Files
internal import Foundation
internal import Glibc
internal import Synchronization

/// Has heavy work rest the longer, the busier the rest of the process is.
///
/// A low priority is not enough: the system lets a thread that has begun go on for milliseconds before another one that wakes up,
/// and the threads that answer wake up thousands of times in a second.
final class WorkPace: Sendable {
    private struct Account {
        var since: ClockReading
        /// Processor time of heavy work since then.
        var heavy: UInt64 = 0
        /// The part of all processors that the rest of the process had before, from 0 to 1.
        var busyness = 0.0
    }

    private let account: Mutex<Account>
    private let processors: Double
    private let read: @Sendable () -> ClockReading
    private let rest: @Sendable (_ microseconds: UInt32) -> Void

    /// How many times as long as it worked a thread rests while the rest of the process has all processors.
    static let longestRestRatio = 12.0
    static let longestRestMicroseconds = 250_000.0
    /// How busy the rest is is reckoned over at least so long.
    static let reckoningNanoseconds: UInt64 = 20_000_000

    /// - Parameters:
    ///   - processors: how many the machine has.
    ///   - read: reads the clocks.
    ///   - rest: lets the thread wait.
    init(
        processors: Int = ProcessInfo.processInfo.activeProcessorCount,
        read: @escaping @Sendable () -> ClockReading = { ClockReading.now() },
        rest: @escaping @Sendable (_ microseconds: UInt32) -> Void = { _ = usleep($0) }
    ) {
        self.processors = Double(processors)
        self.read = read
        self.rest = rest
        account = Mutex(Account(since: read()))
    }

    /// Does a piece of work, and rests behind it.
    func work(_ job: () -> Void) {
        let start = read()
        job()
        let end = read()
        let cost = end.thread - start.thread
        let ratio = WorkPace.longestRestRatio * busyness(at: end, behind: cost)
        let microseconds = min(Double(cost) / 1_000 * ratio, WorkPace.longestRestMicroseconds).rounded()
        if microseconds >= 1 { rest(UInt32(microseconds)) }
    }

    private func busyness(at now: ClockReading, behind cost: UInt64) -> Double {
        account.withLock { account in
            account.heavy += cost
            // Threads come here in another order than they read the clocks in.
            let (elapsed, isOver) = now.monotonic.subtractingReportingOverflow(account.since.monotonic)
            guard !isOver, elapsed >= WorkPace.reckoningNanoseconds else { return account.busyness }
            let others = Double(now.process) - Double(account.since.process) - Double(account.heavy)
            let busyness = min(max(others / (Double(elapsed) * processors), 0), 1)
            account = Account(since: now, busyness: busyness)
            return busyness
        }
    }
}
