/// A permission history in SQLite, the way a good team keeps it today: what Muniment is measured against.
///
/// Every row holds from one revision to another; names are interned, so that all keys are numbers. A check is one recursive
/// query. What made it faster here, by measuring:
/// - indexes that hold every column a check needs, partial ones for the present and others led by the end of a row for the past;
///   a partial index has to hold `to_rev` as well, or SQLite reads the row to see it;
/// - collecting the few subjects who have enough on the object or its parents first, and then following the roles upwards until
///   one of them is met, instead of looking for an entry for each pair;
/// - `UNION ALL`, since roles form no cycles: it saves a look into a temporary table for every role;
/// - never running `ANALYZE`: with statistics, SQLite 3.40 builds a Bloom filter over the whole table in every recursive step;
/// - `locking_mode = EXCLUSIVE`, which saves locking and unlocking the file for every check.
final class SQLiteBaseline {
    /// What `to_rev` is for a row that still holds.
    static let open: Int64 = 1 << 62

    let database: SQLiteDatabase
    private let writer: SQLiteWriter
    private(set) var numbers: [String: Int64] = [:]
    private let presentCheck: SQLiteStatement
    private let pastCheck: SQLiteStatement

    /// Makes a new database at a path where there is none.
    ///
    /// - Parameters:
    ///   - path: the file; its directory exists.
    ///   - indexesFirst: whether the indexes are there while rows are added, which a history that deletes roles or objects
    ///     needs to be loaded in reasonable time; otherwise ``finishLoading()`` makes them, which is faster for a large store.
    ///   - mapBytes: how much of the file is read through a memory map.
    init(path: String, indexesFirst: Bool = true, mapBytes: Int = 1 << 34) throws(SQLiteFault) {
        database = try SQLiteDatabase(path: path)
        try database.run(
            """
            PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA mmap_size = \(mapBytes);
            PRAGMA cache_size = -262144; PRAGMA temp_store = MEMORY; PRAGMA locking_mode = EXCLUSIVE;
            """)
        try database.run(SQLiteSchema.tables)
        // The checks name their indexes, so these have to be there before a check is prepared; they cost little when empty.
        try database.run(SQLiteSchema.indexes)
        presentCheck = try database.prepare(SQLiteSchema.check(.present))
        pastCheck = try database.prepare(SQLiteSchema.check(.past))
        writer = try SQLiteWriter(database)
        if !indexesFirst { try database.run(SQLiteSchema.dropIndexes) }
        try database.run("BEGIN")
    }

    /// Writes the changes of one revision. Revisions rise from 1.
    func apply(_ operations: [Operation], revision: Int64) throws(SQLiteFault) {
        for operation in operations { try apply(operation, revision) }
    }

    /// Ends the load. Checks before this are wrong.
    func finishLoading() throws(SQLiteFault) {
        try database.run("COMMIT")
        try database.run(SQLiteSchema.indexes)
    }

    /// The number of a name; 0, which nothing has, for one that the history does not mention.
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
