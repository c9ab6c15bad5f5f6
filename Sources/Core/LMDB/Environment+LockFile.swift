internal import CLMDB
internal import Glibc

/// The lock file of an environment, with its table of readers.
extension Environment {
    /// Readers of an environment at the same time, in all processes.
    static let readerLimit: UInt32 = 1024

    /// The size of the file that LMDB makes for so many readers.
    private static let lockFileBytes = off_t(readerLimit) * 64 + 128

    /// Reserves disk space for a new lock file.
    ///
    /// LMDB writes to this file through a map. Without space for a page of it, the system ends the process with SIGBUS.
    ///
    /// - Parameter path: the folder of the environment.
    /// - Throws: a `StorageError` of the kind `diskFull`.
    static func reserveLockFile(of path: String) throws(StorageError) {
        let descriptor = unsafe Glibc.open(path + "/lock.mdb", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        // LMDB reports why it cannot open the file.
        guard descriptor >= 0 else { return }
        defer { _ = Glibc.close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_size < lockFileBytes else { return }
        let code = posix_fallocate(descriptor, 0, lockFileBytes)
        if [ENOSPC, EDQUOT, EFBIG].contains(code) { throw StorageError(code: code, "reserve the lock file", path: path) }
    }
}
