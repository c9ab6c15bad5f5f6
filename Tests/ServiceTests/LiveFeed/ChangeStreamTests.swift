import Credentials
import Events
import HTTPServer
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("The live feed of an object's changes", .timeLimit(.minutes(60)))
struct ChangeStreamTests {
    private static let plan = "/v1/stores/default/objects/doc:plan/changes"

    /// A document that Bob may read.
    private static func prepare(_ fixture: ServiceFixture) throws -> Store {
        let store = try #require(try fixture.service.data.store(.default)).store
        try store.write([
            .defineClass("doc"), .register("user:ann"), .register("user:bob"),
            .grant("everyone", on: "store", ["read"]), .grant("everyone", on: "class:doc", ["read"]),
            .createObject("doc:plan", value: .object(["title": .string("Plan"), "pages": .integer(1)])),
            .grant("user:bob", on: "doc:plan", ["read"]),
        ])
        return store
    }

    private static func write(_ members: JSONObject) -> Change { .writeObject("doc:plan", .merge(.object(members))) }

    @Test("F14: a change is a CloudEvent for each child and one for the value, without the earlier values")
    func changes() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let token = try fixture.token(.act(as: "user:bob"))
            let client = try FeedClient(port: fixture.listen(), Self.plan, token: token)
            #expect(client.status == 200)
            let receipt = try store.write([Self.write(["pages": .integer(2), "title": .null, "text": .null])])
            let events = (1...3).compactMap { _ in client.next() }
            #expect(events.map(\.id) == ["\(receipt.head).1", "\(receipt.head).2", "\(receipt.head)"])
            let time = JSONValue.time(try store.time(of: receipt.head))
            let common: JSONObject = ["revision": .revision(receipt.head), "time": time]
            let expected: [JSONObject] = [
                [
                    "kind": .string("childChanged"), "name": .string("pages"), "value": .integer(2),
                    "completesRevision": .bool(false),
                ],
                ["kind": .string("childRemoved"), "name": .string("title"), "completesRevision": .bool(false)],
                [
                    "kind": .string("valueChanged"), "value": .object(["pages": .integer(2)]), "completesRevision": .bool(true),
                ],
            ]
            for (number, event) in events.enumerated() {
                let kind = expected[number].text("kind") ?? ""
                #expect(
                    try event.json
                        == .object([
                            "specversion": .string("1.0"), "id": .string("default/\(receipt.head)/doc%3Aplan/\(number + 1)"),
                            "source": .string("/v1/stores/default"), "type": .string("muniment.change.\(kind)"),
                            "subject": .string("doc:plan"), "time": time, "datacontenttype": .string("application/json"),
                            "data": .object(common.with(expected[number])),
                        ]))
            }
            #expect(fixture.service.operations.counts.changesSent.value == 3)
        }
    }

    @Test("F14: a feed of a part of the value sends only the changes there")
    func part() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let start = try store.head.revision
            try store.write([Self.write(["to": .object(["a/b": .integer(1)])])])
            try store.write([Self.write(["pages": .integer(2)])])
            let head = try store.write([Self.write(["to": .object(["a/b": .integer(2)])])]).head
            let client = try FeedClient(port: port, Self.plan + "?path=/to/a~1b&after=\(start)", token: token)
            let events = (1...2).compactMap { _ in client.next() }
            #expect(events.map(\.id) == ["\(start.next)", "\(head)"])
            #expect(try events.map { try $0.json["data"]?["value"] } == [.integer(1), .integer(2)])
            #expect(try events.last?.json["id"] == .string("default/\(head)/doc%3Aplan/to/a~1b/1"))
            #expect(try FeedClient(port: port, Self.plan + "?path=to", token: token).status == 400)
        }
    }

    @Test("F14, E15: losing access ends the feed with the reason, and never sends the value that the same commit writes")
    func accessEnds() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let client = try FeedClient(port: port, Self.plan, token: token)
            let head = try store.write([Self.write(["title": .string("secret")]), .revoke("user:bob", on: "doc:plan")]).head
            let event = try #require(client.next())
            #expect(event.id == "\(head)" && !event.data.contains("secret"))
            #expect(try event.json["type"] == .string("muniment.change.accessEnded"))
            #expect(
                try event.json["data"]
                    == .object([
                        "kind": .string("accessEnded"), "revision": .revision(head),
                        "time": .time(try store.time(of: head)), "completesRevision": .bool(true),
                    ]))
            #expect(client.next() == nil && client.isEnded)
            #expect(try FeedClient(port: port, Self.plan, token: token, lastID: event.id).status == 403)
            // After access is granted again, a feed still cannot begin at a revision without it.
            try store.write([.grant("user:bob", on: "doc:plan", ["read"])])
            #expect(try FeedClient(port: port, Self.plan, token: token, lastID: event.id).status == 403)
            #expect(try FeedClient(port: port, Self.plan, token: token).status == 200)
        }
    }

    @Test("F14: access that ends at a time ends the feed when the end is recorded")
    func accessExpires() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let end = fixture.clock.now.advanced(bySeconds: 60)
            try store.write([.revoke("user:bob", on: "doc:plan"), .grant("user:bob", on: "doc:plan", ["read"], until: end)])
            let client = try FeedClient(port: port, Self.plan, token: token)
            fixture.clock.now = end
            let receipt = try store.write([Self.write(["title": .string("secret")])])
            let event = try #require(client.next())
            #expect(try event.json["type"] == .string("muniment.change.accessEnded") && !event.data.contains("secret"))
            #expect(event.id == "\(receipt.head.rawValue - 1)")
            #expect(client.next() == nil && client.isEnded)
        }
    }

    @Test("F14: deleting the object ends the feed with the reason, also if another object has its name")
    func objectDeleted() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let clients = try (0..<2).map { _ in try FeedClient(port: port, Self.plan, token: token) }
            let start = try store.head.revision
            let head = try store.write([.deleteObject("doc:plan")]).head
            for client in clients {
                let event = try #require(client.next())
                #expect(event.id == "\(head)")
                #expect(try event.json["type"] == .string("muniment.change.objectDeleted"))
                #expect(client.next() == nil && client.isEnded)
            }
            #expect(try FeedClient(port: port, Self.plan, token: token, lastID: "\(head)").status == 404)
            try store.write([.createObject("doc:plan", value: .string("another")), .grant("user:bob", on: "doc:plan", ["read"])])
            let late = try FeedClient(port: port, Self.plan, token: token, lastID: "\(start)")
            #expect(try late.next()?.json["type"] == .string("muniment.change.objectDeleted"))
        }
    }

    @Test("E15: a caller without access now receives no value of the time when it had access")
    func past() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let start = try store.head.revision
            try store.write([Self.write(["title": .string("second")])])
            try store.write([.revoke("user:bob", on: "doc:plan")])
            #expect(try FeedClient(port: port, Self.plan, token: token, lastID: "\(start)").status == 403)
            try store.write([Self.write(["title": .string("secret")])])
            try store.write([.grant("user:bob", on: "doc:plan", ["read"])])
            let client = try FeedClient(port: port, Self.plan, token: token, lastID: "\(start)")
            let events = (1...3).compactMap { _ in client.next() }
            let kinds = try events.map { try $0.json["data"]?["kind"] }
            #expect(kinds == [.string("childChanged"), .string("valueChanged"), .string("accessEnded")])
            #expect(!events.contains { $0.data.contains("secret") })
        }
    }

    @Test("E15: a slow client receives no value after it has lost access", .disabled(if: TestSettings.isSanitized))
    func slowClient() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let client = try FeedClient(port: port, Self.plan + "?path=/text", token: token, receiveBufferBytes: 4_096)
            let writes = 200
            let text = String(repeating: "x", count: 100_000)
            for number in 0..<writes { try store.write([Self.write(["text": .string("\(number) \(text)")])]) }
            try await until("the client has not read the buffer") { fixture.service.liveFeeds.bufferedBytes > 0 }
            let end = try store.write([.revoke("user:bob", on: "doc:plan")]).head
            client.readQuickly()
            var kinds: [JSONValue?] = []
            while let event = client.next() { kinds.append(try event.json["data"]?["kind"]) }
            #expect(kinds.last == .string("accessEnded") && client.lastID == "\(end)" && client.isEnded)
            #expect(kinds.dropLast().allSatisfy { $0 == .string("valueChanged") } && kinds.count <= writes)
        }
    }

    @Test("Heartbeats advance a feed of changes past commits that do not concern it")
    func beats() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let token = try fixture.token(.act(as: "user:bob"))
            let client = try FeedClient(port: fixture.listen(), Self.plan, token: token)
            #expect(client.read(until: { $0.lastID != nil }))
            let start = try #require(client.lastID)
            try await until("the feed waits") { store.waitingObservers > 0 }
            for number in 1...5 { try store.write([.createObject(Name("doc:\(number)"))]) }
            for _ in 1...15 { fixture.service.liveFeeds.tick() }
            #expect(client.read(until: { $0.lastID != start }))
            #expect(client.lastID == "\(try store.head.revision)" && store.waitingObservers == 1)
        }
    }

    @Test("A feed of changes is refused as reading the object is, and needs the media type of a feed")
    func refuses() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let port = try fixture.listen()
            let bob = try fixture.token(.act(as: "user:bob"))
            let (ann, asking) = (try fixture.token(.act(as: "user:ann")), try fixture.token(.ask))
            let cases: [(String, String?, Int)] = [
                (Self.plan, "muni_wrong", 401), (Self.plan, nil, 401), (Self.plan, ann, 403),
                (Self.plan + "?as=user:bob", ann, 403),
                (Self.plan + "?as=user:bob", asking, 200), (Self.plan, asking, 400), (Self.plan + "?as=user:ann", asking, 403),
                ("/v1/stores/default/objects/doc:none/changes", bob, 404), ("/v1/stores/default/objects/store/changes", bob, 404),
                (Self.plan + "?after=99", bob, 400), (Self.plan + "?after=x", bob, 400), (Self.plan + "?for=user:bob", bob, 400),
                (Self.plan + "?after=0", bob, 404), (Self.plan + "?path=/~", bob, 400), (Self.plan + "?path=/a~2", bob, 400),
                (Self.plan + "?path=/a~0b~1c", bob, 200),
            ]
            for (target, token, status) in cases {
                #expect(try FeedClient(port: port, target, token: token).status == status, "\(target)")
            }
            #expect(try await fixture.direct.send("GET", Self.plan, token: bob).status == 406)
            let answer = try await fixture.direct.send("POST", "/v1/stores/default/tickets", token: bob).json
            guard case .string(let ticket)? = answer["ticket"] else { throw NoTicketError() }
            let browser = try FeedClient(port: port, Self.plan + "?ticket=\(ticket)", token: nil)
            #expect(browser.status == 200)
            try store.write([Self.write(["pages": .integer(7)])])
            #expect(browser.next() != nil)
        }
    }

    private struct NoTicketError: Error {}
}
