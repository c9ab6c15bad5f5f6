public import Events
internal import Foundation

/// How a store is opened.
public struct StoreOptions: Sendable {
    /// What time it is. Tests and replays hand in their own.
    ///
    /// A new clock has no ``clockLimits`` until they are set.
    public var clock: @Sendable () -> Instant { didSet { clockLimits = nil } }
    /// How far the machine's clock may be off before the store refuses to commit; nil for no limit.
    public var clockLimits: ClockLimits?
    /// When ends of access that fall due reach the log. Whoever gives commits times of their own chooses ``EndRecording/withCommits``.
    public var recordsEnds: EndRecording
    /// Told how long work goes on: folding, verifying. Called on the thread that does it.
    public var progress: (@Sendable (Progress) -> Void)?
    /// Bytes of address space for each of the two maps at first; they grow when they are full.
    public var mapBytes: Int
    /// Bytes of the log up to which closing seals the whole file, so that `verify` finds damage even where nothing is stored.
    public var logSealLimitBytes: Int
    /// Bytes of the index up to which closing seals the whole file. Opening then looks at every page, which takes about a
    /// millisecond for three megabytes, and folds a damaged index again.
    public var indexSealLimitBytes: Int
    /// Steps of work that a transaction may take if its caller does not administer the store. A step is about a tenth of a
    /// microsecond. A transaction that takes more is refused with `tooMuchWork`. Must be at least 1.
    public var workPerTransaction: Int

    /// Options for a store.
    ///
    /// - Parameters:
    ///   - clock: what time it is; nil for the machine's clock.
    ///   - clockLimits: how far the machine's clock may be off; nil for the standard limits with the machine's clock, and for none
    ///     with a clock of the caller.
    ///   - recordsEnds: when ends of access that fall due reach the log.
    ///   - progress: told how long work goes on, on the thread that does it.
    ///   - mapBytes: bytes of address space for each of the two maps at first.
    ///   - logSealLimitBytes: bytes of the log up to which closing seals the whole file.
    ///   - indexSealLimitBytes: bytes of the index up to which closing seals the whole file.
    ///   - workPerTransaction: steps of work that a transaction may take, at least 1.
    public init(
        clock: (@Sendable () -> Instant)? = nil, clockLimits: ClockLimits? = nil, recordsEnds: EndRecording = .byItself,
        progress: (@Sendable (Progress) -> Void)? = nil, mapBytes: Int = 1 << 34, logSealLimitBytes: Int = 1 << 28,
        indexSealLimitBytes: Int = 1 << 26, workPerTransaction: Int = Limits.workPerTransaction
    ) {
        self.clock = clock ?? systemClock
        self.clockLimits = clock == nil ? clockLimits ?? ClockLimits() : clockLimits
        self.recordsEnds = recordsEnds
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

/// How far a long piece of work has come.
public struct Progress: Hashable, Sendable {
    /// What is being done, such as "folding the log".
    public let stage: String
    public let done: UInt64
    public let total: UInt64
}

/// What a store is opened for.
public enum StoreAccess: Hashable, Sendable {
    case reading
    /// One process at a time.
    case writing
}

/// When a question is about.
public enum Moment: Hashable, Sendable {
    /// The head, by the clock.
    case now
    /// A revision, at its commit time.
    case revision(Revision)
    /// The last commit at or before an instant, at that instant.
    case time(Instant)
    /// A revision, with ends of access judged at an instant: repeats a question that was asked when the revision was the head.
    case revisionAt(Revision, Instant)
}
