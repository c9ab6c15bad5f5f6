import Events
import Foundation
import Muniment
import Permissions

/// Measures queries over a class if the caller may see a tenth of its objects, and compares them with SQLite with suitable indexes.
struct QuerySuite {
    let objects: Int
    let folder: String

    struct Result {
        /// The first 100 in the order of a property, of all objects that the caller may see.
        var firstPage: Timing
        /// The first 100 of the objects that match a range and a prefix.
        var narrowed: Timing
        var all: Timing
        var pageByPage: Timing
        var sqliteFirstPage: Timing
        var sqliteNarrowed: Timing
        var sqliteAll: Timing
        var importSeconds: Double
    }

    private static let pageSize = 100
    private static let repetitions = 50
    private static let changesPerTransaction = 1000
    static let caller: Name = "user:ann"

    /// The values and the access of the object with a number. The access does not depend on the values.
    private struct Item {
        let year: Int
        let title: String
        let isShared: Bool

        init(_ number: Int) {
            var random = SplitMix64(seed: UInt64(number))
            year = Int.random(in: 0..<10_000, using: &random)
            title = "t\(Int.random(in: 100_000..<1_000_000, using: &random))"
            isShared = Int.random(in: 0..<10, using: &random) == 0
        }
    }

    func run() throws -> Result {
        let start = ContinuousClock.now
        let store = try makeStore()
        let importSeconds = start.duration(to: .now).nanoseconds / 1e9
        defer { try? store.close() }
        let sqlite = try SQLiteQueries(path: folder + "/query.sqlite")
        for number in 0..<objects {
            let item = Item(number)
            try sqlite.add(number, year: item.year, title: item.title, isShared: item.isShared)
        }
        try sqlite.finish()
        let shared = (0..<objects).filter { Item($0).isShared }.count
        let years = Self.firstYear
        let first = try time { call in
            let query = Query("doc", where: .compare("year", .atLeast, .integer(Int64(years(call)))), order: [.ascending("year")])
            return try store.query(query, as: Self.caller).objects.count
        }
        let narrowed = try time { call in
            try store.query(Self.narrowed(call), as: Self.caller).objects.count
        }
        let all = try Timing.once {
            let page = try store.query(Query("doc", order: [.ascending("year")], limit: nil), as: Self.caller)
            return page.objects.count
        }
        let pageByPage = try Timing.once { try self.pageByPage(store) }
        for found in [all.calls, pageByPage.calls] where found != shared {
            throw BenchmarkFailure("a query found \(found) of \(shared) objects")
        }
        return Result(
            firstPage: first, narrowed: narrowed, all: all, pageByPage: pageByPage,
            sqliteFirstPage: try time { try sqlite.firstPage(from: years($0), count: Self.pageSize) },
            sqliteNarrowed: try time {
                try sqlite.narrowed(from: years($0), to: years($0) + 1000, prefix: "t\(1 + $0 % 9)", count: Self.pageSize)
            },
            sqliteAll: try Timing.once { try sqlite.all() }, importSeconds: importSeconds)
    }

    private static func firstYear(_ call: Int) -> Int { call * 199 % 9000 }

    /// A query for a range of years and a prefix of the title.
    static func narrowed(_ call: Int) -> Query {
        let condition = Condition.all([
            .compare("year", .atLeast, .integer(Int64(firstYear(call)))),
            .compare("year", .less, .integer(Int64(firstYear(call) + 1000))),
            .hasPrefix("title", "t\(1 + call % 9)"),
        ])
        return Query("doc", where: condition, order: [.descending("title")])
    }

    private func time(_ body: (Int) throws -> Int) throws -> Timing {
        try Timing.measure(calls: Self.repetitions, batch: 1, warmUp: 3) { call in
            let found = try body(call)
            guard found > 0 else { throw BenchmarkFailure("a query found nothing") }
            return found
        }
    }

    private func pageByPage(_ store: Store) throws -> Int {
        let query = Query("doc", order: [.ascending("year")], limit: 10_000)
        var page = try store.query(query, as: Self.caller)
        var count = page.objects.count
        while let next = page.next {
            page = try store.query(query, as: Self.caller, after: next)
            count += page.objects.count
        }
        return count
    }

    func makeStore() throws -> Store {
        let clock = BenchmarkClock()
        let store = try Store.create(
            at: folder + "/query", preset: .open, administrator: "user:root",
            options: StoreOptions(clock: { clock.now }, expiryRecording: .withCommits))
        let importer = try store.importer()
        try importer.add(
            Transaction(
                "user:root",
                [
                    .defineClass("doc", ClassSettings(properties: ["year", "title"])), .createRole("role:team"),
                    .addMember(Self.caller, to: "role:team"),
                ], authority: .importer))
        var changes: [Change] = []
        func execute() throws {
            try importer.add(Transaction("user:root", changes, authority: .importer))
            changes.removeAll(keepingCapacity: true)
        }
        for number in 0..<objects {
            let item = Item(number)
            let object = Name("doc:\(number)")
            let value: JSONValue = .object(["year": .integer(Int64(item.year)), "title": .string(item.title)])
            changes.append(.createObject(object, value: value))
            if item.isShared { changes.append(.grant(number % 2 == 0 ? Self.caller : "role:team", on: object, ["read", "query"])) }
            if changes.count >= Self.changesPerTransaction { try execute() }
        }
        try execute()
        try importer.finish()
        return store
    }
}

/// The same objects and grants in SQLite.
private final class SQLiteQueries {
    private let database: SQLiteDatabase
    private let object: SQLiteStatement
    private let grant: SQLiteStatement

    init(path: String) throws {
        database = try SQLiteDatabase(path: path)
        try database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000")
        try database.run(
            """
            CREATE TABLE objects (id INTEGER PRIMARY KEY, year INTEGER, title TEXT);
            CREATE TABLE grants (object INTEGER, subject INTEGER, PRIMARY KEY (object, subject)) WITHOUT ROWID;
            BEGIN
            """)
        object = try database.prepare("INSERT INTO objects VALUES (?, ?, ?)")
        grant = try database.prepare("INSERT INTO grants VALUES (?, ?)")
    }

    func add(_ number: Int, year: Int, title: String, isShared: Bool) throws {
        object.bind(1, Int64(number))
        object.bind(2, Int64(year))
        object.bind(3, title)
        try object.run()
        guard isShared else { return }
        grant.bind(1, Int64(number))
        grant.bind(2, Int64(number % 2 == 0 ? 1 : 2))
        try grant.run()
    }

    func finish() throws {
        try database.run(
            """
            COMMIT;
            CREATE INDEX by_year ON objects (year, title);
            CREATE INDEX by_title ON objects (title, year);
            CREATE INDEX by_subject ON grants (subject, object);
            ANALYZE
            """)
    }

    private static let isGranted = "EXISTS (SELECT 1 FROM grants g WHERE g.object = o.id AND g.subject IN (1, 2))"

    func firstPage(from year: Int, count: Int) throws -> Int {
        let statement = try database.prepare(
            "SELECT o.id FROM objects o WHERE o.year >= ? AND \(Self.isGranted) ORDER BY o.year, o.id LIMIT \(count)")
        statement.bind(1, Int64(year))
        return try statement.numbers().count
    }

    func narrowed(from year: Int, to end: Int, prefix: String, count: Int) throws -> Int {
        let statement = try database.prepare(
            """
            SELECT o.id FROM objects o WHERE o.year >= ? AND o.year < ? AND o.title >= ? AND o.title < ? AND \(Self.isGranted)
            ORDER BY o.title DESC, o.id DESC LIMIT \(count)
            """)
        statement.bind(1, Int64(year))
        statement.bind(2, Int64(end))
        statement.bind(3, prefix)
        statement.bind(4, prefix + "~")
        return try statement.numbers().count
    }

    func all() throws -> Int {
        try database.prepare("SELECT o.id FROM objects o WHERE \(Self.isGranted) ORDER BY o.year, o.id").numbers().count
    }
}
