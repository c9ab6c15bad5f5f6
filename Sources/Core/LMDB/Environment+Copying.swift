internal import CLMDB
internal import Glibc

extension Environment {
    /// Writes the present data to a new file without free pages, and syncs the file.
    ///
    /// Commits made during the copy, by any process, are not included. Pages that the copy still needs are not reused during the
    /// copy, so the file of a busy environment grows by the amount of new data. Linear in the data.
    ///
    /// - Parameter file: the path of the new file, which must not exist.
    public func copy(to file: String) throws(StorageError) {
        let descriptor = unsafe Glibc.open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(code: errno, "make the copy", path: file) }
        defer { _ = Glibc.close(descriptor) }
        var code = MDB_MAP_RESIZED
        for _ in 0..<Environment.resizeAttempts where code == MDB_MAP_RESIZED {
            // The transaction adopts a map that another process has grown. Its lock prevents this process from moving the map.
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
            detail:
                "a writer changed the store meanwhile, and this process has no write access to `\(path)/lock.mdb` to prevent that: "
                + "try again, or run as a user with write access")
    }
}
