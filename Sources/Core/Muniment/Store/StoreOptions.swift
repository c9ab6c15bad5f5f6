public import EventLog
public import Events
internal import Foundation

/// Options for opening a store.
public struct StoreOptions: Sendable {
    /// Returns the current time. Tests and replays set another clock.
    ///
    /// A new clock has no ``clockLimits`` until they are set.
    public var clock: @Sendable () -> Instant { didSet { clockLimits = nil } }
    /// How far the machine's clock may be off before the store refuses to commit; nil for no limit.
    public var clockLimits: ClockLimits?
    /// When expired access is written to the log. Callers that set commit times use ``ExpiryRecording/withCommits``.
    public var expiryRecording: ExpiryRecording
    /// Receives the progress of long work: folding, verifying. Called on the thread that does the work.
    public var progress: (@Sendable (Progress) -> Void)?
    /// The initial address space of each of the two maps, in bytes. The maps grow when they are full.
    public var mapBytes: Int
    /// The largest log, in bytes, that closing seals completely, so that `verify` finds damage in unused parts of the file as well.
    public var logSealLimitBytes: Int
    /// The largest index, in bytes, that closing seals completely. Opening then checks every page, which takes about a millisecond
    /// for three megabytes, and rebuilds a damaged index.
    public var indexSealLimitBytes: Int
    /// Steps of work that a transaction may take if its caller does not administer the store. A step is about a tenth of a
    /// microsecond. A transaction that takes more is refused with `tooMuchWork`. Must be at least 1.
    public var workPerTransaction: Int
    /// The log that this store shares with other nodes; nil for a store on one machine.
    ///
    /// The store's folder then has a copy of this log. A commit is acknowledged after it is in the shared log.
    public var sharedLog: (any SharedLog)?
    /// Whether a copy of a shared log is opened without that log, for upkeep that appends nothing.
    var isUpkeep = false

    /// Creates options for a store.
    ///
    /// - Parameters:
    ///   - clock: returns the current time; nil for the machine's clock.
    ///   - clockLimits: how far the machine's clock may be off; nil for the standard limits with the machine's clock, and for no
    ///     limits with another clock.
    ///   - expiryRecording: when expired access is written to the log.
    ///   - progress: receives the progress of long work, on the thread that does it.
    ///   - mapBytes: the initial address space of each of the two maps, in bytes.
    ///   - logSealLimitBytes: the largest log, in bytes, that closing seals completely.
    ///   - indexSealLimitBytes: the largest index, in bytes, that closing seals completely.
    ///   - workPerTransaction: steps of work that a transaction may take, at least 1.
    public init(
        clock: (@Sendable () -> Instant)? = nil, clockLimits: ClockLimits? = nil, expiryRecording: ExpiryRecording = .byItself,
        progress: (@Sendable (Progress) -> Void)? = nil, mapBytes: Int = 1 << 34, logSealLimitBytes: Int = 1 << 28,
        indexSealLimitBytes: Int = 1 << 26, workPerTransaction: Int = Limits.workPerTransaction
    ) {
        self.clock = clock ?? systemClock
        self.clockLimits = clock == nil ? clockLimits ?? ClockLimits() : clockLimits
        self.expiryRecording = expiryRecording
        self.progress = progress
        self.mapBytes = mapBytes
        self.logSealLimitBytes = logSealLimitBytes
        self.indexSealLimitBytes = indexSealLimitBytes
        self.workPerTransaction = workPerTransaction
    }
}

/// The machine's clock, in whole microseconds.
public let systemClock: @Sendable () -> Instant = {
    Instant(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded(.down)))
}

/// The progress of a long operation.
public struct Progress: Hashable, Sendable {
    /// The current stage, such as "folding the log".
    public let stage: String
    public let done: UInt64
    public let total: UInt64
}

/// The access mode of an open store.
public enum StoreAccess: Hashable, Sendable {
    case reading
    /// One process at a time.
    case writing
}

/// The moment that a query is about.
public enum Moment: Hashable, Sendable {
    /// The head, at the current time.
    case now
    /// A revision, at its commit time.
    case revision(Revision)
    /// The last commit at or before an instant, at that instant.
    case time(Instant)
    /// A revision, with expiries judged at an instant. Repeats a query that was sent when the revision was the head.
    case revisionAt(Revision, Instant)
}
