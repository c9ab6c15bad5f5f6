internal import EventLog
internal import Events
internal import Files

extension Store {
    /// Makes a backup of the store as it is now, while it goes on.
    ///
    /// What was copied is checked from the first commit to the last before the backup appears at its place, whole and durable.
    /// Linear in the log. While it is copied nothing of the log's file is reused.
    ///
    /// - Parameter path: the folder that the backup becomes; there must be nothing, or an empty folder.
    /// - Returns: what the backup holds.
    /// - Throws: ``BackupError``, or what the disk says; then there is no backup.
    public func backup(to path: String) throws -> Backup {
        try users.during { try Store.backup(folder, log, to: path, options) }
    }

    /// Makes a backup of a store that this process has not open, whoever else is writing to it meanwhile.
    ///
    /// - Parameters:
    ///   - path: the store's folder.
    ///   - backup: the folder that the backup becomes; there must be nothing, or an empty folder.
    ///   - options: the progress and the size of the map.
    /// - Returns: what the backup holds.
    /// - Throws: ``StoreError``, ``BackupError``, or what the disk says; then there is no backup.
    public static func backup(at path: String, to backup: String, options: StoreOptions = StoreOptions()) throws -> Backup {
        let folder = StoreFolder(path)
        try folder.checkHoldsStore()
        try OpenStores.enter(folder.path)
        defer { OpenStores.leave(folder.path) }
        let log = try folder.openLogForReading(options)
        defer { log.close() }
        try folder.logSeal.check(log)
        try IndexOpening(folder: folder, log: log, options: options).checkForRollback()
        return try Store.backup(folder, log, to: backup, options)
    }

    private static func backup(
        _ folder: StoreFolder, _ log: EventLog, to path: String, _ options: StoreOptions
    ) throws -> Backup {
        try FolderDraft.make(at: StoreFolder(path).path) { draft in
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

    /// Holds a copied log against itself and against a head that it has to have, and seals it.
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
            throw BackupError.copyIsWrong(path: folder.path, problem: "it does not go on from revision \(before.revision)")
        }
        try draft.logSeal.write(revision: head.revision, hash: head.hash, limit: .max)
        // Whoever reads the log leaves this beside it.
        try removeFile(draft.log + "/lock.mdb")
        return Backup(report, head: reported)
    }
}
