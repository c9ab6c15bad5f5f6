internal import CLMDB
internal import Glibc

/// An error of the storage layer, with the affected file.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// The map is full. The work can be repeated after the map has grown.
        case mapFull
        /// Another process has grown the file beyond this process's map.
        case mapResized
        /// The disk, or its quota, is full.
        case diskFull
        /// The process lacks descriptors or memory, so that the same can succeed later.
        case insufficientResources
        /// The disk reports an error for a read or a write.
        case diskFailed
        /// This process may not read or write this path.
        case notPermitted
        /// The file or folder does not exist.
        case missing
        /// The file is not an LMDB environment.
        case notADatabase
        /// The file was written by another version of LMDB or for another kind of machine.
        case versionMismatch
        /// A page or a record is damaged.
        case corrupted
        /// Another process with the same process id reads the file, as in two containers that share it. LMDB knows readers by this number.
        case processIDTaken
        /// Every reader slot is taken.
        case tooManyReaders
        /// ``ReadInterruption`` has stopped the read.
        case interrupted
        /// Any other failure of the operating system or of LMDB.
        case failed
    }

    public let kind: Kind
    /// The operation that failed, such as "commit".
    public let operation: String
    public let path: String
    /// The message of the operating system or of LMDB.
    public let detail: String

    public init(_ kind: Kind, _ operation: String, path: String, detail: String) {
        self.kind = kind
        self.operation = operation
        self.path = path
        self.detail = detail
    }

    init(code: Int32, _ operation: String, path: String) {
        let kind = Kind(code: code) { StorageError.freeBytes(at: path) }
        self.init(kind, operation, path: path, detail: unsafe String(cString: mdb_strerror(code)))
    }

    public var description: String { "\(operation) failed in `\(path)`: \(detail)\(remedy)" }

    /// Returns the bytes that a file of this process can still use at a path; nil if the system does not report them.
    private static func freeBytes(at path: String) -> UInt64? {
        var limit = rlimit()
        let hasLimit =
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 && limit.rlim_cur != rlim_t.max
        // The failed write may have reached this limit. Its file is unknown here.
        guard !hasLimit else { return 0 }
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
        return UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue
    }

    private var remedy: String {
        switch kind {
        case .mapFull: "; open the store with a larger map"
        case .mapResized: "; open the store again"
        case .diskFull: "; make room on the disk, then open the store again"
        case .diskFailed: "; check the disk and the system's log, then restore a backup on a sound disk if the error remains"
        case .notPermitted: "; run as a user with read and write access"
        case .missing: "; check the path"
        case .notADatabase: "; this is not a Muniment store, or its file is damaged"
        case .versionMismatch: "; it was written by another version of LMDB or on another kind of machine"
        case .corrupted: "; the file is damaged"
        case .processIDTaken:
            "; another process with the same process id uses the files, as in two containers that share a volume: give the "
                + "containers one list of processes (`docker run --pid=host`), or use the files from one container at a time"
        case .tooManyReaders: "; close readers that are no longer used"
        case .insufficientResources: "; try again once descriptors and memory are free"
        case .interrupted, .failed: ""
        }
    }
}

extension StorageError.Kind {
    /// With fewer free bytes, an input/output error counts as a full disk: LMDB reports a partial write as such an error, and the
    /// written part fills the disk.
    private static let fullDiskBytes: UInt64 = 1 << 20

    /// - Parameter freeBytes: returns the free bytes of the disk; nil if they are unknown.
    package init(code: Int32, freeBytes: () -> UInt64?) {
        self =
            switch code {
            case MDB_MAP_FULL: .mapFull
            case MDB_MAP_RESIZED: .mapResized
            case MDB_INVALID: .notADatabase
            case MDB_VERSION_MISMATCH, MDB_INCOMPATIBLE: .versionMismatch
            case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_PANIC, MDB_BAD_TXN, MDB_CURSOR_FULL, MDB_NOTFOUND, MDB_BAD_VALSIZE:
                .corrupted
            case MDB_READERS_FULL: .tooManyReaders
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            case EIO: (freeBytes() ?? .max) < Self.fullDiskBytes ? .diskFull : .diskFailed
            case EAGAIN: .processIDTaken
            case EMFILE, ENFILE, ENOMEM: .insufficientResources
            case EACCES, EPERM, EROFS: .notPermitted
            case ENOENT, ENOTDIR: .missing
            default: .failed
            }
    }
}
