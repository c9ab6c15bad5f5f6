import Credentials
import Events
import HTTPServer
import Notices
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Muniment
@testable import Service

@Suite("The live feed: each event reaches its authorized listeners once")
struct LiveFeedTests {
    static let notices = "/v1/stores/default/notices"
    static let commits = "/v1/stores/default/commits"

    @Test("A notice is a CloudEvent with the revision as its id, and the feed sends the reconnection time once")
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

    @Test("A reconnecting client gets the events it missed, even within one revision, and none twice")
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
            // The client's Last-Event-ID overrides the position in its original address.
            let back = try FeedClient(port: port, Self.notices + "?after=0", token: token, lastID: "\(revision)")
            let next = try store.write([.revoke("user:bob", on: "doc:1")]).head
            #expect(back.next()?.id == "\(next)")
        }
    }

    @Test("A feed without a valid token is answered 401, and one for other users or other stores 403")
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

    @Test("A feed ends and sends nothing more when its token is revoked or expires")
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
            // The feed ends at the next event, before the second has passed.
            _ = try store.write([.grant("user:bob", on: "doc:1", ["read"])])
            #expect(busy.next() == nil && busy.isEnded)
            #expect(quiet.next() == nil && quiet.isEnded)
            #expect(short.next() != nil)
            fixture.clock.now = until
            fixture.service.liveFeeds.tick()
            #expect(short.next() == nil && short.isEnded)
        }
    }

    @Test("The feed of an administrator for another user ends when the administrator is dismissed")
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

    @Test("Heartbeats are sent, and advance the client past events that do not concern it")
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
            // Commits that do not concern the client.
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

    @Test("A heartbeat detects a disconnected client, and the service frees all its state")
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
            try await until("no observer waits") { store.waitingObservers == 0 }
        }
    }

    @Test("Administrators receive every commit from the first one on, with its content")
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

    @Test("A feed of commits continues if it was woken up late, by a commit that it has already sent")
    func wokenLate() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            let client = try FeedClient(port: fixture.listen(), Self.commits, token: fixture.administrator())
            for number in 1...3 {
                try await until("the feed waits") { store.waitingObservers == 1 }
                store.feed.wakeAll()
                try await until("the feed waits again or has ended") {
                    store.waitingObservers == 1 || fixture.service.liveFeeds.count == 0
                }
                let receipt = try store.write([.createObject(Name("doc:late\(number)"))])
                let event = try #require(client.next())
                #expect(event.id == "\(receipt.head)")
            }
        }
    }

    @Test("F14: a feed continues after the deadline of the request that opened it")
    func outlivesDeadline() async throws {
        let limit = Duration.milliseconds(500)
        try await withListeners { settings in
            settings.deadlines.byRoute["notices"] = limit
        } _: { fixture in
            let store = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            var client: FeedClient?
            // On a busy machine, the request itself can pass its deadline.
            try await until("the feed is open") {
                let opened = try FeedClient(port: port, Self.notices, token: token)
                if opened.status == 200 { client = opened }
                return client != nil
            }
            let end = ContinuousClock.now + limit
            try await until("the deadline has passed") { ContinuousClock.now > end }
            // Reads check the deadline once per 256 reads.
            let objects = (0..<1000).map { Name("doc:late\($0)") }
            try store.write(objects.map { .createObject($0) } + objects.map { .grant("user:bob", on: $0, ["read"]) })
            let feed = try #require(client)
            let told = try objects.compactMap { _ in feed.next() }.map { try $0.json["subject"] }
            #expect(Set(told) == Set(objects.map { .string($0.text) }))
        }
    }

    @Test("An `act` token cannot open more feeds than its limit")
    func limits() async throws {
        try await withListeners { fixture in
            _ = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let clients = try (0..<256).map { _ in try FeedClient(port: port, Self.notices, token: token) }
            // A released client closes its feed.
            try withExtendedLifetime(clients) {
                #expect(clients.allSatisfy { $0.status == 200 })
                #expect(try FeedClient(port: port, Self.notices, token: token).status == 429)
                let other = try fixture.token(.act(as: "user:ann"))
                #expect(try FeedClient(port: port, Self.notices, token: other).status == 200)
            }
        }
    }

    @Test("A stopping service ends its feeds immediately and in good order")
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
    /// Returns the default store, with some documents, Ann and Bob.
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
    /// Commits as the initial administrator of the store.
    @discardableResult
    func write(_ changes: [Change]) throws -> Receipt { try commit(Transaction("user:root", changes)) }
}
