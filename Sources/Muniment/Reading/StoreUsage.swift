internal import EventLog
internal import LMDB
internal import Projections

/// How much of the disk and of memory a store takes, and whether it can be written to.
public struct StoreUsage: Hashable, Sendable {
    /// One of the two files of a store.
    public struct Part: Hashable, Sendable {
        /// Bytes of the file.
        public let fileBytes: Int
        /// Bytes of address space that the map reserves; it grows when they are used.
        public let mapBytes: Int
        /// Bytes of the map up to the last page that was ever in use.
        public let usedBytes: Int
        /// Views that are open at this moment, by whichever process.
        public let readers: Int

        init(_ usage: EnvironmentUsage) {
            (fileBytes, mapBytes, usedBytes, readers) = (usage.fileBytes, usage.mapBytes, usage.usedBytes, usage.readers)
        }
    }

    public let log: Part
    public let index: Part
}

extension Store {
    /// How much of the disk and of memory the store takes. Looks at no page of it.
    ///
    /// - Throws: ``StoreError/closed``.
    public func usage() throws -> StoreUsage {
        try users.during { StoreUsage(log: StoreUsage.Part(log.usage()), index: StoreUsage.Part(index.usage())) }
    }

    /// What was written since the store was opened by this process.
    public var activity: StoreActivity { writer?.activity.value ?? StoreActivity() }

    /// Whether the store's folder still leads to the log that is open: it was neither moved, removed nor replaced. One call of the
    /// system.
    public var isInPlace: Bool { log.isInPlace }

    /// Why the machine's clock keeps the store from committing now (``ClockLimits``); nil if it does not.
    public var clockProblem: StoreError? {
        get throws {
            guard let clockGuard = writer?.clockGuard else { return nil }
            return clockGuard.problem(head: try head.time)
        }
    }

    /// Why the store takes no more writes; nil while it does.
    ///
    /// It is stopped by a write or a sync that failed, and stays so until it is opened again, and while its files are not in place
    /// (``isInPlace``).
    public var obstacleToWriting: String? {
        if users.isClosed { return "\(StoreError.closed)" }
        guard let writer else { return "\(StoreError.openedForReading(path: folder.path))" }
        return log.failure ?? writer.failure ?? (isInPlace ? nil : "\(StoreError.displaced(path: folder.path))")
    }
}
