internal import Glibc

/// A file of lines that several processes append to, one at a time, and that only its owner may read.
///
/// A line counts only with its end. Bytes after the last end, from a process that exited, are ignored by readers, and the next
/// append removes them.
public struct SharedLines: Sendable {
    public let path: String

    public init(path: String) { self.path = path }

    /// The data to write into the file.
    public struct Addition: Sendable {
        /// The number of bytes of complete lines to keep. Later bytes are removed.
        let keptBytes: Int
        /// The lines to append, each with its end.
        let lines: [UInt8]
        /// The bytes that then overwrite the start of the file.
        let head: [UInt8]

        public init(keptBytes: Int, lines: [UInt8], head: [UInt8]) {
            self.keptBytes = keptBytes
            self.lines = lines
            self.head = head
        }
    }

    /// Returns the complete lines of the file, including their ends; nil if the file does not exist.
    ///
    /// - Parameter afterWriters: whether to wait for a process that is changing the file, and to block such processes while
    ///   reading.
    /// - Returns: the bytes, and a watch that detects later changes of the file. Linear in the size of the file.
    public func read(afterWriters: Bool = false) throws(FileError) -> (bytes: [UInt8], watch: FileChangeCheck)? {
        let descriptor: Int32
        do { descriptor = try openRegularFile(path, O_RDONLY) } catch {
            if error.isMissing { return nil }
            throw error
        }
        // Created before reading: bytes appended in the meantime then count as a change next time.
        let watch = try FileChangeCheck(descriptor, path)
        if afterWriters { try lock(descriptor, LOCK_SH) }
        defer { if afterWriters { flock(descriptor, LOCK_UN) } }
        return (try wholeLines(descriptor), watch)
    }

    /// Appends the result of `decide` and syncs it, then overwrites the head and syncs that. Waits for other processes that
    /// append.
    ///
    /// The file is created if it does not exist.
    ///
    /// - Parameters:
    ///   - decide: receives the existing complete lines.
    ///   - then: receives the head after everything is synced, before other processes can append.
    /// - Returns: nil, or the error of a step after the lines were synced: the head, or `then`. The lines are in the file and count.
    /// - Throws: the error of `decide`, or a `FileError`. The file has no new lines then.
    @discardableResult
    public func append(
        _ decide: (_ lines: [UInt8]) throws -> Addition, then: (_ head: [UInt8]) throws -> Void
    ) throws -> (any Error)? {
        let descriptor = try openRegularFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, to: "open")
        defer { _ = close(descriptor) }
        try lock(descriptor, LOCK_EX)
        guard fchmod(descriptor, 0o600) == 0 else { throw FileError(errno, "keep others from reading", path: path) }
        let addition = try decide(try wholeLines(descriptor))
        let kept = addition.keptBytes
        guard ftruncate(descriptor, off_t(kept)) == 0 else { throw FileError(errno, "write", path: path) }
        do {
            try write(addition.lines, at: kept, to: descriptor)
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, FileIdentity(path) == FileIdentity(status) else {
                throw FileError(ESTALE, "write, because the file or its folder was removed or replaced meanwhile,", path: path)
            }
        } catch {
            ftruncate(descriptor, off_t(kept))
            throw error
        }
        do {
            try write(addition.head, at: 0, to: descriptor)
            if kept == 0 { try syncFolder(of: path) }
            try then(addition.head)
            return nil
        } catch { return error }
    }

    private func lock(_ descriptor: Int32, _ operation: Int32) throws(FileError) {
        while flock(descriptor, operation) != 0 {
            guard errno == EINTR else { throw FileError(errno, "lock", path: path) }
        }
    }

    private func wholeLines(_ descriptor: Int32) throws(FileError) -> [UInt8] {
        var bytes = try readAll(descriptor, path)
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        bytes.removeSubrange(end...)
        return bytes
    }

    private func write(_ bytes: [UInt8], at start: Int, to descriptor: Int32) throws(FileError) {
        try writeAll(bytes.span, to: descriptor, at: start, path)
        guard fsync(descriptor) == 0 else { throw FileError(errno, "sync", path: path) }
    }
}

/// Detects whether a file has changed since it was opened: appended to, moved, removed or replaced.
public final class FileChangeCheck: Sendable {
    /// Keeps the file's number from being reused.
    private let descriptor: Int32
    private let path: String
    private let stamp: Stamp

    /// Data that changes with the content of a file, and with its names.
    private struct Stamp: Equatable {
        let version: FileVersion
        let linkCount: nlink_t
        let changed: Int
        let changedNanoseconds: Int

        init(_ status: stat) {
            version = FileVersion(status)
            linkCount = status.st_nlink
            // A new or removed name of the file changes this time.
            (changed, changedNanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }
    }

    /// Takes ownership of an open file, and closes it at the end.
    init(_ descriptor: Int32, _ path: String) throws(FileError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            let error = FileError(errno, "look at", path: path)
            _ = close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
        stamp = Stamp(status)
    }

    deinit { _ = close(descriptor) }

    /// Whether the file is unchanged. Takes one system call. It follows the path, so that a moved or replaced parent folder is
    /// detected.
    public var isUnchanged: Bool {
        var status = stat()
        // A text that is passed to C directly is copied.
        return unsafe path.withCString { unsafe stat($0, &status) } == 0 && Stamp(status) == stamp
    }
}

/// Creates a folder that only its owner may access; closes an existing one to others. Its parents must exist.
public func makePrivateFolder(_ path: String) throws(FileError) {
    if unsafe mkdir(path, 0o700) == 0 {
        giveToOwnerOfFolder(path)
        return try syncFolder(of: path)
    }
    guard errno == EEXIST else { throw FileError(errno, "make the folder", path: path) }
    guard unsafe chmod(path, 0o700) == 0 else { throw FileError(errno, "close to others", path: path) }
}
