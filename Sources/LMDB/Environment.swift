internal import CLMDB
internal import Glibc

/// How an environment is opened.
public struct EnvironmentOptions: Sendable {
    /// Bytes of address space to reserve for the map. The file takes only what is written; the map grows when it is full.
    public var mapBytes: Int
    /// Whether this process only reads.
    public var isReadOnly: Bool
    /// Whether a commit waits until it is on the disk. Without, a crash of the machine can lose or damage the file.
    public var syncsCommits: Bool
    /// How many named tables there can be; 0 for an environment that is one table.
    public var tableLimit: Int

    public init(mapBytes: Int = 1 << 34, isReadOnly: Bool = false, syncsCommits: Bool = true, tableLimit: Int = 0) {
        self.mapBytes = mapBytes
        self.isReadOnly = isReadOnly
        self.syncsCommits = syncsCommits
        self.tableLimit = tableLimit
    }
}

/// An LMDB environment: a folder with one data file, mapped into memory.
///
/// Open an environment once per process and path. Transactions of reading and of writing are different types, so that a write
/// inside a read does not compile. The map grows when it is full: nothing else may be read at that moment, which a lock that
/// readers share sees to.
@safe public final class Environment: @unchecked Sendable {
    /// Bytes in a page of the file, on every machine that Swift runs on today but those with larger memory pages.
    public static let pageBytes = 4096

    public let path: String
    let handle: OpaquePointer
    private let mapLock: MapLock

    /// Opens, or creates, the environment in an existing folder.
    public init(path: String, options: EnvironmentOptions) throws(StorageError) {
        try Environment.checkLength(of: path)
        var created: OpaquePointer?
        var code = unsafe mdb_env_create(&created)
        guard code == 0, let environment = unsafe created else { throw StorageError(code: code, "open", path: path) }
        unsafe mdb_env_set_mapsize(environment, options.mapBytes)
        unsafe mdb_env_set_maxreaders(environment, 1024)
        unsafe mdb_env_set_maxdbs(environment, UInt32(options.tableLimit))
        var flags = UInt32(MDB_NOTLS)
        if options.isReadOnly { flags |= UInt32(MDB_RDONLY) }
        if !options.syncsCommits { flags |= UInt32(MDB_NOSYNC) }
        code = unsafe mdb_env_open(environment, path, flags, 0o644)
        guard code == 0 else {
            unsafe mdb_env_close(environment)
            throw StorageError(code: code, "open", path: path)
        }
        self.path = path
        unsafe handle = environment
        mapLock = MapLock()
        // A file that another process grew is larger than the map asked for.
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(handle, &info)
        let bytesInUse = unsafe (Int(info.me_last_pgno) + 1) * Environment.pageBytes
        if let bytes = Environment.fileBytes(in: path), bytesInUse > bytes {
            unsafe mdb_env_close(environment)
            throw StorageError(
                .corrupted, "open", path: path,
                detail: "the data file has \(bytes) bytes where \(bytesInUse) are in use: it was cut off")
        }
    }

    /// LMDB finds out that a file was cut off only when it touches the missing pages, with a signal; so look first.
    private static func checkLength(of path: String) throws(StorageError) {
        guard let bytes = fileBytes(in: path), bytes > 0 else { return }
        if bytes < 2 * pageBytes {
            throw StorageError(
                .notADatabase, "open", path: path, detail: "the data file has \(bytes) bytes, less than its two head pages")
        }
    }

    /// The size of the data file in bytes; nil where there is none.
    public static func fileBytes(in path: String) -> Int? {
        var status = stat()
        return unsafe stat(path + "/data.mdb", &status) == 0 ? Int(status.st_size) : nil
    }

    /// Closes the environment. Every transaction must have ended.
    public func close() { unsafe mdb_env_close(handle) }

    /// Writes to the disk what commits without syncing left in memory.
    public func sync() throws(StorageError) {
        try check(unsafe mdb_env_sync(handle, 1), "sync")
    }

    /// Doubles the map. Waits until no read is going on in this process; the caller must have no transaction open.
    public func growMap() throws(StorageError) {
        mapLock.lockExclusively()
        defer { mapLock.unlock() }
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(handle, &info)
        try check(unsafe mdb_env_set_mapsize(handle, info.me_mapsize * 2), "grow the map")
    }

    /// Takes over the size that another process has given the map.
    private func adoptMapSize() throws(StorageError) {
        mapLock.lockExclusively()
        defer { mapLock.unlock() }
        try check(unsafe mdb_env_set_mapsize(handle, 0), "grow the map")
    }

    /// Frees the reader slots of processes that are gone.
    public func clearStaleReaders() {
        var dead: Int32 = 0
        unsafe mdb_reader_check(handle, &dead)
    }

    /// Opens a table, creating it where that is asked for.
    public func table(_ name: String?, creating: Bool) throws(StorageError) -> Table {
        var transaction: OpaquePointer?
        try check(unsafe mdb_txn_begin(handle, nil, creating ? 0 : UInt32(MDB_RDONLY), &transaction), "begin")
        var index: MDB_dbi = 0
        let code = unsafe mdb_dbi_open(transaction, name, creating ? UInt32(MDB_CREATE) : 0, &index)
        guard code == 0 else {
            unsafe mdb_txn_abort(transaction)
            throw StorageError(code: code, "open the table \(name ?? "main")", path: path)
        }
        try check(unsafe mdb_txn_commit(transaction), "open a table")
        return Table(index: index)
    }

    /// Begins a view of the data as it is now. It stays as it is until it is renewed or ended.
    public func beginReading() throws(StorageError) -> ReadTransaction {
        let transaction = unsafe ReadTransaction(environment: self, handle: try beginReadingHandle())
        return transaction
    }

    private func beginReadingHandle() throws(StorageError) -> OpaquePointer {
        while true {
            mapLock.lockShared()
            var transaction: OpaquePointer?
            let code = unsafe mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
            if code == 0, let transaction = unsafe transaction { return unsafe transaction }
            mapLock.unlock()
            if code == MDB_MAP_RESIZED {
                try adoptMapSize()
            } else {
                throw StorageError(code: code, "begin reading", path: path)
            }
        }
    }

    func renewReading(_ transaction: OpaquePointer) throws(StorageError) {
        while true {
            mapLock.lockShared()
            let code = unsafe mdb_txn_renew(transaction)
            if code == 0 { return }
            mapLock.unlock()
            if code == MDB_MAP_RESIZED {
                try adoptMapSize()
            } else {
                throw StorageError(code: code, "begin reading", path: path)
            }
        }
    }

    func endedReading() { mapLock.unlock() }

    /// Begins to write. Waits for another writer of the same environment.
    public func beginWriting() throws(StorageError) -> WriteTransaction {
        var transaction: OpaquePointer?
        var code = unsafe mdb_txn_begin(handle, nil, 0, &transaction)
        if code == MDB_MAP_RESIZED {
            try adoptMapSize()
            code = unsafe mdb_txn_begin(handle, nil, 0, &transaction)
        }
        guard code == 0, let transaction = unsafe transaction else { throw StorageError(code: code, "begin writing", path: path) }
        return unsafe WriteTransaction(environment: self, handle: transaction)
    }

    /// The number of rows and the pages of a table.
    public func statistics(of table: Table, in transaction: ReadTransaction) throws(StorageError) -> TableStatistics {
        var result = MDB_stat()
        try check(unsafe mdb_stat(transaction.handle, table.index, &result), "count")
        return TableStatistics(
            rows: result.ms_entries, depth: Int(result.ms_depth),
            pages: result.ms_branch_pages + result.ms_leaf_pages + result.ms_overflow_pages)
    }

    func check(_ code: Int32, _ operation: String) throws(StorageError) {
        guard code == 0 else { throw StorageError(code: code, operation, path: path) }
    }
}

/// A table of an environment.
public struct Table: Hashable, Sendable {
    let index: UInt32
}

/// How large a table is.
public struct TableStatistics: Hashable, Sendable {
    public let rows: Int
    /// Levels of its tree.
    public let depth: Int
    /// Pages of 4,096 bytes.
    public let pages: Int
}

/// Shared by readers, exclusive to whoever moves the map.
@safe private final class MapLock: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_rwlock_t>

    init() {
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_rwlock_t())
        unsafe pthread_rwlock_init(lock, nil)
    }

    deinit {
        unsafe pthread_rwlock_destroy(lock)
        unsafe lock.deallocate()
    }

    func lockShared() { unsafe pthread_rwlock_rdlock(lock) }
    func lockExclusively() { unsafe pthread_rwlock_wrlock(lock) }
    func unlock() { unsafe pthread_rwlock_unlock(lock) }
}
