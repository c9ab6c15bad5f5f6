import Muniment

/// Backups in a process that has a full disk or is killed.
enum BackupHelperCommands {
    /// Creates a backup with a file size limit.
    static func backUp(_ store: String, to backup: String, limit: Int) throws {
        FileSizeLimit.set(limit)
        _ = try Store.backup(at: store, to: backup)
        FaultHelper.say("made")
    }

    /// Restores a backup with a file size limit.
    static func restore(_ backup: String, to store: String, limit: Int) throws {
        FileSizeLimit.set(limit)
        try Store.restore(backup, to: store)
        FaultHelper.say("restored")
    }

    /// Creates one backup after another, and reports the number of each completed backup.
    static func backUpForever(_ store: String, in folder: String) throws {
        for number in 0... {
            _ = try Store.backup(at: store, to: "\(folder)/\(number)")
            FaultHelper.say("\(number)")
        }
    }
}
