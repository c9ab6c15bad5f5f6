internal import CTimex
internal import Glibc

/// The clocks of the machine at one moment.
public struct MachineClock: Hashable, Sendable {
    /// Microseconds since 1970, UTC. An operator or a time service can set this clock.
    public var wall: Int64
    /// Microseconds since the machine started, including sleep. This clock cannot be set.
    public var sinceBoot: Int64
    /// Whether the kernel reports that a time service synchronizes the wall clock.
    public var isSynchronized: Bool

    public init(wall: Int64, sinceBoot: Int64, isSynchronized: Bool) {
        self.wall = wall
        self.sinceBoot = sinceBoot
        self.isSynchronized = isSynchronized
    }

    /// Reads the clocks. Takes three system calls.
    public static func now() -> MachineClock {
        MachineClock(
            wall: microseconds(CLOCK_REALTIME), sinceBoot: microseconds(CLOCK_BOOTTIME),
            isSynchronized: muniment_clock_is_synchronized() == 1)
    }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
