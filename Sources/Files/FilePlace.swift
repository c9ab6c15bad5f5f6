internal import Glibc

/// Tells whether a path still leads to the file that it led to.
///
/// The file must stay open meanwhile: the system gives the number of a file that is gone to another one.
public struct FilePlace: Sendable {
    public let path: String
    private let identity: FileIdentity?

    /// - Parameter path: a file that is open.
    public init(_ path: String) {
        self.path = path
        identity = FileIdentity(path)
    }

    /// Whether the file is still found there: neither it nor a folder above it was moved, removed or replaced. One call of the system.
    public var isUnchanged: Bool { identity != nil && FileIdentity(path) == identity }
}

/// A file, whatever it is called: its device and its number there.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// The file that a path leads to; nil where it leads to none, or where this process may not look.
    public init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) { (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
}
