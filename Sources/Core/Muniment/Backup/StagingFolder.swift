internal import Files
internal import Foundation

/// Creates a folder under a temporary name and renames it when it is complete.
///
/// The temporary folder is `PATH.part`. It contains a lock that ends with the process. If a process ends early, the next process
/// that creates the same folder removes the leftovers.
enum StagingFolder {
    private static let lockName = "part.lock"

    /// Fills a folder with `body`, syncs its names to the disk, and renames it to `path`.
    ///
    /// - Throws: ``BackupError/isTaken(path:)`` if `path` is anything except an empty folder, before `body` is called or after it;
    ///   ``BackupError/isBeingMade(path:holder:)``; errors of `body`, after everything was removed.
    static func make<R>(at path: String, _ body: (_ draft: String) throws -> R) throws -> R {
        try checkIsFree(path)
        let draft = path + ".part"
        try makeFolder(draft)
        let lock = try takeLock(in: draft, for: path)
        defer { lock.release() }
        // The previous lock holder may have created the folder.
        try checkIsFree(path)
        do {
            try clear(draft)
            let result = try body(draft)
            try syncFolder(of: lock.path)
            try putInPlace(draft, path)
            return result
        } catch {
            try? FileManager.default.removeItem(atPath: draft)
            throw error
        }
    }

    static func checkIsFree(_ path: String) throws {
        guard try exists(path) else { return }
        guard isFolder(path), try fileNames(in: path).isEmpty else {
            throw BackupError.isTaken(path: path)
        }
    }

    private static func takeLock(in draft: String, for path: String) throws -> FileLock {
        do { return try FileLock(path: draft + "/" + lockName, holder: processDescription()) } catch let held as FileLock.HeldError
        {
            throw BackupError.isBeingMade(path: path, holder: held.holder)
        } catch let error as FileError where error.isMissing {
            // The other process may have renamed its folder in the meantime.
            try checkIsFree(path)
            throw error
        }
    }

    private static func clear(_ draft: String) throws {
        for name in try fileNames(in: draft) where name != lockName {
            try FileManager.default.removeItem(atPath: draft + "/" + name)
        }
    }

    /// Replaces an empty folder with the new one. The system call fails if anything else exists at the path.
    private static func putInPlace(_ draft: String, _ path: String) throws {
        do { try renameFile(draft, to: path) } catch {
            try checkIsFree(path)
            throw error
        }
        try syncFolder(of: path)
        try removeFile(path + "/" + lockName)
    }
}
