internal import EventLog
internal import Files
internal import LMDB
internal import Projections

/// The use of disk and memory by a store.
public struct StoreUsage: Hashable, Sendable {
    /// One of the two files of a store.
    public struct Part: Hashable, Sendable {
        /// Bytes of the file.
        public let fileBytes: Int
        /// Bytes of address space that the map reserves; it grows when they are used.
        public let mapBytes: Int
        /// Bytes of the map up to the last page that was ever used.
        public let usedBytes: Int
        /// Read transactions that are open in any process.
        public let readers: Int

        init(_ usage: EnvironmentUsage) {
            (fileBytes, mapBytes, usedBytes, readers) = (usage.fileBytes, usage.mapBytes, usage.usedBytes, usage.readers)
        }
    }

    public let log: Part
    public let index: Part
}

extension Store {
    /// Returns the use of disk and memory by the store. Does not read any page of it.
    ///
    /// - Throws: ``StoreError/closed``.
    public func usage() throws -> StoreUsage {
        try users.during { StoreUsage(log: StoreUsage.Part(log.usage()), index: StoreUsage.Part(index.usage())) }
    }

    /// The writes since this process opened the store.
    public var activity: StoreActivity { writer?.activity.value ?? StoreActivity() }

    /// The number of transactions in this process that wait for the writer.
    public var waitingTransactions: Int { writer?.waitingCount ?? 0 }

    /// Whether the store's folder still contains the open log: it was not moved, removed, replaced or overwritten. Takes one system
    /// call, and a read of the log while the store is open.
    public var isInPlace: Bool { log.isInPlace && (try? users.during { log.hasHead }) != false }

    /// The error of changes while the disk has too little free space; nil if it has enough. Takes one system call.
    public var lackOfDiskSpace: StoreError? { .lackOfDiskSpace(at: folder.path) }

    /// The reason the machine's clock currently prevents commits (``ClockLimits``); nil if it does not.
    public var clockProblem: StoreError? {
        get throws {
            guard let clockGuard = writer?.clockGuard else { return nil }
            return clockGuard.problem(head: try head.time)
        }
    }

    /// The reason the store accepts no writes; nil while it accepts them.
    ///
    /// A failed write or sync stops the store until it is reopened. The store also accepts no writes while its files are not in
    /// place (``isInPlace``).
    public var obstacleToWriting: String? {
        if users.isClosed { return "\(StoreError.closed)" }
        guard let writer else { return "\(StoreError.openedForReading(path: folder.path))" }
        return log.failure ?? writer.failure ?? (isInPlace ? nil : "\(StoreError.displaced(path: folder.path))")
    }
}
