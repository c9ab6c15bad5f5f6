import Credentials
import Events
import HTTPServer
import Muniment
import Notices
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("The live feed: what happens reaches those who may know, once")
struct LiveFeedTests {
    static let notices = "/v1/stores/default/notices"
    static let commits = "/v1/stores/default/commits"

    @Test("A notice comes as a CloudEvent whose id is the revision; when to come back is said once")
    func comesAsCloudEvent() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            let client = try FeedClient(port: fixture.listen(), Self.notices, token: fixture.token(.act(as: "user:bob")))
            #expect(client.status == 200)
            #expect(client.read(until: { $0.lastID != nil }))
            #expect(client.lastID == "\(try store.head.revision)")
            let receipt = try store.write([.grant("user:bob", on: "doc:1", ["read"])])
            let event = try #require(client.next())
            let time = try store.time(of: receipt.head)
            #expect(event.id == "\(receipt.head)")
            #expect(
                try event.json
                    == .object([
                        "specversion": .string("1.0"), "id": .string("default/\(receipt.head)/user:bob/1"),
                        "source": .string("/v1/stores/default"), "type": .string("muniment.notice.shared"),
                        "subject": .string("doc:1"), "time": .string("\(time)"), "datacontenttype": .string("application/json"),
                        "data": .object([
                            "revision": .integer(Int64(receipt.head.rawValue)), "time": .string("\(time)"),
                            "kind": .string("shared"), "object": .string("doc:1"), "wasAccessible": .bool(false),
                            "completesRevision": .bool(true),
                        ]),
                    ]))
            #expect(client.retryMilliseconds == 2_000)
        }
    }

    @Test("Whoever comes back gets what it missed, also between the notices of one revision, and nothing twice")
    func goesOn() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let changes = (1...3).map { Change.grant("user:bob", on: Name("doc:\($0)"), ["read"]) }
            let revision = try store.write(changes).head
            let start = Revision(revision.rawValue - 1)
            let all = try FeedClient(port: port, Self.notices + "?after=\(start)", token: token)
            let events = (1...3).compactMap { _ in all.next() }
            #expect(events.map(\.id) == ["\(revision).1", "\(revision).2", "\(revision)"])
            for known in 1...2 {
                let client = try FeedClient(port: port, Self.notices, token: token, lastID: events[known - 1].id)
                #expect((known..<3).compactMap { _ in client.next()?.data } == events.dropFirst(known).map(\.data))
            }
            // What the client brings back goes before the address that it began with.
            let back = try FeedClient(port: port, Self.notices + "?after=0", token: token, lastID: "\(revision)")
            let next = try store.write([.revoke("user:bob", on: "doc:1")]).head
            #expect(back.next()?.id == "\(next)")
        }
    }

    @Test("Who may not know is told nothing: 401 without a good token, 403 for others' notices and other stores")
    func refuses() async throws {
        try await withListeners { fixture in
            _ = try fixture.prepared()
            let port = try fixture.listen()
            let bob = try fixture.token(.act(as: "user:bob"))
            let elsewhere = try fixture.token(.ask, .named(["elsewhere"]))
            let asking = try fixture.token(.ask)
            let cases: [(String, String, Int)] = [
                (Self.notices, "muni_wrong", 401), (Self.commits, "muni_wrong", 401),
                (Self.notices + "?for=user:root", bob, 403), (Self.notices + "?for=user:bob", bob, 200),
                (Self.notices + "?for=user:bob", elsewhere, 403), (Self.notices + "?for=user:bob", asking, 200),
                (Self.notices, asking, 400), (Self.commits, bob, 403), (Self.commits, asking, 403),
                (Self.commits, try fixture.administrator(), 200), (Self.notices + "?after=x", bob, 400),
                (Self.notices + "?after=99999", bob, 400), (Self.notices + "?after=4.0", bob, 400),
                ("/v1/stores/nowhere/notices", bob, 403), ("/v1/stores/nowhere/commits", try fixture.administrator(), 404),
            ]
            for (target, token, status) in cases {
                #expect(try FeedClient(port: port, target, token: token).status == status, "\(target)")
            }
        }
    }

    @Test("A token that is taken back, or is over, ends its feeds, and brings nothing more")
    func endsWithItsToken() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            let port = try fixture.listen()
            let until = Instant(microseconds: fixture.clock.now.microseconds + 1_000_000)
            let short = try FeedClient(
                port: port, Self.notices, token: fixture.token(.act(as: "user:bob"), until: until))
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            let (secret, token) = try registry.create(
                stores: .named(["default"]), right: .act(as: "user:bob"), until: nil, at: fixture.clock.now)
            let quiet = try FeedClient(port: port, Self.notices, token: secret)
            let busy = try FeedClient(port: port, Self.notices, token: secret)
            fixture.service.liveFeeds.tick()
            #expect(fixture.service.liveFeeds.count == 3)
            _ = try registry.revoke(id: token.id, at: fixture.clock.now)
            // At the next event, without waiting for the second to pass.
            _ = try store.write([.grant("user:bob", on: "doc:1", ["read"])])
            #expect(busy.next() == nil && busy.isEnded)
            #expect(quiet.next() == nil && quiet.isEnded)
            #expect(short.next() != nil)
            fixture.clock.now = until
            fixture.service.liveFeeds.tick()
            #expect(short.next() == nil && short.isEnded)
        }
    }

    @Test("An administrator of the store who listens to another is cut off when dismissed")
    func endsWithTheRight() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            try store.write([.appointAdministrator("user:ann")])
            let token = try fixture.token(.act(as: "user:ann"))
            let client = try FeedClient(port: fixture.listen(), Self.notices + "?for=user:bob", token: token)
            #expect(client.status == 200)
            try store.write([.dismissAdministrator("user:ann")])
            fixture.service.liveFeeds.tick()
            #expect(client.next() == nil && client.isEnded)
        }
    }

    @Test("Signs of life come, and move the client on over what does not concern it")
    func beats() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let client = try FeedClient(port: port, Self.notices, token: token)
            #expect(client.read(until: { $0.lastID != nil }))
            let start = try store.head.revision
            try await until("the feed waits") { store.waitingObservers > 0 }
            for _ in 1...15 { fixture.service.liveFeeds.tick() }
            #expect(client.read(until: { $0.comments == 1 }) && client.lastID == "\(start)")
            // Commits that are none of its business.
            for number in 1...5 {
                try store.write([.grant("user:ann", on: Name("doc:\(number)"), ["read"])])
            }
            let head = try store.head.revision
            for _ in 1...15 { fixture.service.liveFeeds.tick() }
            #expect(client.read(until: { $0.comments == 2 }))
            #expect(client.read(until: { $0.lastID != "\(start)" }) && client.lastID == "\(head)")
            #expect(store.waitingObservers == 1)
        }
    }

    @Test("A client that is gone is noticed by a sign of life, and nothing is kept of it")
    func forgets() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            for _ in 0..<20 { #expect(try FeedClient(port: port, Self.notices, token: token).status == 200) }
            #expect(try FeedClient(port: port, Self.commits, token: fixture.administrator()).status == 200)
            try await until("the feeds are closed") {
                fixture.service.liveFeeds.tick()
                return fixture.service.liveFeeds.count == 0
            }
            try await until("nobody waits") { store.waitingObservers == 0 }
        }
    }

    @Test("Every commit comes to administrators, from the first one on, with what it says")
    func followsCommits() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.administrator())
            let client = try FeedClient(port: port, Self.commits + "?after=0", token: token)
            var expected = try store.head.revision.rawValue
            for revision in 1...expected { #expect(client.next()?.id == "\(revision)") }
            for number in 1...100 {
                try store.write([.createObject(Name("doc:new\(number)"))])
                expected += 1
                let event = try #require(client.next())
                let json = try event.json
                #expect(event.id == "\(expected)")
                #expect(json["type"] == .string("muniment.commit"))
                #expect(json["data"]?["actor"] == .string("user:root"))
                #expect(json["data"]?["hash"] == .string(try store.head.hash))
            }
        }
    }

    @Test("No more feeds are open at once than one who acts may have")
    func limits() async throws {
        try await withListeners { fixture in
            _ = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let clients = try (0..<256).map { _ in try FeedClient(port: port, Self.notices, token: token) }
            #expect(clients.allSatisfy { $0.status == 200 })
            #expect(try FeedClient(port: port, Self.notices, token: token).status == 429)
            let other = try fixture.token(.act(as: "user:ann"))
            #expect(try FeedClient(port: port, Self.notices, token: other).status == 200)
        }
    }

    @Test("A service that stops ends its feeds in good order and at once")
    func endsWithTheService() async throws {
        var clients: [FeedClient] = []
        try await withListeners { fixture in
            _ = try fixture.prepared()
            let token = try fixture.administrator()
            for target in [Self.notices + "?for=user:bob", Self.commits] {
                clients.append(try FeedClient(port: fixture.listen(), target, token: token))
            }
            #expect(clients.allSatisfy { $0.read(until: { $0.lastID != nil }) })
        }
        for client in clients { #expect(client.next() == nil && client.isEnded) }
    }
}

extension ServiceFixture {
    /// The default store, with some documents, Ann and Bob.
    func prepared() throws -> Store {
        let store = try #require(try service.data.store(.default)).store
        let all: [Change] = [
            .defineClass("doc"), .register("user:ann"), .register("user:bob"),
            .grant("everyone", on: "store", ["read"]), .grant("everyone", on: "class:doc", ["read"]),
        ]
        try store.commit(Transaction("user:root", all + (1...40).map { .createObject(Name("doc:\($0)")) }))
        return store
    }
}

extension Store {
    /// Commits as the administrator that a new store has.
    @discardableResult
    func write(_ changes: [Change]) throws -> Receipt { try commit(Transaction("user:root", changes)) }
}
