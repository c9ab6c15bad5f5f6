internal import Files
internal import Foundation
internal import Glibc
internal import Synchronization

/// Adds pauses to heavy work, in proportion to the load of the rest of the process.
///
/// A low priority is not sufficient. The scheduler lets a running thread continue for milliseconds before a thread that wakes up,
/// and the threads that serve requests wake up thousands of times per second.
final class LoadThrottle: Sendable {
    private struct Account {
        var since: ClockReading
        /// The processor time of heavy work since then.
        var heavy: UInt64 = 0
        /// The previous load of the rest of the process, as a fraction of all processors from 0 to 1.
        var processLoad = 0.0
    }

    private let account: Mutex<Account>
    private let processors: Double
    private let read: @Sendable () -> ClockReading
    private let rest: @Sendable (_ microseconds: UInt32) -> Void

    /// The ratio of pause to work while the rest of the process uses all processors.
    static let longestRestRatio = 12.0
    static let longestRestMicroseconds = 250_000.0
    /// The minimum interval over which the load is measured.
    static let reckoningNanoseconds: UInt64 = 20_000_000

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

    /// Runs a job, and pauses afterwards.
    func work(_ job: () -> Void) {
        let start = read()
        job()
        let end = read()
        let cost = end.thread - start.thread
        let ratio = LoadThrottle.longestRestRatio * processLoad(at: end, after: cost)
        let microseconds = min(Double(cost) / 1_000 * ratio, LoadThrottle.longestRestMicroseconds).rounded()
        if microseconds >= 1 { rest(UInt32(microseconds)) }
    }

    private func processLoad(at now: ClockReading, after cost: UInt64) -> Double {
        account.withLock { account in
            account.heavy += cost
            // Threads may arrive here in a different order than they read the clocks.
            let (elapsed, isOver) = now.monotonic.subtractingReportingOverflow(account.since.monotonic)
            guard !isOver, elapsed >= LoadThrottle.reckoningNanoseconds else { return account.processLoad }
            let others = Double(now.process) - Double(account.since.process) - Double(account.heavy)
            let processLoad = min(max(others / (Double(elapsed) * processors), 0), 1)
            account = Account(since: now, processLoad: processLoad)
            return processLoad
        }
    }
}
