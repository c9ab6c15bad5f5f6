internal import CLMDB
internal import Glibc

extension Environment {
    /// Writes the data as it is now into a new file without free pages, and brings the file to the disk.
    ///
    /// What is committed meanwhile, by whichever process, is not in it. Nothing that the copy still needs is reused while it is
    /// being made, so the file of a busy environment grows by as much as is written. Linear in the data.
    ///
    /// - Parameter file: where there must be no file yet.
    public func copy(to file: String) throws(StorageError) {
        let descriptor = unsafe Glibc.open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(code: errno, "make the copy", path: file) }
        defer { _ = Glibc.close(descriptor) }
        var code = MDB_MAP_RESIZED
        for _ in 0..<Environment.resizeAttempts where code == MDB_MAP_RESIZED {
            // The view takes over a map that another process has grown, and its lock keeps this process from moving the map.
            let view = try beginReading()
            defer { view.end() }
            code = unsafe mdb_env_copyfd2(handle, descriptor, UInt32(MDB_CP_COMPACT))
            guard code != 0 || !view.isOvertaken else { throw overtaken(file) }
        }
        guard code == 0 else { throw StorageError(code: code, "copy", path: file) }
        guard fsync(descriptor) == 0 else { throw StorageError(code: errno, "sync the copy", path: file) }
    }

    private func overtaken(_ file: String) -> StorageError {
        StorageError(
            .failed, "copy", path: file,
            detail: "a writer has gone on meanwhile, and this process may not write `\(path)/lock.mdb`, which would hold it back: "
                + "try again, or run as somebody who may write there")
    }
}
