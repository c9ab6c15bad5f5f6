/// Why a backup could not be made or restored.
public enum BackupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The destination of the backup or the store is not empty.
    case isTaken(path: String)
    /// Another process is creating the same folder.
    case isBeingMade(path: String, holder: String)
    /// The folder holds no backup.
    case notABackup(path: String)
    /// The folder is a backup, which cannot be written to.
    case isNotWritable(path: String)
    /// The backup has a format of another version of Muniment.
    case unknownFormat(path: String, format: String)
    /// The backup does not match its record.
    case damaged(path: String, problem: String)
    /// The copied data does not match the store's log.
    case copyIsWrong(path: String, problem: String)
    /// The folder contains no stores to back up.
    case noStores(path: String)

    public var description: String {
        switch self {
        case .isTaken(let path): "`\(path)` already exists and is not overwritten: name another folder"
        case .isBeingMade(let path, let holder): "\(holder) is writing `\(path)`: wait for it, or name another folder"
        case .notABackup(let path):
            "`\(path)` is not a backup: name a folder of `muniment backup`, which contains `backup.json`"
        case .isNotWritable(let path):
            "`\(path)` is a backup, which is read-only: create a store from it with `muniment restore`, and write to that store"
        case .unknownFormat(let path, let format):
            "the backup in `\(path)` has the format `\(format)`, which this version does not know: restore it with the version "
                + "that made it"
        case .damaged(let path, let problem):
            "the backup in `\(path)` was changed or damaged (\(problem)): use another one"
        case .copyIsWrong(let path, let problem):
            "the copy of `\(path)` is inconsistent (\(problem)), so no backup was made: run `muniment verify` on the "
                + "store"
        case .noStores(let path): "`\(path)` has no folder with a store: check the path"
        }
    }
}
