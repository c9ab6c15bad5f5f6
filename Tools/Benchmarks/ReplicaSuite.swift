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
        var fillSeconds: Double
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
            let fill = try fill(port: service.port, tokens)
            let (acknowledgement, delivery) = try changes(port: service.port, tokens)
            return Result(fillSeconds: fill, acknowledgement: acknowledgement, delivery: delivery)
        }
    }

    /// Makes the objects of one user, and an object that every user may read.
    private func prepare(_ store: Store) throws {
        try store.commit(
            Transaction(
                "user:root",
                [.defineClass("doc"), .defineClass("board"), .createObject("board:1"), .grant("everyone", on: "board:1", ["read"])]
                    + (0..<Self.replicas).map { .register(Name("user:\($0)")) }))
        for first in stride(from: 0, to: objects, by: Self.objectsPerCommit) {
            let changes = (first..<min(first + Self.objectsPerCommit, objects)).flatMap { number -> [Change] in
                let name = Name("doc:\(number)")
                let value: JSONValue = .object(["title": .string("document \(number)"), "pages": .integer(Int64(number % 100))])
                return [.createObject(name, value: value), .grant("user:0", on: name, ["read", "update"])]
            }
            try store.commit(Transaction("user:root", changes))
        }
    }

    private func fill(port: UInt16, _ tokens: [String]) throws -> Double {
        let start = ContinuousClock.now
        let clients = try StreamClients(port: port, tokens: tokens, targets: ["/v1/stores/default/replica?class=doc&as=user:0"])
        _ = try clients.events(1, of: "\nevent: end", within: 120)
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
            "first fill of \(objects) objects over HTTP, objects", .perSecond(Double(objects) / result.fillSeconds),
            goal: .figureAtLeast(50_000, .perSecond)))
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
