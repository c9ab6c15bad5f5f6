internal import EventLog
internal import Events
internal import Files

extension Store {
    /// Makes a backup of the store at this moment. The store stays in use meanwhile.
    ///
    /// Every commit of the copy is verified before the backup appears at its path, complete and durable. Linear in the log. During
    /// the copy, free pages of the log's file are not reused.
    ///
    /// - Parameter path: the folder to create for the backup; it must not exist or must be empty.
    /// - Returns: the contents of the backup.
    /// - Throws: ``BackupError``, or file errors. An error leaves no backup.
    public func backup(to path: String) throws -> Backup {
        try BackupError.checkPlace(StoreFolder(path).path)
        return try users.during { try Store.backup(folder, log, to: path, options) }
    }

    /// Makes a backup of a store that this process has not opened. Another process may write to the store meanwhile.
    ///
    /// - Parameters:
    ///   - path: the store's folder.
    ///   - backup: the folder to create for the backup; it must not exist or must be empty.
    ///   - options: the progress and the size of the map.
    /// - Returns: the contents of the backup.
    /// - Throws: ``StoreError``, ``BackupError``, or file errors. An error leaves no backup.
    public static func backup(at path: String, to backup: String, options: StoreOptions = StoreOptions()) throws -> Backup {
        try BackupError.checkPlace(StoreFolder(backup).path)
        return try makeBackup(at: path, to: backup, options: options)
    }

    static func makeBackup(at path: String, to backup: String, options: StoreOptions) throws -> Backup {
        try withLog(at: path, options) { folder, log in
            try folder.logSeal.check(log)
            try IndexOpening(folder: folder, log: log, options: options).checkForRollback()
            return try Store.backup(folder, log, to: backup, options)
        }
    }

    /// Opens the log of a store that this process has not opened, and closes it after `body`.
    fileprivate static func withLog<R>(
        at path: String, _ options: StoreOptions, _ body: (StoreFolder, EventLog) throws -> R
    ) throws -> R {
        let folder = StoreFolder(path)
        try folder.checkHoldsStore()
        try OpenStores.enter(folder.path)
        defer { OpenStores.leave(folder.path) }
        let log = try folder.openLogForReading(options)
        defer { log.close() }
        return try body(folder, log)
    }

    /// Opens the log of a closed store for writing, with the writer's lock, and closes it after `body`.
    static func withLogForWriting<R>(of folder: StoreFolder, _ options: StoreOptions, _ body: (EventLog) throws -> R) throws -> R {
        try OpenStores.enter(folder.path)
        defer { OpenStores.leave(folder.path) }
        let lock = try folder.takeLock()
        defer { lock.release() }
        let log = try EventLog(path: folder.log, isReadOnly: false, mapBytes: options.mapBytes)
        defer { log.close() }
        return try body(log)
    }

    private static func backup(
        _ folder: StoreFolder, _ log: EventLog, to path: String, _ options: StoreOptions
    ) throws -> Backup {
        try StagingFolder.make(at: StoreFolder(path).path) { draft in
            let draft = StoreFolder(draft)
            guard let before = try log.refreshHead() else { throw LogError.empty }
            try makeFolder(draft.log)
            try log.copy(to: draft.log + "/data.mdb")
            let backup = try check(draft, of: folder, holds: before, options)
            if fileExists(folder.levels) { try replaceFile(draft.levels, with: readFile(folder.levels)) }
            try backup.write(to: draft.path)
            return backup
        }
    }

    /// Verifies a copied log and its head, and seals it.
    private static func check(
        _ draft: StoreFolder, of folder: StoreFolder, holds before: LogHead, _ options: StoreOptions
    ) throws -> Backup {
        let report = try Store.verify(at: draft.path, quick: true, options: options)
        let log = try EventLog(path: draft.log, isReadOnly: true, mapBytes: options.mapBytes)
        defer { log.close() }
        guard report.isSound, let reported = report.head, let head = log.head else {
            throw BackupError.copyIsWrong(path: folder.path, problem: report.problems.joined(separator: "; "))
        }
        guard head.revision >= before.revision, try log.read({ try $0.hash(of: before.revision) }) == before.hash else {
            throw BackupError.copyIsWrong(path: folder.path, problem: "it does not continue after revision \(before.revision)")
        }
        try draft.logSeal.write(revision: head.revision, hash: head.hash, limit: .max)
        // A reader of the log leaves this file.
        try removeFile(draft.log + "/lock.mdb")
        return Backup(report, head: reported)
    }
}

extension Backup {
    /// Compares this backup with the store that it was made from. Another process may write to the store meanwhile.
    ///
    /// - Parameters:
    ///   - path: the store's folder.
    ///   - options: the size of the map.
    /// - Returns: the head of the store; nil if its log does not contain the last commit of the backup.
    /// - Throws: ``StoreError``, or file errors.
    public func headOfOrigin(at path: String, options: StoreOptions = StoreOptions()) throws -> StoreHead? {
        try Store.withLog(at: path, options) { _, log in
            guard let last = try log.refreshHead(), last.revision >= head.revision else { return nil }
            return try log.read { reader in
                guard try "\(reader.hash(of: head.revision))" == head.hash else { return nil }
                if let refusalHash {
                    let known = try reader.hash(of: RefusalNumber(refusals))
                    guard known.map({ "\($0)" }) == refusalHash else { return nil }
                }
                return StoreHead(revision: last.revision, time: try reader.time(of: last.revision), hash: "\(last.hash)")
            }
        }
    }
}
