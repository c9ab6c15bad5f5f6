internal import Foundation

/// A file that only its owner can read (mode 0600). Foundation's functions create files that other users can read for a moment, so
/// the file is created by the system's `open`.
enum PrivateFile {
    /// Returns the content; nil if the file does not exist. A longer file is read up to one byte more than the limit.
    static func read(_ path: String, limitBytes: Int) throws -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure()
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return Array(try file.read(upToCount: limitBytes + 1) ?? Data())
    }

    /// Replaces the file. The new content is on disk on return; after an error, the file has its previous content.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        let temporary = "\(path).\(UInt64.random(in: .min ... .max)).new"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(bytes))
            try file.synchronize()
            guard unsafe rename(temporary, path) == 0 else { throw failure() }
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw error
        }
        try synchronizeFolder(of: path)
    }

    /// Removes the file, if it exists.
    static func remove(_ path: String) throws {
        guard unsafe unlink(path) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return }
            throw failure()
        }
        try synchronizeFolder(of: path)
    }

    private static func synchronizeFolder(of path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let descriptor = unsafe open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).synchronize()
    }

    private static func failure() -> any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
