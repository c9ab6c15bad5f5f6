import Credentials
import Events
import Foundation
import Muniment
import Permissions
import RandomHistories
import Synchronization
import TestSupport
import Testing

@Suite("A service that is killed at any moment, under writes from several clients")
struct KillTests {
    private static let rounds = 200
    private static let clients = 3

    @Test("200 times: every acknowledged transaction is there, once and whole, and the store is sound")
    func killedAgainAndAgain() throws {
        var random = SplitMix64(seed: TestSettings.firstSeed)
        try withTemporaryFolder { folder in
            let load = try WriteLoad(directory: folder + "/data", clients: Self.clients)
            for _ in 0..<Self.rounds { try load.run(killingAfter: Int.random(in: 0..<24, using: &random)) }
            try load.finish()
            let report = try Store.verify(at: folder + "/data/default")
            #expect(report.problems == [])
            let store = try Store.open(at: folder + "/data/default")
            defer { try? store.close() }
            var found: [String: Revision] = [:]
            try store.log(from: .genesis, to: store.head.revision) { entry in
                guard let key = entry.commit.origin.idempotencyKey else { return }
                #expect(found[key] == nil, "\(key) was carried out twice")
                found[key] = entry.commit.revision
            }
            let acknowledged = load.acknowledged
            #expect(acknowledged.count > Self.rounds)
            for (key, revision) in acknowledged {
                #expect(found[key] == revision, "\(key) was acknowledged as revision \(revision)")
            }
            try store.read { snapshot throws in
                for key in found.keys {
                    #expect(try snapshot.exists(Name("doc:\(key)-a")))
                    #expect(try snapshot.exists(Name("doc:\(key)-b")))
                }
            }
            // Each transaction that was begun was sent again until it was acknowledged.
            #expect(found.count == acknowledged.count)
        }
    }
}

/// Clients that write to a service, one transaction after another, each with a key of its own; whatever was not acknowledged is sent
/// again to the next process.
private final class WriteLoad: Sendable {
    private let directory: String
    private let token: String
    private let state: Mutex<State>

    private struct State {
        var acknowledged: [String: Revision] = [:]
        /// By client, the number of the transaction that it has to send.
        var next: [Int]
    }

    init(directory: String, clients: Int) throws {
        self.directory = directory
        let store = try Store.create(at: directory + "/default", preset: .open)
        try store.commit(Transaction("user:root", [.defineClass("doc"), .register("user:reader")]))
        try store.close()
        token = try TokenRegistry(dataDirectory: directory).create(
            stores: .all, right: .act(as: "user:root"), at: .newYear
        ).secret
        state = Mutex(State(next: [Int](repeating: 0, count: clients)))
    }

    var acknowledged: [String: Revision] { state.withLock { $0.acknowledged } }

    /// Starts a service, writes to it from all clients, and kills it once so many transactions were acknowledged.
    func run(killingAfter limit: Int) throws {
        let process = try ServedProcess(directory)
        let count = Mutex(0)
        let clients = state.withLock { $0.next.indices }.map { client in
            TestThread { [self] in
                let connection: PlainClient
                do { connection = try PlainClient(port: process.port) } catch { return }
                // The one that is acknowledged last kills it, while the others are in the middle of theirs.
                repeat {
                    let isLast = count.withLock { $0 >= limit }
                    if isLast { process.signal(SIGKILL) }
                } while try write(client, over: connection) { count.withLock { $0 += 1 } }
            }
        }
        for client in clients { try client.join() }
        process.kill()
    }

    /// Sends what was not acknowledged yet, and ends the service in good order.
    func finish() throws {
        let process = try ServedProcess(directory)
        for client in state.withLock({ $0.next.indices }) {
            guard try write(client, over: PlainClient(port: process.port), {}) else { throw PlainClient.Gone() }
        }
        process.signal(SIGTERM)
        guard process.exitCode() == 0 else { throw PlainClient.Gone() }
    }

    /// Sends the next transaction of a client; false where the service is gone.
    private func write(_ client: Int, over connection: PlainClient, _ whenAcknowledged: () -> Void) throws -> Bool {
        let number = state.withLock { $0.next[client] }
        let key = "c\(client)-\(number)"
        let body = """
            {"do":[{"op":"createObject","object":"doc:\(key)-a"},{"op":"createObject","object":"doc:\(key)-b"},\
            {"op":"grant","subject":"user:reader","object":"doc:\(key)-a","privileges":["read"]}]}
            """
        let answer: (status: Int, body: String)
        do {
            answer = try connection.send(
                "POST", "/v1/stores/default/transactions",
                headers: ["Authorization": "Bearer " + token, "Content-Type": "application/json", "Idempotency-Key": key],
                body: body)
        } catch { return false }
        guard answer.status == 200, case .integer(let revision)? = try JSONText.decode(Array(answer.body.utf8))["revision"] else {
            throw Unexpected(status: answer.status, body: answer.body)
        }
        state.withLock { state in
            state.acknowledged[key] = Revision(UInt64(revision))
            state.next[client] = number + 1
        }
        whenAcknowledged()
        return true
    }

    struct Unexpected: Error {
        let status: Int
        let body: String
    }
}
