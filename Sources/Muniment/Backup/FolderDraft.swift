internal import Files
internal import Foundation

/// Makes a folder beside its place, and puts it there whole.
///
/// It is filled as `PATH.part`, under a lock in it that goes with the process. What a process that was ended has left there is
/// cleared away by the next one that makes the same folder.
enum FolderDraft {
    private static let lockName = "part.lock"

    /// Fills a folder with `body`, brings its names to the disk, and renames it to `path`.
    ///
    /// - Throws: ``BackupError/isTaken(path:)`` where there is anything but an empty folder at `path`, before `body` is called or
    ///   when it is done; ``BackupError/isBeingMade(path:holder:)``; and what `body` throws, after everything was removed.
    static func make<R>(at path: String, _ body: (_ draft: String) throws -> R) throws -> R {
        try checkIsFree(path)
        let draft = path + ".part"
        try makeFolder(draft)
        let lock = try takeLock(in: draft, for: path)
        defer { lock.release() }
        // Whoever held the lock before may have put a folder in place.
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

    /// Throws where there is something at a path that would be overwritten.
    static func checkIsFree(_ path: String) throws {
        guard try exists(path) else { return }
        guard isFolder(path), try FileManager.default.contentsOfDirectory(atPath: path).isEmpty else {
            throw BackupError.isTaken(path: path)
        }
    }

    private static func takeLock(in draft: String, for path: String) throws -> FileLock {
        do { return try FileLock(path: draft + "/" + lockName, holder: processDescription()) } catch let held as FileLock.Held {
            throw BackupError.isBeingMade(path: path, holder: held.holder)
        } catch let error as FileError where error.isMissing {
            // Its maker has put it in place at this moment.
            try checkIsFree(path)
            throw error
        }
    }

    private static func clear(_ draft: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: draft) where name != lockName {
            try FileManager.default.removeItem(atPath: draft + "/" + name)
        }
    }

    /// An empty folder gives way to the new one; the system refuses where anything else has come there meanwhile.
    private static func putInPlace(_ draft: String, _ path: String) throws {
        do { try renameFile(draft, to: path) } catch {
            try checkIsFree(path)
            throw error
        }
        try syncFolder(of: path)
        try removeFile(path + "/" + lockName)
    }
}
