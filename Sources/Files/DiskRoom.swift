internal import Glibc

/// The room on a file system.
public struct DiskRoom: Sendable {
    /// Bytes that files of this process can still take.
    public let freeBytes: Int
    /// Bytes of the whole file system.
    public let totalBytes: Int

    /// Asks the system, with one call.
    ///
    /// - Parameter path: A file or folder on the file system.
    /// - Returns: Nil if the file system does not tell its size.
    public init?(at path: String) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
        let blockBytes = Int(clamping: status.f_frsize)
        freeBytes = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: blockBytes).partialValue
        totalBytes = Int(clamping: status.f_blocks).multipliedReportingOverflow(by: blockBytes).partialValue
    }

    /// Whether less is free than a service that writes should leave: 64 MiB, or a sixteenth of a file system below 1 GiB.
    public var isShort: Bool { freeBytes < min(64 << 20, totalBytes / 16) }
}
