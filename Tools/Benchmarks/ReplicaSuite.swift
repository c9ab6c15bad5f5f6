import Events
import Foundation
import Muniment
import Permissions

/// Measures the feeds of replicas: the first fill of a large replica, and the time from a commit to 1,000 connected replicas.
struct ReplicaSuite {
    let folder: String
    let objects: Int
    /// How often the object that every user may read is written.
    let rounds: Int
    static let replicas = 1000
    private static let objectsPerCommit = 1_000

    struct Result {
        /// The time until the service has sent the first fill.
        var feedSeconds: Double
        /// The first fill of a replica in a file, and of another one with a tenth of the objects.
        var fill: ReplicaFill.Result
        var smallFill: ReplicaFill.Result
        /// The time to insert the same rows into a table of SQLite in one transaction.
        var sqliteSeconds: Double
        /// The time from sending a commit to its acknowledgement, and to the end of its step at a replica.
        var acknowledgement: Timing
        var delivery: Timing
    }

    func run() throws -> Result {
        allowManySockets()
        let directory = folder + "/data"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let store = try Store.create(at: directory + "/default", preset: .open)
        try prepare(store)
        try store.close()
        let tokens = try (0...Self.replicas / StreamSuite.streamsPerToken).map { _ in
            try ServiceSuite.token(directory, ["administer"])
        }
        return try ServiceProcess.with(ServiceSuite.tool, ["serve", "--data", directory, "--listen", "127.0.0.1:0"]) { service in
            let feed = try feed(port: service.port, tokens)
            let fills = try ["doc", "note"].map { name in
                try ReplicaFill.measure(
                    address: service.address, token: tokens[0], className: name, file: folder + "/\(name).replica")
            }
            guard fills.map(\.objects) == [objects, objects / 10] else {
                throw BenchmarkFailure("the replicas have \(fills.map(\.objects)) objects")
            }
            let (acknowledgement, delivery) = try changes(port: service.port, tokens)
            return Result(
                feedSeconds: feed, fill: fills[0], smallFill: fills[1], sqliteSeconds: try loadSQLite(),
                acknowledgement: acknowledgement, delivery: delivery)
        }
    }

    /// Makes the objects of one user in two classes, and an object that every user may read.
    private func prepare(_ store: Store) throws {
        try store.commit(
            Transaction(
                "user:root",
                [
                    .defineClass("doc"), .defineClass("note"), .defineClass("board"), .createObject("board:1"),
                    .grant("everyone", on: "board:1", ["read"]),
                ] + (0..<Self.replicas).map { .register(Name("user:\($0)")) }))
        for (className, count) in [("doc", objects), ("note", objects / 10)] {
            for first in stride(from: 0, to: count, by: Self.objectsPerCommit) {
                let changes = (first..<min(first + Self.objectsPerCommit, count)).flatMap { number -> [Change] in
                    let name = Name("\(className):\(number)")
                    return [.createObject(name, value: Self.value(number)), .grant("user:0", on: name, ["read", "update"])]
                }
                try store.commit(Transaction("user:root", changes))
            }
        }
    }

    private static func value(_ number: Int) -> JSONValue {
        .object(["title": .string("document \(number)"), "pages": .integer(Int64(number % 100))])
    }

    private func feed(port: UInt16, _ tokens: [String]) throws -> Double {
        let start = ContinuousClock.now
        let clients = try StreamClients(port: port, tokens: tokens, targets: ["/v1/stores/default/replica?class=doc&as=user:0"])
        _ = try clients.events(1, of: "\nevent: end", within: 120)
        return start.duration(to: .now).nanoseconds / 1e9
    }

    /// Inserts the same objects into a table with the columns of a replica. Returns the seconds.
    private func loadSQLite() throws -> Double {
        let database = try SQLiteDatabase(path: folder + "/raw.sqlite")
        try database.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE object (name TEXT PRIMARY KEY, json BLOB)")
        let insert = try database.prepare("INSERT OR REPLACE INTO object VALUES (?, ?)")
        let rows = try (0..<objects).map { number in
            let value = String(decoding: try JSONText.encode(Self.value(number)), as: UTF8.self)
            return ("doc:\(number)", #"{"privileges":{"read":null,"update":null},"value":\#(value)}"#)
        }
        let start = ContinuousClock.now
        try database.run("BEGIN")
        for (name, json) in rows {
            insert.bind(1, name)
            insert.bind(2, json)
            try insert.run()
        }
        try database.run("COMMIT")
        return start.duration(to: .now).nanoseconds / 1e9
    }

    private func changes(port: UInt16, _ tokens: [String]) throws -> (Timing, Timing) {
        let clients = try StreamClients(
            port: port, tokens: tokens,
            targets: (0..<Self.replicas).map { "/v1/stores/default/replica?class=board&as=user:\($0)" })
        // The fills.
        try clients.discard(for: 3)
        let token = tokens[tokens.count - 1]
        let connection = try RequestConnection(port: port)
        var (acknowledgements, deliveries): ([Double], [Double]) = ([], [])
        for round in 0..<rounds {
            let body = #"{"as":"user:root","do":[{"op":"writeObject","object":"board:1","value":{"round":\#(round)}}]}"#
            let called = ContinuousClock.now
            let status = try connection.post("/v1/stores/default/transactions", token: token, body)
            guard status == 200 else { throw BenchmarkFailure("a commit was answered \(status)") }
            acknowledgements.append(called.duration(to: .now).nanoseconds)
            let events = try clients.events(Self.replicas, of: "\nevent: end", within: 60)
            deliveries += events.map { called.duration(to: $0.at).nanoseconds }
        }
        return (Timing(of: acknowledgements), Timing(of: deliveries))
    }
}

func measureReplicas(_ arguments: Arguments) throws -> Table {
    let objects = arguments.isQuick ? 20_000 : 100_000
    var table = Table("Replicas")
    note("replicas")
    let folder = arguments.folder + "/replicas"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let result = try ReplicaSuite(folder: folder, objects: objects, rounds: arguments.isQuick ? 5 : 30).run()
    table.add(
        Row(
            "first fill of \(objects) objects into a file, vs. the same rows inserted into SQLite",
            .perSecond(Double(objects) / result.fill.seconds), raw: .perSecond(Double(objects) / result.sqliteSeconds),
            goal: .figureAtLeast(50_000, .perSecond)))
    table.add(Row("the same over HTTP, without a file", .perSecond(Double(objects) / result.feedSeconds)))
    table.add(
        Row(
            "most memory of the process with that replica, vs. one with a tenth of the objects", .bytes(result.fill.peakBytes),
            raw: .bytes(result.smallFill.peakBytes), goal: .ratioAtMost(1.5)))
    table.add(
        Row(
            "from sending a commit to its step at \(ReplicaSuite.replicas) replicas, vs. its acknowledgement, p50",
            .nanoseconds(result.delivery.p50Nanoseconds), raw: .nanoseconds(result.acknowledgement.p50Nanoseconds)))
    table.add(
        Row(
            "the same, p99", .nanoseconds(result.delivery.p99Nanoseconds), raw: .nanoseconds(result.acknowledgement.p99Nanoseconds),
            goal: .figureAtMost(20e6, .nanoseconds)))
    return table
}
