internal import Files

/// Why a backup could not be made or restored.
public enum BackupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The folder that would contain the backup does not exist.
    case hasNoPlace(path: String, parent: String)
    /// The backup would be in a data directory or in a store.
    case isInData(path: String, parent: String)
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

    /// Throws ``hasNoPlace(path:parent:)`` or ``isInData(path:parent:)`` if a backup does not belong at a path.
    static func checkPlace(_ path: String) throws(BackupError) {
        let parent = parentFolder(of: path)
        guard isFolder(parent) else { throw .hasNoPlace(path: path, parent: parent) }
        guard !isFolder(parent + "/.muniment") else { throw .isInData(path: path, parent: parent) }
        var folder = canonicalPath(parent)
        while folder != "/", !folder.isEmpty {
            guard !folder.hasSuffix("/.muniment"), !StoreFolder(folder).holdsStore else {
                throw .isInData(path: path, parent: folder)
            }
            folder = parentFolder(of: folder)
        }
    }

    public var description: String {
        switch self {
        case .hasNoPlace(let path, let parent):
            "the folder `\(parent)` for the backup `\(path)` does not exist: create it, or mount the disk of the backups"
        case .isInData(let path, let parent):
            "the backup `\(path)` would be in the data that it is made of, in `\(parent)`: name a folder outside of it"
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
