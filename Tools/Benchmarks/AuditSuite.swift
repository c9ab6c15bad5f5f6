import Events
import Foundation
import Muniment
import Permissions

/// Measures pages of an audit list with many records, and compares them with SQLite with an index for each column of a filter.
///
/// Half of the records are of one actor, and half of them are about one subject. Only few records are in both halves.
struct AuditSuite {
    let records: Int
    let folder: String

    struct Result {
        /// The name of each filter, the time of a page with it, and the time of the same page in SQLite.
        var pages: [(name: String, page: Timing, sqlite: Timing)]
        var importPerSecond: Double
    }

    static let pageSize = 100
    private static let repetitions = 20
    private static let objects = 20_000
    private static let recordsPerTransaction = 5
    /// One record in this many has both the frequent actor and the frequent subject.
    private static let meetEvery = 99_991

    /// The content of the record with a number.
    private struct Item {
        let actor: Name
        let subject: Name
        let object: Name
        let isGrant: Bool

        init(_ number: Int) {
            let transaction = number / AuditSuite.recordsPerTransaction
            let isDense = transaction % 2 == 0
            let doesMeet = isDense && number % AuditSuite.meetEvery == 0
            actor = isDense ? "user:clerk" : Name("user:a\(transaction % 1000)")
            subject = !isDense || doesMeet ? "user:reader" : Name("user:s\(number % 5000)")
            object = Name("doc:\(number % AuditSuite.objects)")
            isGrant = number / AuditSuite.objects % 2 == 0
        }
    }

    private struct Filter {
        let name: String
        let filter: AuditFilter
        let sql: String
    }

    func run() throws -> Result {
        let (store, seconds, times) = try makeStore()
        defer { try? store.close() }
        let sqlite = try SQLiteAudit(path: folder + "/audit.sqlite")
        try sqlite.fill(from: store)
        let filters: [Filter] = [
            Filter(name: "no filter", filter: AuditFilter(), sql: "1"),
            Filter(name: "a dense actor", filter: AuditFilter(actor: "user:clerk"), sql: "actor = 'user:clerk'"),
            Filter(name: "a rare actor", filter: AuditFilter(actor: "user:a77"), sql: "actor = 'user:a77'"),
            Filter(name: "one object", filter: AuditFilter(object: "doc:777"), sql: "object = 'doc:777'"),
            Filter(name: "a dense subject", filter: AuditFilter(subject: "user:reader"), sql: "subject = 'user:reader'"),
            Filter(
                name: "a dense actor and a dense subject that hardly meet",
                filter: AuditFilter(actor: "user:clerk", subject: "user:reader"),
                sql: "actor = 'user:clerk' AND subject = 'user:reader'"),
            Filter(
                name: "the same, one kind, newest first",
                filter: AuditFilter(actor: "user:clerk", subject: "user:reader", kinds: ["AccessGranted"], order: .newestFirst),
                sql: "actor = 'user:clerk' AND subject = 'user:reader' AND kind = 'AccessGranted'"),
            Filter(
                name: "an hour and a kind", filter: AuditFilter(kinds: ["AccessRevoked"], from: .time(times.0), to: .time(times.1)),
                sql: "kind = 'AccessRevoked' AND time BETWEEN \(times.0.microseconds) AND \(times.1.microseconds)"),
            Filter(name: "refused only", filter: AuditFilter(outcome: .refused), sql: "kind = 'refused'"),
            Filter(name: "a name that did nothing", filter: AuditFilter(actor: "user:s1"), sql: "actor = 'user:s1'"),
        ]
        var pages: [(name: String, page: Timing, sqlite: Timing)] = []
        for filter in filters {
            var found = (here: 0, there: 0)
            let page = try Timing.measure(calls: Self.repetitions, batch: 1, warmUp: 1) { _ in
                found.here = try store.audit(filter.filter, limit: Self.pageSize).records.count
                return found.here
            }
            let isNewestFirst = filter.filter.order == .newestFirst
            let other = try Timing.measure(calls: Self.repetitions, batch: 1, warmUp: 1) { _ in
                found.there = try sqlite.page(filter.sql, isNewestFirst: isNewestFirst, count: Self.pageSize)
                return found.there
            }
            guard found.here == found.there else {
                throw BenchmarkFailure("`\(filter.name)` has \(found.here) records here and \(found.there) in SQLite")
            }
            pages.append((filter.name, page, other))
        }
        return Result(pages: pages, importPerSecond: Double(records) / seconds)
    }

    /// Creates a store with the records, one second apart. Returns the time of the import, and an hour in the middle of the records.
    func makeStore() throws -> (Store, seconds: Double, hour: (Instant, Instant)) {
        let begin = BenchmarkClock().now
        let store = try Store.create(
            at: folder + "/audit", preset: .open, administrator: "user:root", options: StoreOptions(clock: { begin }))
        let importer = try store.importer()
        try importer.add(Transaction("user:root", [.defineClass("doc")], authority: .importer))
        try importer.add(
            Transaction("user:root", (0..<Self.objects).map { .createObject(Name("doc:\($0)")) }, authority: .importer))
        let start = ContinuousClock.now
        var time = begin
        for first in stride(from: 0, to: records, by: Self.recordsPerTransaction) {
            let items = (first..<first + Self.recordsPerTransaction).map { Item($0) }
            time = time.advanced(byMicroseconds: 1_000_000)
            let changes = items.map { item -> Change in
                item.isGrant ? .grant(item.subject, on: item.object, ["read"]) : .revoke(item.subject, on: item.object)
            }
            try importer.add(Transaction(items[0].actor, changes, authority: .importer, time: time))
        }
        try importer.finish()
        let seconds = start.duration(to: .now).nanoseconds / 1e9
        let middle = begin.advanced(byMicroseconds: Int64(records / Self.recordsPerTransaction / 2) * 1_000_000)
        return (store, seconds, (middle, middle.advanced(byMicroseconds: 3_600_000_000)))
    }
}

/// The same records in SQLite, and whole records as the result: with the sentence and the JSON text.
private final class SQLiteAudit {
    private let database: SQLiteDatabase

    init(path: String) throws {
        database = try SQLiteDatabase(path: path)
        try database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000")
        try database.run(
            """
            CREATE TABLE audit
            (id INTEGER PRIMARY KEY, time INTEGER, actor TEXT, kind TEXT, object TEXT, subject TEXT, sentence TEXT, json TEXT)
            """)
    }

    func fill(from store: Store) throws {
        try database.run("BEGIN")
        let insert = try database.prepare(
            "INSERT INTO audit (time, actor, kind, object, subject, sentence, json) VALUES (?, ?, ?, ?, ?, ?, ?)")
        var cursor: AuditCursor?
        while true {
            let page = try store.audit(after: cursor, limit: 10_000)
            for record in page.records {
                insert.bind(1, record.time.microseconds)
                insert.bind(2, record.actor)
                insert.bind(3, record.isDone ? record.kind ?? "" : "refused")
                insert.bind(4, record.objects.first ?? "")
                insert.bind(5, record.subjects.first ?? "")
                insert.bind(6, record.sentence)
                insert.bind(7, String(decoding: try JSONText.encode(record.json), as: UTF8.self))
                try insert.run()
            }
            if page.isLast { break }
            cursor = page.cursor
        }
        let indexes = ["time", "actor", "kind", "object", "subject"].map { "CREATE INDEX by_\($0) ON audit (\($0), id)" }
        try database.run("COMMIT; " + indexes.joined(separator: "; ") + "; ANALYZE")
    }

    func page(_ condition: String, isNewestFirst: Bool, count: Int) throws -> Int {
        let order = isNewestFirst ? "DESC" : "ASC"
        return try database.prepare("SELECT * FROM audit WHERE \(condition) ORDER BY id \(order) LIMIT \(count)").rows().count
    }
}
