internal import CLMDB
internal import Glibc

/// The options for opening an environment.
public struct EnvironmentOptions: Sendable {
    /// Bytes of address space to reserve for the map. The file contains only written pages; a full map grows.
    public var mapBytes: Int
    /// Whether this process only reads.
    public var isReadOnly: Bool
    /// Whether no process writes to the file, as in a backup. It is then read without a lock file. Only for reading.
    public var isStill: Bool
    /// Whether a commit waits until it is durable. If not, a crash of the machine can lose or damage the file.
    public var syncsCommits: Bool
    /// The maximum number of named tables; 0 for an environment with one unnamed table.
    public var tableLimit: Int

    public init(
        mapBytes: Int = 1 << 34, isReadOnly: Bool = false, isStill: Bool = false, syncsCommits: Bool = true, tableLimit: Int = 0
    ) {
        self.mapBytes = mapBytes
        self.isReadOnly = isReadOnly
        self.isStill = isStill
        self.syncsCommits = syncsCommits
        self.tableLimit = tableLimit
    }
}

/// An LMDB environment: a folder with one data file, mapped into memory.
///
/// Open an environment once per process and path. Read and write transactions are different types, so that a write inside a read
/// does not compile. A full map grows. During that time no read may be open, which a lock shared by readers ensures.
@safe public final class Environment: @unchecked Sendable {
    /// Bytes in a page of the file, on every current machine with Swift except those with larger memory pages.
    public static let pageBytes = 4096

    public let path: String
    /// Whether this process is in the reader table, so that writers do not reuse its pages.
    public let isRegistered: Bool
    let handle: OpaquePointer
    private let mapLock = MapLock()
    /// The maximum file size for checking all pages when opening. In a larger file, only the pages above the rows are checked.
    private static let leafCheckBytes = 1 << 26

    /// Opens or creates the environment in an existing folder, after a check of the file's structure.
    ///
    /// If this process may not write the lock file, or the disk has no space for it, it reads without a reader slot. Its pages may then
    /// be reused during a read; ``ReadTransaction/isOvertaken`` detects this.
    public init(path: String, options: EnvironmentOptions) throws(StorageError) {
        self.path = path
        try Environment.checkHead(of: path)
        var flags = UInt32(MDB_NOTLS)
        if options.isReadOnly { flags |= UInt32(MDB_RDONLY) }
        if !options.syncsCommits { flags |= UInt32(MDB_NOSYNC) }
        let lockFile = path + "/lock.mdb"
        var isRegistered =
            unsafe !options.isStill
            && (!options.isReadOnly || access(lockFile, W_OK) == 0 || (errno == ENOENT && access(path, W_OK) == 0))
        if isRegistered {
            do { try Environment.reserveLockFile(of: path) } catch {
                guard options.isReadOnly else { throw error }
                isRegistered = false
            }
        }
        self.isRegistered = isRegistered
        if !isRegistered { flags |= UInt32(MDB_NOLOCK) }
        unsafe handle = try Environment.open(path, options, flags)
        do { try checkStructure(leafLimitBytes: Environment.leafCheckBytes) } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
    }

    private static func open(
        _ path: String, _ options: EnvironmentOptions, _ flags: UInt32
    ) throws(StorageError) -> OpaquePointer {
        var created: OpaquePointer?
        var code = unsafe mdb_env_create(&created)
        guard code == 0, let environment = unsafe created else { throw StorageError(code: code, "open", path: path) }
        unsafe mdb_env_set_mapsize(environment, options.mapBytes)
        unsafe mdb_env_set_maxreaders(environment, readerLimit)
        unsafe mdb_env_set_maxdbs(environment, UInt32(options.tableLimit))
        code = unsafe mdb_env_open(environment, path, flags, 0o600)
        guard code == 0 else {
            unsafe mdb_env_close(environment)
            throw StorageError(code: code, "open", path: path)
        }
        return unsafe environment
    }

    /// Returns the size of the data file in bytes; nil if it does not exist.
    public static func fileBytes(in path: String) -> Int? {
        var status = stat()
        return unsafe stat(path + "/data.mdb", &status) == 0 ? Int(status.st_size) : nil
    }

    /// Closes the environment. Every transaction must have ended.
    public func close() { unsafe mdb_env_close(handle) }

    /// Writes unsynced commits to the disk.
    public func sync() throws(StorageError) {
        try check(unsafe mdb_env_sync(handle, 1), "sync")
    }

    /// Doubles the map. Waits until this process has no open read; the caller must not have an open transaction.
    public func growMap() throws(StorageError) {
        mapLock.lockExclusively()
        defer { mapLock.unlock() }
        try check(unsafe mdb_env_set_mapsize(handle, info.me_mapsize * 2), "grow the map")
    }

    /// Adopts the map size that another process has set.
    private func adoptMapSize() throws(StorageError) {
        mapLock.lockExclusively()
        defer { mapLock.unlock() }
        try check(unsafe mdb_env_set_mapsize(handle, 0), "grow the map")
    }

    /// The number of the last transaction that any process has committed to the file. Does not read the file.
    public var lastTransaction: Int { unsafe Int(info.me_last_txnid) }

    var info: MDB_envinfo {
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(handle, &info)
        return unsafe info
    }

    /// Frees the reader slots of processes that have exited.
    public func clearStaleReaders() {
        var dead: Int32 = 0
        unsafe mdb_reader_check(handle, &dead)
    }

    /// Opens a table, and creates it if requested.
    public func table(_ name: String?, creating: Bool) throws(StorageError) -> Table {
        let transaction = try unsafe begin(creating ? 0 : UInt32(MDB_RDONLY), "begin")
        var index: MDB_dbi = 0
        let code = unsafe mdb_dbi_open(transaction, name, creating ? UInt32(MDB_CREATE) : 0, &index)
        guard code == 0 else {
            unsafe mdb_txn_abort(transaction)
            throw StorageError(code: code, "open the table \(name ?? "main")", path: path)
        }
        try check(unsafe mdb_txn_commit(transaction), "open a table")
        return Table(index: index)
    }

    /// Begins a read transaction: a snapshot of the present data until it is renewed or ended.
    ///
    /// - Parameter interruptible: whether ``ReadInterruption`` stops its reads.
    public func beginReading(interruptible: Bool = true) throws(StorageError) -> ReadTransaction {
        var transaction: OpaquePointer?
        try lockingShared("begin reading") { unsafe mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction) }
        guard let transaction = unsafe transaction else { throw StorageError(code: MDB_PANIC, "begin reading", path: path) }
        return unsafe ReadTransaction(environment: self, handle: transaction, isInterruptible: interruptible)
    }

    func renewReading(_ transaction: OpaquePointer) throws(StorageError) {
        try lockingShared("begin reading") { unsafe mdb_txn_renew(transaction) }
    }

    /// Begins a read under the map's lock, and keeps the lock on success. Another process may have grown the file, and may grow
    /// it again at once.
    private func lockingShared(_ operation: String, _ begin: () -> Int32) throws(StorageError) {
        var code: Int32 = 0
        for _ in 0..<Environment.resizeAttempts {
            mapLock.lockShared()
            code = begin()
            if code == 0 { return }
            mapLock.unlock()
            guard code == MDB_MAP_RESIZED else { break }
            try adoptMapSize()
        }
        throw StorageError(code: code, operation, path: path)
    }

    /// The number of attempts to adopt another process's map size before the file counts as faulty.
    static let resizeAttempts = 8

    func endedReading() { mapLock.unlock() }

    /// Begins a write transaction. Waits for another writer of the same environment.
    public func beginWriting() throws(StorageError) -> WriteTransaction {
        unsafe WriteTransaction(environment: self, handle: try begin(0, "begin writing"))
    }

    /// Begins a transaction outside the map's lock, after adopting a map that another process has grown.
    private func begin(_ flags: UInt32, _ operation: String) throws(StorageError) -> OpaquePointer {
        var transaction: OpaquePointer?
        var code = unsafe mdb_txn_begin(handle, nil, flags, &transaction)
        if code == MDB_MAP_RESIZED {
            try adoptMapSize()
            code = unsafe mdb_txn_begin(handle, nil, flags, &transaction)
        }
        guard code == 0, let transaction = unsafe transaction else { throw StorageError(code: code, operation, path: path) }
        return unsafe transaction
    }

    /// Calls `body` in one write transaction, and commits it afterwards. If the map is full, it grows and `body` is called again:
    /// the calling thread must not have an open read transaction.
    public func write(_ body: (borrowing WriteTransaction) throws(StorageError) -> Void) throws(StorageError) {
        while true {
            do throws(StorageError) {
                let transaction = try beginWriting()
                do throws(StorageError) { try body(transaction) } catch {
                    transaction.abort()
                    throw error
                }
                return try transaction.commit()
            } catch {
                guard error.kind == .mapFull else { throw error }
                try growMap()
            }
        }
    }

    /// Returns the number of rows and pages of a table.
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

/// The size of a table.
public struct TableStatistics: Hashable, Sendable {
    public let rows: Int
    /// Levels of its tree.
    public let depth: Int
    /// Pages of 4,096 bytes.
    public let pages: Int
}
