internal import Primitives

/// A replica's storage in one SQLite file (and its `-wal` and `-shm`).
///
/// - Every `persist` is one transaction, synced to the disk before it returns.
/// - Deleted bytes are overwritten (`secure_delete`), and the write-ahead log is emptied after each write that removes values or inputs
///   of the user. No file of the replica has them then.
/// - Large steps are applied in batches within the transaction, and SQLite's cache is limited: memory does not grow with the replica.
final class SQLiteReplicaStorage: ReplicaStorage {
    private let database: SQLiteDatabase

    /// The version of the tables, in `user_version`.
    static let version: Int64 = 1
    /// The number of objects that one statement moves from the stage to the confirmed state.
    static let batch: Int64 = 500

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
            CREATE TABLE object (name TEXT PRIMARY KEY, json BLOB NOT NULL);
            CREATE TABLE staged (layer INTEGER, name TEXT, json BLOB, PRIMARY KEY (layer, name));
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
        let sql = "SELECT json FROM staged WHERE name = ?1 AND layer IN (0, 1) ORDER BY layer DESC LIMIT 1"
        guard let row = try database.statement(sql).rows([.text(name.text)]).first else { return nil }
        return row[0] == .null ? .removed : .object(try value(row[0]))
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
                (SELECT CASE WHEN json IS NULL THEN 1 ELSE 2 END FROM staged WHERE layer = 1 AND staged.name = object.name),
                (SELECT 2 FROM staged WHERE layer = 0 AND staged.name = object.name), 0) < 2 ORDER BY name LIMIT ?
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
            return try Value(json: try JSONText.decode(bytes, limit: .max))
        } catch {
            throw ReplicaError.storage("the replica is damaged: \(error)")
        }
    }

    // MARK: Writing

    func persist(_ writes: [ReplicaWrite]) throws {
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
        case .stage(let changed, let removed, let layer):
            let sql = "INSERT OR REPLACE INTO staged VALUES (?, ?, ?)"
            let layer = SQLiteValue.integer(Int64(layer.rawValue))
            for name in removed { try run(sql, layer, .text(name.text), .null) }
            for object in changed { try run(sql, layer, .text(object.name.text), try bytes(object)) }
        case .clearStage(let layer?): try run("DELETE FROM staged WHERE layer = ?", .integer(Int64(layer.rawValue)))
        case .clearStage(nil): try run("DELETE FROM staged")
        case .applyStage(let isFill):
            if isFill { try run("DELETE FROM object") }
            for layer in [StagedLayer.pages, .difference] { try apply(layer) }
            try run("DELETE FROM staged")
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

    /// Applies a layer of the stage in batches. A statement for all of them would keep what it changed in memory, to undo it.
    private func apply(_ layer: StagedLayer) throws {
        let layer = SQLiteValue.integer(Int64(layer.rawValue))
        var start = ""
        while true {
            let sql = "SELECT max(name) FROM (SELECT name FROM staged WHERE layer = ? AND name > ? ORDER BY name LIMIT ?)"
            let last = try database.statement(sql).rows([layer, .text(start), .integer(SQLiteReplicaStorage.batch)]).first
            guard case .text(let end)? = last?[0] else { return }
            let range = [layer, SQLiteValue.text(start), .text(end)]
            try database.statement(
                "INSERT OR REPLACE INTO object SELECT name, json FROM staged WHERE layer = ? AND name > ? AND name <= ? AND json NOT NULL"
            ).run(range)
            try database.statement(
                "DELETE FROM object WHERE name IN (SELECT name FROM staged WHERE layer = ? AND name > ? AND name <= ? AND json IS NULL)"
            ).run(range)
            start = end
        }
    }

    private func run(_ sql: String, _ parameters: SQLiteValue...) throws { try database.statement(sql).run(parameters) }

    private func id(_ id: TransactionID) -> SQLiteValue { .integer(Int64(clamping: id.rawValue)) }

    private func bytes(_ value: some StoredValue) throws -> SQLiteValue { .bytes(try JSONText.encode(value.json)) }
}

extension ReplicaWrite {
    /// Whether bytes of values or inputs may be removed: they must then leave the write-ahead log, too.
    fileprivate var removesBytes: Bool {
        switch self {
        case .clearStage, .applyStage, .removePending, .forgetEnded: true
        case .header, .stage, .pending, .ended, .forgetEndedUpTo: false
        }
    }
}
