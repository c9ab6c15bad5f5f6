internal import Glibc
internal import Synchronization

/// Detects whether a path still refers to the same file, which only grows.
///
/// The file must stay open during that time: the system reuses the number of a removed file.
public final class FilePathCheck: Sendable {
    public let path: String
    private let identity: FileIdentity?
    /// The largest size that was seen, in bytes.
    private let largest = Atomic<Int>(0)

    /// - Parameter path: a file that is open.
    public init(_ path: String) {
        self.path = path
        identity = FileIdentity(path)
    }

    /// Whether the path still refers to the file: neither it nor a folder above it was moved, removed or replaced. Also false if the
    /// file is shorter than before: a part of it may be mapped, and reading that would end the process. Takes one system call.
    public var isUnchanged: Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0, FileIdentity(status) == identity else { return false }
        let size = Int(status.st_size)
        return size >= largest.max(size, ordering: .relaxed).oldValue
    }
}

/// A file at a path with its size and its last change: another value after the file was replaced or written to, or its mode or owner was
/// changed.
public struct FileVersion: Hashable, Sendable {
    private let identity: FileIdentity
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Returns the file at a path; nil if it does not exist, or if this process may not access it.
    public init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        (identity, size) = (FileIdentity(status), Int(status.st_size))
        // Unlike the time of the last write, programs that copy files cannot set this time.
        (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
    }
}

/// The identity of a file, independent of its names: its device and its number there.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Returns the file at a path; nil if it does not exist, or if this process may not access it.
    public init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) { (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
}
