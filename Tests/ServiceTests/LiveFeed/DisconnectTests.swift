import Credentials
import Events
import HTTPServer
import Muniment
import Notices
import Permissions
import RandomHistories
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Service

/// Clients disconnect and reconnect at random, while new events arrive.
@Suite("The live feed: each event is delivered exactly once")
struct DisconnectTests {
    private static let docs = (1...40).map { Name("doc:\($0)") }
    private static let clients = 4
    private static let disconnects = 10_000

    /// The number of disconnects, and the revision that clients must reach.
    private final class Progress: Sendable {
        let left = Atomic(0)
        private let last = Mutex<String?>(nil)

        /// The last id, after it is known.
        var end: String? { last.withLock { $0 } }
        func setEnd(_ id: String) { last.withLock { $0 = id } }
    }

    /// Commits until Bob has the given number of notices. Bob already has some documents. Ann's changes are mixed in.
    private static func write(notices: Int, upTo most: Int = 12, seed: UInt64, shared: inout Set<Name>, to store: Store) throws {
        var random = SplitMix64(seed: seed)
        var made = 0
        while made < notices {
            var changes: [Change] = []
            for doc in random.some(1...most, of: docs) {
                let isShared = shared.remove(doc) != nil
                if !isShared { shared.insert(doc) }
                changes.append(isShared ? .revoke("user:bob", on: doc) : .grant("user:bob", on: doc, ["read"]))
            }
            made += changes.count
            try store.write(changes)
            if random.chance(percent: 30) {
                try store.write([.grant("user:ann", on: random.one(of: docs), ["read"])])
                try store.write([.revoke("user:ann", on: random.one(of: docs))])
            }
        }
    }

    /// Reads a few events per connection as one client, up to a last revision that is set during the test.
    private static func listen(
        _ seed: UInt64, port: UInt16, token: String, _ progress: Progress
    ) throws -> [FeedClient.Event] {
        var random = SplitMix64(seed: seed)
        var lastID = "0"
        var events: [FeedClient.Event] = []
        let end = ContinuousClock.now + .seconds(1_200)
        while lastID != progress.end {
            guard .now < end else { throw NotInTime(description: "the feed ends at \(lastID) and not at \(progress.end ?? "-")") }
            let client = try FeedClient(port: port, "/v1/stores/default/notices", token: token, lastID: lastID)
            for _ in 0..<random.number(0...4) {
                guard lastID != progress.end, let event = client.next() else { break }
                events.append(event)
                lastID = event.id
            }
            progress.left.add(1, ordering: .relaxed)
        }
        return events
    }

    @Test("Ten thousand random disconnects lose and duplicate no event")
    func disconnects() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let start = try store.head.revision
            let seed = TestSettings.firstSeed
            let wanted = Self.disconnects / Self.clients * 2 + 300
            var shared: Set<Name> = []
            try Self.write(notices: wanted / 2, seed: seed, shared: &shared, to: store)
            let progress = Progress()
            let heard = await withTaskGroup(of: [FeedClient.Event].self) { group in
                for client in 0..<Self.clients {
                    group.addTask {
                        (try? Self.listen(seed &+ UInt64(client) &+ 1, port: port, token: token, progress)) ?? []
                    }
                }
                try? Self.write(notices: wanted / 2, seed: seed &+ 77, shared: &shared, to: store)
                // The last event. A client that has received it has received all events.
                let last = try? store.write([.createObject("doc:last"), .grant("user:bob", on: "doc:last", ["read"])])
                progress.setEnd(last.map { "\($0.head)" } ?? "")
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(progress.left.load(ordering: .relaxed) >= Self.disconnects, "seed \(seed)")
            let expected = try store.notices(for: "user:bob", after: start, through: store.head.revision)
            #expect(expected.count >= wanted)
            for events in heard {
                #expect(Set(events.map(\.id)).count == events.count, "an event came twice, seed \(seed)")
                let told = try events.map { event in
                    let data = try #require(try event.json["data"])
                    return "\(try #require(data["revision"])) \(try #require(data["kind"])) \(try #require(data["object"]))"
                }
                let due = expected.map {
                    "\(JSONValue.revision($0.revision)) \(JSONValue.string($0.kind.rawValue)) \(JSONValue.name($0.object))"
                }
                #expect(told.sorted() == due.sorted(), "seed \(seed)")
            }
        }
    }

    @Test("A slow client costs only its buffer, delays no other client, and catches up completely")
    func slowClient() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let start = try store.head.revision
            let slow = try FeedClient(
                port: port, "/v1/stores/default/notices", token: token, lastID: "\(start)", receiveBufferBytes: 4_096)
            let quick = try FeedClient(port: port, "/v1/stores/default/notices", token: token, lastID: "\(start)")
            var shared: Set<Name> = []
            try Self.write(notices: 12_000, upTo: 40, seed: 5, shared: &shared, to: store)
            let expected = try store.notices(for: "user:bob", after: start, through: store.head.revision)
            for _ in expected { #expect(quick.next() != nil) }
            // The service keeps at most the slow client's buffer and one event, for any number of pending events.
            #expect(fixture.service.liveFeeds.bufferedBytes <= 65_536 + 1_024)
            var count = 0
            while let event = slow.next() {
                count += 1
                if event.id == "\(try store.head.revision)" { break }
            }
            #expect(count == expected.count)
        }
    }
}
