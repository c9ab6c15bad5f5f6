internal import Primitives
internal import SQLite

/// A replica's storage in one SQLite file (and its `-wal` and `-shm`).
///
/// - Every `persist` is one transaction, synced to the disk before it returns, except for the pages of a fill.
/// - Deleted bytes are overwritten (`secure_delete`), and the write-ahead log is emptied after each write that removes values or inputs
///   of the user. No file of the replica has them then.
/// - Large steps are applied in batches within the transaction, and SQLite's cache is limited: memory does not grow with the replica.
final class SQLiteReplicaStorage: ReplicaStorage {
    private let database: SQLiteDatabase

    /// The version of the tables, in `user_version`.
    static let version: Int64 = 1
    /// The number of objects that one statement moves from the stage to the confirmed state.
    static let batch: Int64 = 500
    /// The pages of a fill: the table becomes the one of the confirmed objects, so that no object is written twice.
    private static let pageTable = "CREATE TABLE page (name TEXT PRIMARY KEY, json BLOB NOT NULL) WITHOUT ROWID"
    /// Whether each commit is synced to the disk.
    private var syncsCommits = true

    /// Opens the storage of a file, and creates it if necessary.
    ///
    /// - Parameter path: the path of the file. Its folder must exist.
    /// - Throws: ``ReplicaError/storage(_:)`` if the file is not a replica, or of a later version; an error of SQLite.
    init(path: String) throws {
        database = try SQLiteDatabase(path: path)
        for setting in [
            // The lock is kept: a second process would read a state that the first one is changing.
            "locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=FULL", "fullfsync=ON", "checkpoint_fullfsync=ON",
            "secure_delete=ON", "temp_store=MEMORY", "cache_size=-4096", "mmap_size=0",
        ] {
            _ = try database.statement("PRAGMA \(setting)").rows()
        }
        try prepareTables(path)
        try emptyLog()
    }

    private func prepareTables(_ path: String) throws {
        guard case .integer(let version)? = try database.statement("PRAGMA user_version").rows().first?.first else {
            throw ReplicaError.storage("`\(path)` has no version: give another file")
        }
        if version == SQLiteReplicaStorage.version { return }
        guard version == 0, try database.statement("SELECT name FROM sqlite_schema").rows().isEmpty else {
            throw ReplicaError.storage("`\(path)` is not a replica of version \(SQLiteReplicaStorage.version): give another file")
        }
        try database.run(
            """
            BEGIN IMMEDIATE;
            CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), json BLOB NOT NULL);
            CREATE TABLE object (name TEXT PRIMARY KEY, json BLOB NOT NULL) WITHOUT ROWID;
            \(SQLiteReplicaStorage.pageTable);
            CREATE TABLE difference (name TEXT PRIMARY KEY, json BLOB) WITHOUT ROWID;
            CREATE TABLE pending (id INTEGER PRIMARY KEY, json BLOB NOT NULL);
            CREATE TABLE ended (id INTEGER PRIMARY KEY, refused INTEGER NOT NULL, json BLOB NOT NULL);
            PRAGMA user_version = \(SQLiteReplicaStorage.version);
            COMMIT;
            """)
    }

    /// Copies the write-ahead log into the database, and empties it.
    private func emptyLog() throws {
        let row = try database.statement("PRAGMA wal_checkpoint(TRUNCATE)").rows().first
        guard row?.first == .integer(0) else {
            throw ReplicaError.storage("the write-ahead log could not be emptied: \(row as Any)")
        }
    }

    // MARK: Reading

    func header() throws -> ReplicaHeader? { (try values("SELECT json FROM header") as [ReplicaHeader]).first }

    func pending() throws -> [PendingTransaction] { try values("SELECT json FROM pending ORDER BY id") }

    func object(_ name: Name) throws -> ReplicaObject? {
        (try values("SELECT json FROM object WHERE name = ?", .text(name.text)) as [ReplicaObject]).first
    }

    func staged(_ name: Name) throws -> StagedObject? {
        for table in ["difference", "page"] {
            guard let row = try database.statement("SELECT json FROM \(table) WHERE name = ?").rows([.text(name.text)]).first
            else { continue }
            return row[0] == .null ? .removed : .object(try value(row[0]))
        }
        return nil
    }

    func objects(ofClass className: String, after name: Name?, limit: Int) throws -> [ReplicaObject] {
        // The names of a class are those from `class:` to before `class;`.
        let start = max(Name(className + ":"), name ?? Name(className + ":"))
        let sql = "SELECT json FROM object WHERE name > ? AND name < ? ORDER BY name LIMIT ?"
        return try values(sql, .text(start.text), .text(className + ";"), .integer(Int64(limit)))
    }

    func objectsMissingInFill(limit: Int) throws -> [Name] {
        let sql = """
            SELECT name FROM object WHERE coalesce(
                (SELECT json IS NOT NULL FROM difference WHERE difference.name = object.name),
                (SELECT 1 FROM page WHERE page.name = object.name), 0) = 0 ORDER BY name LIMIT ?
            """
        return try database.statement(sql).rows([.integer(Int64(limit))]).compactMap {
            if case .text(let name) = $0[0] { Name(name) } else { nil }
        }
    }

    func ended(after id: TransactionID, limit: Int) throws -> [EndedTransaction] {
        let sql = "SELECT json FROM ended WHERE id > ? ORDER BY id LIMIT ?"
        return try values(sql, .integer(Int64(id.rawValue)), .integer(Int64(limit)))
    }

    private func values<Value: StoredValue>(_ sql: String, _ parameters: SQLiteValue...) throws -> [Value] {
        try database.statement(sql).rows(parameters).map { try value($0[0]) }
    }

    private func value<Value: StoredValue>(_ column: SQLiteValue) throws -> Value {
        guard case .bytes(let bytes) = column else { throw ReplicaError.storage("the replica is damaged: a value is missing") }
        do {
            return try Value(decoding: bytes)
        } catch {
            throw ReplicaError.storage("the replica is damaged: \(error)")
        }
    }

    // MARK: Writing

    func persist(_ writes: [ReplicaWrite]) throws {
        // Without a sync, a power failure may take back the last pages of a fill, which are then sent again.
        let syncsCommits = !writes.contains(where: \.isPage)
        if syncsCommits != self.syncsCommits {
            try database.run("PRAGMA synchronous=\(syncsCommits ? "FULL" : "NORMAL")")
            self.syncsCommits = syncsCommits
        }
        try database.run("BEGIN IMMEDIATE")
        do {
            for write in writes { try perform(write) }
            try database.run("COMMIT")
        } catch {
            // After some errors, SQLite has rolled back already.
            try? database.run("ROLLBACK")
            throw error
        }
        if writes.contains(where: \.removesBytes) { try emptyLog() }
    }

    private func perform(_ write: ReplicaWrite) throws {
        switch write {
        case .header(let header): try run("INSERT OR REPLACE INTO header VALUES (1, ?)", try bytes(header))
        case .stage(let changed, let removed, .pages):
            for name in removed { try run("DELETE FROM page WHERE name = ?", .text(name.text)) }
            let insert = try database.statement("INSERT OR REPLACE INTO page VALUES (?, ?)")
            for object in changed { try insert.run([.text(object.name.text), try bytes(object)]) }
        case .stage(let changed, let removed, .difference):
            let insert = try database.statement("INSERT OR REPLACE INTO difference VALUES (?, ?)")
            for name in removed { try insert.run([.text(name.text), .null]) }
            for object in changed { try insert.run([.text(object.name.text), try bytes(object)]) }
        case .clearStage(let layer):
            if layer != .difference { try run("DELETE FROM page") }
            if layer != .pages { try run("DELETE FROM difference") }
        case .applyStage(let isFill):
            if isFill {
                try database.run("DROP TABLE object; ALTER TABLE page RENAME TO object; \(SQLiteReplicaStorage.pageTable)")
            }
            try applyDifference()
            try run("DELETE FROM difference")
        case .pending(let transaction):
            try run("INSERT OR REPLACE INTO pending VALUES (?, ?)", id(transaction.id), try bytes(transaction))
        case .removePending(let id): try run("DELETE FROM pending WHERE id = ?", self.id(id))
        case .ended(let end):
            let isRefused = if case .refused = end.outcome { true } else { false }
            try run(
                "INSERT OR REPLACE INTO ended VALUES (?, ?, ?)", id(end.id), .integer(isRefused ? 1 : 0), try bytes(end))
        case .forgetEnded(let id): try run("DELETE FROM ended WHERE id = ?", self.id(id))
        case .forgetEndedUpTo(let id): try run("DELETE FROM ended WHERE id <= ? AND refused = 0", self.id(id))
        }
    }

    /// Applies the difference in batches. A statement for all of it would keep what it changed in memory, to undo it.
    private func applyDifference() throws {
        var start = ""
        while true {
            let sql = "SELECT max(name) FROM (SELECT name FROM difference WHERE name > ? ORDER BY name LIMIT ?)"
            let last = try database.statement(sql).rows([.text(start), .integer(SQLiteReplicaStorage.batch)]).first
            guard case .text(let end)? = last?[0] else { return }
            let part = "SELECT * FROM difference WHERE name > ? AND name <= ?"
            try run("INSERT OR REPLACE INTO object \(part) AND json NOT NULL", .text(start), .text(end))
            try run(
                "DELETE FROM object WHERE name IN (SELECT name FROM (\(part) AND json IS NULL))", .text(start), .text(end))
            start = end
        }
    }

    private func run(_ sql: String, _ parameters: SQLiteValue...) throws { try database.statement(sql).run(parameters) }

    private func id(_ id: TransactionID) -> SQLiteValue { .integer(Int64(clamping: id.rawValue)) }

    private func bytes(_ value: some StoredValue) throws -> SQLiteValue { .bytes(try value.encoded()) }
}

extension ReplicaWrite {
    fileprivate var isPage: Bool { if case .stage(_, _, .pages) = self { true } else { false } }

    /// Whether bytes of values or inputs may be removed: they must then leave the write-ahead log, too.
    fileprivate var removesBytes: Bool {
        switch self {
        case .clearStage, .applyStage, .removePending, .forgetEnded: true
        case .header, .stage, .pending, .ended, .forgetEndedUpTo: false
        }
    }
}
