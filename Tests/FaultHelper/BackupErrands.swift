import Muniment

/// Backups in a process whose disk is full, or that is killed.
enum BackupErrands {
    /// Makes a backup where no file may grow beyond a limit.
    static func backUp(_ store: String, to backup: String, limit: Int) throws {
        FileSizeLimit.set(limit)
        _ = try Store.backup(at: store, to: backup)
        FaultHelper.say("made")
    }

    /// Restores a backup where no file may grow beyond a limit.
    static func restore(_ backup: String, to store: String, limit: Int) throws {
        FileSizeLimit.set(limit)
        try Store.restore(backup, to: store)
        FaultHelper.say("restored")
    }

    /// Makes one backup after another, and says the number of each when it is done.
    static func backUpForever(_ store: String, in folder: String) throws {
        for number in 0... {
            _ = try Store.backup(at: store, to: "\(folder)/\(number)")
            FaultHelper.say("\(number)")
        }
    }
}
