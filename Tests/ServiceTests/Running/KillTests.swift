import Credentials
import Events
import Foundation
import Muniment
import Permissions
import RandomHistories
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@Suite("A service that is killed at any moment, during writes from several clients")
struct KillTests {
    private static let rounds = 200
    private static let clients = 3

    @Test("After each of 200 kills, acknowledged commits exist once and complete, and a resumed feed delivers each notice once")
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
            // Each started transaction was sent again until it was acknowledged.
            #expect(found.count == acknowledged.count)
            let shared = acknowledged.sorted { $0.value < $1.value }.map { "doc:\($0.key)-a" }
            #expect(load.told == shared)
        }
    }
}

/// Clients that write to a service, one transaction after another, each with a separate key. A transaction that was not
/// acknowledged is sent again to the next process.
private final class WriteLoad: Sendable {
    private let directory: String
    private let token: String
    private let readersToken: String
    private let state: Mutex<State>

    private struct State {
        var acknowledged: [String: Revision] = [:]
        /// By client, the number of its next transaction.
        var next: [Int]
        /// The objects of the notices that the reader received, in order.
        var told: [String] = []
        /// The id of the last complete event.
        var lastID = "0"
    }

    init(directory: String, clients: Int) throws {
        self.directory = directory
        let store = try Store.create(at: directory + "/default", preset: .open)
        try store.commit(Transaction("user:root", [.defineClass("doc"), .register("user:reader")]))
        try store.close()
        let tokens = TokenRegistry(dataDirectory: directory)
        token = try tokens.create(stores: .all, right: .act(as: "user:root"), at: .newYear).secret
        readersToken = try tokens.create(stores: .all, right: .act(as: "user:reader"), at: .newYear).secret
        state = Mutex(State(next: [Int](repeating: 0, count: clients)))
    }

    var acknowledged: [String: Revision] { state.withLock { $0.acknowledged } }
    var told: [String] { state.withLock { $0.told } }

    /// Starts a service, writes to it from all clients, and kills it after `limit` acknowledged transactions.
    func run(killingAfter limit: Int) throws {
        let process = try ServedProcess(directory)
        let count = Mutex(0)
        let reader = TestThread { [self] in try listen(process) { _ in false } }
        let clients = state.withLock { $0.next.indices }.map { client in
            TestThread { [self] in
                let connection: PlainClient
                do { connection = try PlainClient(port: process.port) } catch { return }
                // The last acknowledgment kills the service while the other clients' transactions are in progress.
                repeat {
                    let isLast = count.withLock { $0 >= limit }
                    if isLast { process.signal(SIGKILL) }
                } while try write(client, over: connection) { count.withLock { $0 += 1 } }
            }
        }
        for client in clients { try client.join() }
        process.kill()
        try reader.join()
    }

    /// Sends the transactions without acknowledgment, listens until the last notice arrives, and stops the service in good order.
    func finish() throws {
        let process = try ServedProcess(directory)
        var last = ""
        try listen(process) {
            for client in state.withLock({ $0.next.indices }) {
                guard try write(client, over: PlainClient(port: process.port), {}) else { throw PlainClient.Gone() }
            }
            last = acknowledged.max { $0.value < $1.value }.map { "doc:\($0.key)-a" } ?? ""
        } until: {
            $0 == last
        }
        process.signal(SIGTERM)
        guard process.exitCode() == 0 else { throw PlainClient.Gone() }
    }

    /// Listens to the reader's notices after the last complete event, until the service exits or `isLast` accepts an object.
    ///
    /// - Parameter work: Runs after the feed is open.
    private func listen(_ process: ServedProcess, work: () throws -> Void = {}, until isLast: (String) -> Bool) throws {
        let feed: FeedClient
        do {
            feed = try FeedClient(
                port: process.port, "/v1/stores/default/notices", token: readersToken, lastID: state.withLock { $0.lastID })
        } catch is LoopbackSocket.CannotConnect { return }
        try work()
        while let event = feed.next() {
            guard case .string(let object)? = try event.json["subject"] else {
                throw Unexpected(status: feed.status, body: event.data)
            }
            state.withLock { state in
                state.told.append(object)
                state.lastID = event.id
            }
            if isLast(object) { return }
        }
    }

    /// Sends the next transaction of a client. Returns false if the service has exited.
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
