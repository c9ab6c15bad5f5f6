import Credentials
import Events
import Muniment
import Permissions
import RandomHistories
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("The live feed of a query", .timeLimit(.minutes(60)))
struct QueryStreamTests {
    private static let docs = "/v1/stores/default/query/changes?class=doc"

    /// Documents with pages. Bob may query documents, and read the first two.
    private static func prepare(_ fixture: ServiceFixture) throws -> Store {
        let store = try #require(try fixture.service.data.store(.default)).store
        var settings = ClassSettings()
        settings.properties = ["pages"]
        try store.write([
            .defineClass("doc", settings), .register("user:ann"), .register("user:bob"),
            .grant("everyone", on: "store", ["read", "query"]), .grant("everyone", on: "class:doc", ["read"]),
            .grant("user:bob", on: "class:doc", ["query"]),
        ])
        for number in 1...3 {
            let name = Name("doc:\(number)")
            try store.write([.createObject(name, value: .object(["pages": .integer(Int64(number))]))])
            if number < 3 { try store.write([.grant("user:bob", on: name, ["read", "query"])]) }
        }
        return store
    }

    private static func pages(_ number: Int64, of object: Name) -> Change {
        .writeObject(object, .merge(.object(["pages": .integer(number)])))
    }

    @Test("A change of a query is a CloudEvent with the names of added, changed and removed objects, without their values")
    func changes() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let small = "&where=%7B%22pages%22%3A%7B%22%3C%22%3A3%7D%7D"
            let client = try FeedClient(port: port, Self.docs + small, token: token)
            let all = try FeedClient(port: port, Self.docs, token: token)
            try #require(client.status == 200 && all.status == 200)
            // Bob may not read the third document.
            try store.write([Self.pages(1, of: "doc:3")])
            let second = try store.write([Self.pages(7, of: "doc:1"), Self.pages(0, of: "doc:2")]).head
            let event = try #require(client.next())
            let time = JSONValue.time(try store.time(of: second))
            #expect(event.id == "\(second)")
            let json = try event.json
            #expect(json["type"] == .string("muniment.query.changed") && json["subject"] == .string("class:doc"))
            #expect(json["time"] == time && json["source"] == .string("/v1/stores/default"))
            #expect(
                json["data"]
                    == .object([
                        "kind": .string("changed"), "revision": .revision(second), "time": time, "class": .string("doc"),
                        "added": .array([]), "changed": .texts(["doc:2"]), "removed": .texts(["doc:1"]),
                    ]))
            let other = try #require(all.next()).json
            #expect(other["data"]?["changed"] == .texts(["doc:1", "doc:2"]) && other["id"] != json["id"])
            let third = try store.write([.grant("user:bob", on: "doc:3", ["read", "query"]), .revoke("user:bob", on: "doc:2")]).head
            let data = try #require(client.next()).json["data"]
            #expect(data?["added"] == .texts(["doc:3"]) && data?["removed"] == .texts(["doc:2"]))
            #expect(client.lastID == "\(third)")
            // A client that connects again gets the difference since its last event.
            let late = try FeedClient(port: port, Self.docs + small, token: token, lastID: "\(second.rawValue - 1)")
            let difference = try #require(late.next()).json["data"]
            #expect(difference?["added"] == .texts(["doc:3"]) && difference?["removed"] == .texts(["doc:1", "doc:2"]))
        }
    }

    @Test("Losing the permission to query the class ends the feed with the reason, and then the feed is refused as the query is")
    func accessEnds() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:bob")))
            let client = try FeedClient(port: port, Self.docs, token: token)
            let start = try store.head.revision
            let head = try store.write([.revoke("user:bob", on: "class:doc"), Self.pages(9, of: "doc:1")]).head
            let event = try #require(client.next())
            #expect(try event.json["type"] == .string("muniment.query.accessEnded") && event.id == "\(head)")
            #expect(try event.json["data"]?["code"] == .string("noPrivilege"))
            #expect(client.next() == nil && client.isEnded)
            #expect(try FeedClient(port: port, Self.docs, token: token, lastID: "\(start)").status == 403)
            try store.write([.grant("user:bob", on: "class:doc", ["query"])])
            #expect(try FeedClient(port: port, Self.docs, token: token, lastID: event.id).status == 403)
            #expect(try FeedClient(port: port, Self.docs, token: token).status == 200)
        }
    }

    @Test("A feed of a query ends with the next change after the class no longer names a property of the condition")
    func queryRefused() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let token = try fixture.token(.act(as: "user:bob"))
            let client = try FeedClient(port: fixture.listen(), Self.docs + "&where=%7B%22pages%22:1%7D", token: token)
            var settings = ClassSettings()
            settings.properties = []
            try store.write([.changeClass("doc", settings)])
            try store.write([Self.pages(5, of: "doc:1")])
            #expect(try #require(client.next()).json["type"] == .string("muniment.query.queryRefused"))
            #expect(client.next() == nil && client.isEnded)
        }
    }

    @Test("A feed of a query is refused as the query is, and needs the media type of a feed")
    func refuses() async throws {
        try await withListeners { fixture in
            _ = try Self.prepare(fixture)
            let port = try fixture.listen()
            let bob = try fixture.token(.act(as: "user:bob"))
            let (ann, asking) = (try fixture.token(.act(as: "user:ann")), try fixture.token(.ask))
            let cases: [(String, String?, Int)] = [
                (Self.docs, nil, 401), (Self.docs, ann, 403), (Self.docs + "&as=user:bob", ann, 403), (Self.docs, asking, 400),
                (Self.docs + "&as=user:bob", asking, 200), (Self.docs + "&as=user:ann", asking, 403),
                ("/v1/stores/default/query/changes", bob, 400),
                ("/v1/stores/default/query/changes?class=none", bob, 404), (Self.docs + "&where=x", bob, 400),
                (Self.docs + "&where=%7B%22title%22:1%7D", bob, 400), (Self.docs + "&after=99", bob, 400),
                (Self.docs + "&limit=1", bob, 400),
            ]
            for (target, token, status) in cases {
                #expect(try FeedClient(port: port, target, token: token).status == status, "\(target)")
            }
            #expect(try await fixture.direct.send("GET", Self.docs, token: bob).status == 406)
        }
    }

    @Test("R17: a client that applies the changes of a query always has its objects and their values, in random histories")
    func randomHistories() async throws {
        var (changes, ends) = (0, 0)
        let count = max(1, TestSettings.historyCount / 20)
        // One history often has no end. Further ones follow until each kind occurred.
        for number in 0..<count + 100 where number < count || changes == 0 || ends == 0 {
            let seed = TestSettings.firstSeed &+ UInt64(number)
            try await withListeners { fixture in
                let run = try RandomQueryStreamRun(seed: seed, fixture)
                try await run.run()
                changes += run.changes
                ends += run.ends
            }
        }
        #expect(changes > 0 && ends > 0, "\(changes) changes, \(ends) ends")
    }
}

/// A random history with clients of queries. After each commit, each client must have the result of its query.
private final class RandomQueryStreamRun {
    private let seed: UInt64
    private let fixture: ServiceFixture
    private let store: Store
    private let port: UInt16
    private let token: String
    private var history: RandomHistory
    private var random: SplitMix64
    private var classes: Set<String> = []
    private var objects: Set<Name> = []
    private var clients: [QueryClient] = []
    private(set) var (changes, ends) = (0, 0)

    private static let steps = 80
    private static let callers: [Name] = (0..<6).map { Name("user:u\($0)") } + ["user:new", "user:root", "thing:t1", "anonymous"]

    init(seed: UInt64, _ fixture: ServiceFixture) throws {
        (self.seed, self.fixture) = (seed, fixture)
        store = try #require(try fixture.service.data.store(.default)).store
        (port, token) = (try fixture.listen(), try fixture.token(.ask))
        history = RandomHistory(seed: seed, preset: .locked)
        random = SplitMix64(seed: seed &+ 1)
        fixture.clock.now = max(fixture.clock.now, history.start)
    }

    func run() async throws {
        for step in 0..<Self.steps {
            let next = history.next()
            fixture.clock.now = max(fixture.clock.now, next.time)
            let changes = next.changes.map { change -> Change in
                switch change {
                case .createObject(let object, _, _, _): objects.insert(object)
                case .defineClass(let name, var settings):
                    classes.insert(name)
                    settings.properties = (settings.properties ?? []) + ["mark"]
                    return .defineClass(name, settings)
                case .changeClass(let name, var settings):
                    if settings.properties != nil { settings.properties?.append("mark") }
                    return .changeClass(name, settings)
                default: break
                }
                return change
            }
            if !commit(Transaction(next.caller, changes)) { history.takeBack() }
            try await compare()
            if let object = objects.sorted().randomElement(using: &random) {
                let mark = JSONValue.integer(Int64(random.number(0...3)))
                commit(Transaction("user:root", [.writeObject(object, .merge(.object(["mark": mark])))]))
            }
            try await compare()
            if step % 4 == 3 { for _ in 0..<3 { try await begin() } }
        }
    }

    @discardableResult private func commit(_ transaction: Transaction) -> Bool { (try? store.commit(transaction)) != nil }

    private func begin() async throws {
        guard let className = classes.sorted().randomElement(using: &random) else { return }
        let (caller, condition) = (random.one(of: Self.callers), random.one(of: QueryClient.conditions))
        // Ends of access that are not recorded yet are no change of the store.
        commit(Transaction("user:root", [.register(Name("user:clock\(try store.head.revision)"))]))
        let head = try store.head.revision
        let since = random.chance(percent: 60) ? head : Revision(UInt64.random(in: 0...head.rawValue, using: &random))
        let client = QueryClient(className, condition, as: caller, port, token)
        let now = client.expected(in: store, at: head)
        guard now != nil, let start = client.expected(in: store, at: since) else {
            let status = try client.connect(after: since)
            try require(status != 200, "\(client.target) after \(since) is not refused")
            return
        }
        client.objects = start
        try require(try client.connect(after: since) == 200, "\(client.target) after \(since) is refused")
        clients.append(client)
        try await compare()
        let again = random.one(of: clients + [client])
        guard !again.hasEnded else { return }
        try require(try again.connect(after: again.revision) == 200, "\(again.target) is refused again")
    }

    private func compare() async throws {
        let head = try store.head.revision
        for client in clients {
            guard let expected = client.expected(in: store, at: head) else {
                while try client.apply(in: store) { changes += 1 }
                try require(client.hasEnded, "\(client.target) ended without the reason")
                ends += 1
                continue
            }
            while client.objects != expected {
                guard try client.apply(in: store) else {
                    // A commit records ends of access in a revision before its own.
                    let isRefused = client.expected(in: store, at: client.revision) == nil
                    try require(client.hasEnded && isRefused, "\(client.target) ended at \(client.revision)")
                    break
                }
                try require(
                    client.objects == client.expected(in: store, at: client.revision),
                    "\(client.target) has \(client.objects) at \(client.revision)")
                changes += 1
            }
        }
        clients.removeAll { $0.hasEnded }
    }

    private func require(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
        guard isSo else { throw DisagreementError(description: "seed \(seed): \(what())") }
    }
}

private struct DisagreementError: Error, CustomStringConvertible {
    let description: String
}

/// A client of the feed of a query, with the objects that it has according to the events.
private final class QueryClient {
    static let conditions: [Condition?] = [
        nil, .compare("mark", .equal, .integer(1)), .compare("mark", .less, .integer(2)),
    ]

    let target: String
    private let query: Query
    private let caller: Name
    private let port: UInt16
    private let token: String
    private var feed: FeedClient?
    /// The values of the objects, by their names.
    var objects: [Name: JSONValue] = [:]
    /// The revision of the last event.
    private(set) var revision = Revision.genesis
    private(set) var hasEnded = false

    init(_ className: String, _ condition: Condition?, as caller: Name, _ port: UInt16, _ token: String) {
        query = Query(className, where: condition, limit: nil)
        (self.caller, self.port, self.token) = (caller, port, token)
        let text =
            switch condition {
            case .compare(_, .equal, _)?: "&where=%7B%22mark%22:1%7D"
            case .compare?: "&where=%7B%22mark%22:%7B%22%3C%22:2%7D%7D"
            default: ""
            }
        target = "/v1/stores/default/query/changes?class=\(className)&as=\(caller)\(text)"
    }

    /// Connects, and returns the status.
    func connect(after revision: Revision) throws -> Int {
        let feed = try FeedClient(port: port, target, token: token, lastID: "\(revision)")
        (self.feed, self.revision) = (feed, revision)
        return feed.status
    }

    /// Returns the objects of the query and their values; nil if it is refused.
    func expected(in store: Store, at revision: Revision) -> [Name: JSONValue]? {
        guard let page = try? store.query(query, as: caller, at: .revision(revision)) else { return nil }
        let values = try? store.read(at: .revision(revision)) { snapshot in
            try page.objects.map { (Name($0), try snapshot.value(of: Name($0), as: caller)) }
        }
        return values.map { Dictionary(uniqueKeysWithValues: $0) }
    }

    /// Applies the next event. Returns false at the end of the feed.
    func apply(in store: Store) throws -> Bool {
        guard let event = feed?.next() else { return false }
        let data = try event.json["data"]
        revision = Revision(UInt64(event.id) ?? 0)
        switch data?["kind"] {
        case .string("changed"):
            for name in names(data?["removed"]) { objects[name] = nil }
            for name in names(data?["added"]) + names(data?["changed"]) {
                objects[name] = try store.read(at: .revision(revision)) { try $0.value(of: name, as: caller) }
            }
        case .string("accessEnded"), .string("queryRefused"): hasEnded = true
        default: throw DisagreementError(description: "\(target) sent \(event.data)")
        }
        return !hasEnded
    }

    private func names(_ value: JSONValue?) -> [Name] {
        guard case .array(let elements)? = value else { return [] }
        return elements.compactMap { if case .string(let text) = $0 { Name(text) } else { nil } }
    }
}
