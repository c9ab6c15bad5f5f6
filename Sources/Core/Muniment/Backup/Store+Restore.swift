internal import Events
internal import Files

extension Store {
    /// Restores a store from a backup. The store must not exist.
    ///
    /// Verifies every page of the copied log with the backup's seal, and the hash chain of its commits with the head in the
    /// backup's record. Then rebuilds the index. The store appears at its path after all steps succeeded.
    ///
    /// - Parameters:
    ///   - backup: the folder that ``backup(to:)`` created. It is only read.
    ///   - path: the folder to create for the store; it must not exist or must be empty.
    ///   - options: the progress, the clock and the limits for rebuilding the index.
    /// - Returns: the contents of the backup.
    /// - Throws: ``BackupError``, or file errors. An error leaves no store.
    @discardableResult
    public static func restore(_ backup: String, to path: String, options: StoreOptions = StoreOptions()) throws -> Backup {
        let source = StoreFolder(backup)
        let record = try Backup(at: source.path)
        return try StagingFolder.make(at: StoreFolder(path).path) { draft in
            let draft = StoreFolder(draft)
            try makeFolder(draft.log)
            try take(source, into: draft)
            try check(draft, of: source, against: record, options)
            try foldIndex(at: draft.path, options)
            return record
        }
    }

    private static func take(_ source: StoreFolder, into draft: StoreFolder) throws {
        do {
            try copyFile(source.log + "/data.mdb", to: draft.log + "/data.mdb")
            try copyFile(source.log + "/seal", to: draft.log + "/seal")
        } catch let error as FileError where error.isMissing {
            throw BackupError.damaged(path: source.path, problem: "\(error)")
        }
        guard fileExists(source.levels) else { return }
        try copyFile(source.levels, to: draft.levels)
        do { _ = try Store.levels(in: draft) } catch let error as JSONError {
            throw BackupError.damaged(path: source.path, problem: error.problem)
        }
    }

    private static func check(
        _ draft: StoreFolder, of source: StoreFolder, against record: Backup, _ options: StoreOptions
    ) throws {
        let report = try Store.verify(at: draft.path, quick: true, options: options)
        guard report.isSound, let head = report.head else {
            let problem = report.problems.joined(separator: "; ").replacing(draft.path, with: source.path)
            throw BackupError.damaged(path: source.path, problem: problem)
        }
        let found = Backup(report, head: head)
        guard found == record else {
            throw BackupError.damaged(
                path: source.path,
                problem: "its log ends at r\(head.revision) \(head.hash), but its record has r\(record.head.revision)")
        }
    }
}
