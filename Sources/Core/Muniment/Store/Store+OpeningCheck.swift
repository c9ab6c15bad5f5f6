internal import EventLog
internal import Files
internal import LMDB

extension Store {
    /// Throws the error that ``open(at:_:options:)`` for writing would throw. Changes nothing, not even the lock files of LMDB.
    ///
    /// Reads the ends of the log and of the index, as an opening does. Only ``verify(at:quick:options:)`` reads all records.
    ///
    /// - Parameters:
    ///   - path: the folder of the store.
    ///   - options: the limits, and the shared log of a copy. An unreachable shared log is an error only for a store that is not
    ///     yet a copy of it.
    /// - Returns: why the store would take no changes after it is opened: a wrong clock, or a disk with too little free space; nil if it
    ///   would take them.
    /// - Throws: ``StoreError``, which is ``StoreError/heldByAnotherWriter(path:holder:)`` for a store that a process has open for
    ///   writing; `LogError` for a damaged log; `SharedLogError`, or an error of the file system.
    @discardableResult
    public static func checkOpening(at path: String, options: StoreOptions = StoreOptions()) throws -> StoreError? {
        let folder = StoreFolder(path)
        try folder.checkHoldsStore()
        guard !folder.isBackup else { throw BackupError.isNotWritable(path: path) }
        try folder.checkNotHeld()
        do { return try folder.checkOpening(options) } catch {
            // A writer that has begun meanwhile replaces pages that this process reads.
            try folder.checkNotHeld()
            throw error
        }
    }
}

extension StoreFolder {
    fileprivate func checkNotHeld() throws(StoreError) {
        guard FileLock.isHeld(path: lock) else { return }
        throw .heldByAnotherWriter(path: path, holder: FileLock.holder(of: lock) ?? "another process")
    }

    fileprivate func checkOpening(_ options: StoreOptions) throws -> StoreError? {
        if let file = files.first(where: { !mayUse($0) }) {
            throw StorageError(.notPermitted, "open", path: file, detail: "this user may not read and write it")
        }
        let log = try EventLog(path: log, isReadOnly: true, isStill: true, mapBytes: options.mapBytes)
        defer { log.close() }
        guard let head = log.head else { throw LogError.empty }
        guard options.sharedLog != nil || !fileExists(sharedMark) else { throw StoreError.shared(path: path) }
        try logSeal.check(log)
        if let shared = options.sharedLog { try check(log, isCopyOf: shared) }
        try IndexOpening(folder: self, log: log, options: options, isStill: true).checkForRollback()
        return .lackOfDiskSpace(at: path) ?? Store.clockGuard(self, log, options)?.problem(head: head.time)
    }

    private func check(_ log: EventLog, isCopyOf shared: any SharedLog) throws {
        do {
            guard try shared.position() != nil else { throw SharedLogError.noStore }
            _ = try shared.records(after: log.end, limitBytes: 1)
        } catch SharedLogError.unreachable where fileExists(sharedMark) {}
    }
}
