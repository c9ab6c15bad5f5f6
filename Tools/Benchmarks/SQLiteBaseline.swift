/// A permission history in SQLite with an efficient schema, as a baseline for Muniment.
///
/// Every row is valid from one revision to another. Names are interned, so that all keys are numbers. A check is one recursive
/// query. Measurements showed that these choices make it faster:
/// - Indexes that contain every column of a check: partial indexes for the present, and indexes that start with the end of a row for
///   the past. A partial index must contain `to_rev` as well, or SQLite reads the row to see it.
/// - First collect the few subjects who have enough on the object or its parents. Then follow the roles upwards to one of them, instead
///   of a lookup of an entry for each pair.
/// - `UNION ALL`, since roles have no cycles. It saves a lookup in a temporary table for every role.
/// - No `ANALYZE`: with statistics, SQLite 3.40 builds a Bloom filter over the whole table in every recursive step.
/// - `locking_mode = EXCLUSIVE`, which saves locking and unlocking the file for every check.
final class SQLiteBaseline {
    /// The value of `to_rev` for a row that is still valid.
    static let open: Int64 = 1 << 62

    let database: SQLiteDatabase
    private let writer: SQLiteWriter
    private(set) var numbers: [String: Int64] = [:]
    private let presentCheck: SQLiteStatement
    private let pastCheck: SQLiteStatement

    /// Creates a database at a path without a file.
    ///
    /// - Parameters:
    ///   - path: the file; its directory must exist.
    ///   - indexesFirst: whether the indexes exist while rows are added. A history that deletes roles or objects needs them to be
    ///     loaded in reasonable time. Otherwise ``finishLoading()`` creates them, which is faster for a large store.
    ///   - mapBytes: the part of the file that is read through a memory map, in bytes.
    init(path: String, indexesFirst: Bool = true, mapBytes: Int = 1 << 34) throws(SQLiteFault) {
        database = try SQLiteDatabase(path: path)
        try database.run(
            """
            PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA mmap_size = \(mapBytes);
            PRAGMA cache_size = -262144; PRAGMA temp_store = MEMORY; PRAGMA locking_mode = EXCLUSIVE;
            """)
        try database.run(SQLiteSchema.tables)
        // The checks name their indexes, so the indexes must exist before a check is prepared. Empty indexes cost little.
        try database.run(SQLiteSchema.indexes)
        presentCheck = try database.prepare(SQLiteSchema.check(.present))
        pastCheck = try database.prepare(SQLiteSchema.check(.past))
        writer = try SQLiteWriter(database)
        if !indexesFirst { try database.run(SQLiteSchema.dropIndexes) }
        try database.run("BEGIN")
    }

    /// Writes the changes of a revision. Revisions increase from 1.
    func apply(_ operations: [Operation], revision: Int64) throws(SQLiteFault) {
        for operation in operations { try apply(operation, revision) }
    }

    /// Ends the load. Earlier checks return wrong results.
    func finishLoading() throws(SQLiteFault) {
        try database.run("COMMIT")
        try database.run(SQLiteSchema.indexes)
    }

    /// Returns the number of a name; 0, which no name has, for a name that is not in the history.
    func number(_ name: String) -> Int64 { numbers[name] ?? 0 }

    /// Whether the subject now has at least this rank on the object.
    func check(subject: Int64, object: Int64, rank: Int64) throws(SQLiteFault) -> Bool {
        presentCheck.bind(1, subject)
        presentCheck.bind(2, object)
        presentCheck.bind(3, rank)
        return try presentCheck.hasRow()
    }

    /// Whether the subject had at least this rank on the object at this revision.
    func check(subject: Int64, object: Int64, rank: Int64, at revision: Int64) throws(SQLiteFault) -> Bool {
        pastCheck.bind(1, subject)
        pastCheck.bind(2, object)
        pastCheck.bind(3, rank)
        pastCheck.bind(4, revision)
        return try pastCheck.hasRow()
    }

    private func intern(_ name: String) throws(SQLiteFault) -> Int64 {
        if let number = numbers[name] { return number }
        let number = Int64(numbers.count + 1)
        numbers[name] = number
        try writer.name(number, name)
        return number
    }

    private func apply(_ operation: Operation, _ revision: Int64) throws(SQLiteFault) {
        switch operation {
        case .createObject(let name, let parent):
            var above: Int64?
            if let parent { above = try intern(parent) }
            try writer.createObject(try intern(name), parent: above, revision)
        case .deleteObject(let name):
            try writer.deleteObject(try intern(name), revision)
        case .createRole(let name):
            _ = try intern(name)
        case .deleteRole(let name):
            try writer.deleteRole(try intern(name), revision)
        case .addMember(let member, let role):
            try writer.addMember(try intern(member), role: try intern(role), revision)
        case .removeMember(let member, let role):
            try writer.removeMember(try intern(member), role: try intern(role), revision)
        case .grant(let subject, let object, let rank):
            try writer.grant(try intern(subject), object: try intern(object), rank: Int64(rank), revision)
        case .revoke(let subject, let object):
            try writer.revoke(try intern(subject), object: try intern(object), revision)
        }
    }
}
