internal import Glibc

/// A file of lines that several processes append to, one at a time, and that nobody but its owner may read.
///
/// A line counts once its end is there. What a process that died left behind the last end is no line: readers go over it, and
/// the next one to append takes it away.
public struct SharedLines: Sendable {
    public let path: String

    public init(path: String) { self.path = path }

    /// What to write into the file.
    public struct Addition: Sendable {
        /// How many bytes of the whole lines stay. What is after them is removed.
        let keptBytes: Int
        /// The lines to append to those, each with its end.
        let lines: [UInt8]
        /// What then overwrites the first bytes of the file.
        let head: [UInt8]

        public init(keptBytes: Int, lines: [UInt8], head: [UInt8]) {
            self.keptBytes = keptBytes
            self.lines = lines
            self.head = head
        }
    }

    /// The whole lines of the file, ends included; nil where there is no file.
    ///
    /// - Parameter afterWriters: waits for a process that is changing the file, and holds up others while it reads.
    /// - Returns: the bytes, and what tells whether the file is still as it was. Linear in the size of the file.
    public func read(afterWriters: Bool = false) throws(FileError) -> (bytes: [UInt8], watch: FileWatch)? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let error = FileError(errno, "read", path: path)
            if error.isMissing { return nil }
            throw error
        }
        // Before it is read: what is appended meanwhile shows as a change next time.
        let watch = try FileWatch(descriptor, path)
        if afterWriters { try lock(descriptor, LOCK_SH) }
        defer { if afterWriters { flock(descriptor, LOCK_UN) } }
        return (try wholeLines(descriptor), watch)
    }

    /// Appends what `decide` says, and brings it to the disk, then overwrites the head and brings that to the disk. Waits for others
    /// who do the same.
    ///
    /// The file is made where it is not there. Where appending fails, the file is as it was. Where only the head
    /// could not be written, the lines stay.
    ///
    /// - Parameter decide: is given the whole lines that are there.
    public func append(_ decide: (_ lines: [UInt8]) throws -> Addition) throws {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(errno, "open", path: path) }
        defer { _ = close(descriptor) }
        try lock(descriptor, LOCK_EX)
        guard fchmod(descriptor, 0o600) == 0 else { throw FileError(errno, "keep others from reading", path: path) }
        let addition = try decide(try wholeLines(descriptor))
        let kept = addition.keptBytes
        guard ftruncate(descriptor, off_t(kept)) == 0 else { throw FileError(errno, "write", path: path) }
        do { try write(addition.lines, at: kept, to: descriptor) } catch {
            ftruncate(descriptor, off_t(kept))
            throw error
        }
        try write(addition.head, at: 0, to: descriptor)
        if kept == 0 { try syncFolder(of: path) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, FileIdentity(path) == FileIdentity(status) else {
            throw FileError(ESTALE, "write, since the file or its folder was removed or replaced meanwhile,", path: path)
        }
    }

    private func lock(_ descriptor: Int32, _ operation: Int32) throws(FileError) {
        while flock(descriptor, operation) != 0 {
            guard errno == EINTR else { throw FileError(errno, "lock", path: path) }
        }
    }

    private func wholeLines(_ descriptor: Int32) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
            guard count >= 0 else { throw FileError(errno, "read", path: path) }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        bytes.removeSubrange(end...)
        return bytes
    }

    private func write(_ bytes: [UInt8], at start: Int, to descriptor: Int32) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe pwrite(
                    descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written, off_t(start + written))
            }
            guard count > 0 else { throw FileError(errno, "write", path: path) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw FileError(errno, "sync", path: path) }
    }
}

/// Tells whether a file is still as it was when it was opened: neither appended to, nor moved, nor removed, nor replaced by another.
public final class FileWatch: Sendable {
    /// Keeps the file's number from being given to another one.
    private let descriptor: Int32
    private let path: String
    private let stamp: Stamp

    /// What changes with the contents of a file, and with the names that lead to it.
    private struct Stamp: Equatable {
        let identity: FileIdentity
        let byteCount: off_t
        let linkCount: nlink_t
        let written: Int
        let writtenNanoseconds: Int
        let changed: Int
        let changedNanoseconds: Int

        init(_ status: stat) {
            identity = FileIdentity(status)
            byteCount = status.st_size
            linkCount = status.st_nlink
            (written, writtenNanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
            // A new name for the file, or none, shows here.
            (changed, changedNanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }
    }

    /// Takes over an open file, and closes it when it goes.
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

    /// One call of the system. It follows the path, so that a folder above the file that was moved or replaced is noticed.
    public var isUnchanged: Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && Stamp(status) == stamp
    }
}

/// Makes a folder that nobody but its owner may look into; one that is there is closed to others. Those above it have to be there.
public func makePrivateFolder(_ path: String) throws(FileError) {
    if unsafe mkdir(path, 0o700) == 0 { return try syncFolder(of: path) }
    guard errno == EEXIST else { throw FileError(errno, "make the folder", path: path) }
    guard unsafe chmod(path, 0o700) == 0 else { throw FileError(errno, "close to others", path: path) }
}
