package import Files

/// How far the machine's clock may differ from the time that a store expects. Beyond these limits the store refuses to commit,
/// since one commit at a wrong time would give every later commit that time, and would end access early.
public struct ClockLimits: Sendable {
    /// Seconds that the clock may be earlier than the newest commit.
    public var behindSeconds: Int64
    /// Seconds that the clock may gain on the time that has passed while the machine runs. No limit holds while a time service
    /// keeps the clock right.
    public var jumpSeconds: Int64
    /// Days between the newest commit and the first one after a restart of the machine. No limit holds while a time service keeps
    /// the clock right, or if the newest commit was imported.
    public var idleDays: Int64
    /// Reads the clocks of the machine.
    package var machine: @Sendable () -> MachineClock = MachineClock.now

    public init(behindSeconds: Int64 = 300, jumpSeconds: Int64 = 600, idleDays: Int64 = 92) {
        self.behindSeconds = behindSeconds
        self.jumpSeconds = jumpSeconds
        self.idleDays = idleDays
    }
}
