internal import Glibc

/// Readings of the system clocks that cannot be set, in nanoseconds.
public struct ClockReading: Hashable, Sendable {
    /// Time of the machine, from an arbitrary start.
    public var monotonic: UInt64
    /// Processor time of all threads of the process.
    public var process: UInt64
    /// Processor time of the calling thread.
    public var thread: UInt64

    public init(monotonic: UInt64, process: UInt64, thread: UInt64) {
        self.monotonic = monotonic
        self.process = process
        self.thread = thread
    }

    /// Reads the clocks one after the other.
    public static func now() -> ClockReading {
        ClockReading(
            monotonic: nanoseconds(CLOCK_MONOTONIC), process: nanoseconds(CLOCK_PROCESS_CPUTIME_ID),
            thread: nanoseconds(CLOCK_THREAD_CPUTIME_ID))
    }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
