internal import Glibc

/// The space on a file system.
public struct DiskSpace: Sendable {
    /// Bytes that files of this process can still use.
    public let freeBytes: Int
    /// Bytes of the whole file system.
    public let totalBytes: Int

    /// Reads the sizes, with one system call.
    ///
    /// - Parameter path: A file or folder on the file system.
    /// - Returns: Nil if the file system does not report its size.
    public init?(at path: String) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
        let blockBytes = Int(clamping: status.f_frsize)
        freeBytes = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: blockBytes).partialValue
        totalBytes = Int(clamping: status.f_blocks).multipliedReportingOverflow(by: blockBytes).partialValue
    }

    /// The space that a writing service should leave: 64 MiB, or a sixteenth of a file system below 1 GiB.
    public var leastFreeBytes: Int { min(64 << 20, totalBytes / 16) }

    /// Whether less space is free.
    public var isShort: Bool { freeBytes < leastFreeBytes }
}
