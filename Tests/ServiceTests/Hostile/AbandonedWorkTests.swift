import Credentials
import Dispatch
import Events
import HTTPServer
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing
import Work

@testable import Service

@Suite("Hostile: a tenant who requests more work than it waits for", .timeLimit(.minutes(60)))
struct AbandonedWorkTests {
    /// A query that compares every member of a role with every document. It takes far longer than a test can wait.
    private static let heavy = """
        {"transactions":[{"as":"user:root","do":[\
        {"op":"grant","subject":"role:all","object":"class:doc","privileges":["read"]}]}]}
        """
    private static let diff = "/v1/stores/default/diff?name=user:root&from=0"
    private static let things = 2_000

    private static func prepare(_ store: Store) throws {
        var changes: [Change] = [.defineClass("doc"), .createRole("role:all")]
        for number in 0..<things {
            changes.append(.register(Name("user:u\(number)")))
            changes.append(.addMember(Name("user:u\(number)"), to: "role:all"))
            changes.append(.createObject(Name("doc:d\(number)")))
        }
        try store.write(changes)
    }

    private func store(_ fixture: ServiceFixture, _ name: String = "default") throws -> Store {
        try #require(fixture.service.data.openStore(name)).store
    }

    private func headers(_ token: String) -> [String: String] {
        ["Authorization": "Bearer " + token, "Content-Type": "application/json"]
    }

    /// Occupies every query thread, each with a different caller.
    private func occupy(_ queue: WorkQueue, until goOn: DispatchSemaphore) async throws -> Int {
        let begun = DispatchSemaphore(value: 0)
        var pieces = 0
        while pieces < 1_024 {
            let admission = queue.add(WorkOrigin(store: "s\(pieces)", caller: "c\(pieces)")) {
                begun.signal()
                goOn.wait()
            }
            #expect(admission == .accepted)
            pieces += 1
            if queue.load.waiting > 0 { break }
        }
        for _ in 1..<pieces { begun.wait() }
        return pieces
    }

    @Test("Queued queries are dropped when their clients disconnect, and the next caller is answered")
    func waitingWork() async throws {
        try await withListeners { fixture in
            let (port, token) = (try fixture.listen(), try fixture.token(.ask))
            let (queue, goOn) = (fixture.service.work, DispatchSemaphore(value: 0))
            let pieces = try await occupy(queue, until: goOn)
            defer { for _ in 0..<pieces { goOn.signal() } }
            var clients: [PlainClient] = []
            for _ in 0..<24 {
                let client = try PlainClient(port: port)
                try client.begin("GET", Self.diff, headers: headers(token))
                clients.append(client)
            }
            try await until("the questions wait") { queue.load.waiting == 25 }
            clients = []
            try await until("the questions are dropped") { queue.load.waiting == 1 }
            let counts = fixture.service.operations.counts
            let route = try #require(fixture.service.router.routes.firstIndex { $0.name == "diff" })
            try await until("their connections are closed") {
                counts.counts(ofRoute: route).answered.contains { $0.status == 0 && $0.count == 24 }
            }
        }
    }

    @Test("A running query stops when its client disconnects")
    func runningWork() async throws {
        try await withListeners {
            $0.deadlines.all = .seconds(3_600)
        } _: { fixture in
            try Self.prepare(store(fixture))
            let (port, token, queue) = (try fixture.listen(), try fixture.token(.ask), fixture.service.work)
            var clients: [PlainClient] = []
            for _ in 0..<9 {
                let client = try PlainClient(port: port)
                try client.begin("POST", "/v1/stores/default/what-if", headers: headers(token), body: Self.heavy)
                clients.append(client)
            }
            try await until("the caller's share runs") { queue.load == (2, 7) }
            clients = []
            try await until("all of it has stopped") { queue.load == (0, 0) }
            let answer = try PlainClient(port: port).send("GET", Self.diff, headers: headers(token))
            #expect(answer.0 == 200, "\(answer.body)")
        }
    }

    @Test("Another caller and another store are answered before the work of a caller with nine long queries")
    func fairShares() async throws {
        try await withListeners {
            $0.deadlines.all = .seconds(3_600)
        } _: { fixture in
            try Self.prepare(store(fixture))
            let (port, token, queue) = (try fixture.listen(), try fixture.token(.ask), fixture.service.work)
            let (other, all) = (try fixture.token(.ask), try fixture.administrator())
            _ = try PlainClient(port: port).send("POST", "/v1/stores", headers: headers(all), body: #"{"store":"other"}"#)
            var clients: [PlainClient] = []
            for _ in 0..<9 {
                let client = try PlainClient(port: port)
                try client.begin("POST", "/v1/stores/default/what-if", headers: headers(token), body: Self.heavy)
                clients.append(client)
            }
            try await until("the caller's share runs") { queue.load == (2, 7) }
            let answers = [
                try PlainClient(port: port).send("GET", Self.diff, headers: headers(other)),
                try PlainClient(port: port).send(
                    "GET", "/v1/stores/other/diff?name=user:root&from=0", headers: headers(all)),
            ]
            #expect(answers.map(\.0) == [200, 200], "\(answers.map(\.body))")
            try await until("the answered questions are over") { queue.load == (2, 7) }
            clients = []
            try await until("all of it has stopped") { queue.load == (0, 0) }
        }
    }

    /// Makes many objects that a tenant may read, 500 per commit.
    private static func prepareNotices(_ store: Store) throws {
        try store.write([
            .defineClass("doc", ClassSettings(composition: .widening)), .grant(.everyone, on: .store, ["read"]),
            .grant(.everyone, on: .class("doc"), ["read"]), .register("user:mal"),
        ])
        for commit in 0..<12 {
            try store.write((0..<500).map { .createObject(Name("doc:n\(commit)x\($0)")) })
        }
    }

    @Test("Notices as JSON Lines have the route's deadline, are complete within it, and end when their client disconnects")
    func noticesAsLines() async throws {
        for limit in [Duration.milliseconds(1), .seconds(3_600)] {
            try await withListeners {
                $0.deadlines.byRoute["notices"] = limit
            } _: { fixture in
                try Self.prepareNotices(store(fixture))
                let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:mal")))
                let asked = headers(token).merging(["Accept": "application/jsonl"]) { $1 }
                let target = "/v1/stores/default/notices?after=0"
                if limit == .milliseconds(1) {
                    let answer = try PlainClient(port: port).send("GET", target, headers: asked)
                    #expect(answer.0 == 504 && answer.body.contains("/problems/deadline-exceeded"), "\(answer)")
                    return
                }
                let lines = try await Curl("http://127.0.0.1:\(port)").send(
                    "GET", target, token: token, headers: [HTTPHeader("Accept", "application/jsonl")])
                #expect(lines.status == 200)
                #expect(lines.text.split(separator: "\n").count == 6_000)
                var leaving: PlainClient? = try PlainClient(port: port)
                try leaving?.begin("GET", target, headers: asked)
                #expect(try leaving?.line().hasPrefix("HTTP/1.1 200") == true)
                leaving = nil
                try await until("the answer has stopped") { fixture.service.streams.load == (0, 0) }
            }
        }
    }

    @Test("A query that exceeds its route's time limit is answered 504, with a remedy")
    func deadline() async throws {
        try await withListeners {
            $0.deadlines.byRoute["whatIf"] = .milliseconds(100)
        } _: { fixture in
            try Self.prepare(store(fixture))
            let (port, token) = (try fixture.listen(), try fixture.token(.ask))
            let answer = try PlainClient(port: port).send(
                "POST", "/v1/stores/default/what-if", headers: headers(token), body: Self.heavy)
            #expect(answer.0 == 504)
            #expect(answer.body.contains("/problems/deadline-exceeded") && answer.body.contains("smaller page"), "\(answer.body)")
            let diff = try PlainClient(port: port).send("GET", Self.diff, headers: headers(token))
            #expect(diff.0 == 200, "\(diff.body)")
        }
    }

    @Test("A caller that uses its full share of long responses gets 429, and another caller is answered")
    func exports() async throws {
        try await withListeners { fixture in
            let (port, token) = (try fixture.listen(), try fixture.administrator())
            let (streams, goOn) = (fixture.service.streams, DispatchSemaphore(value: 0))
            let share = MunimentService.streamLimit / 4
            let id = try #require(try TokenRegistry(dataDirectory: fixture.directory).list().first?.id)
            for _ in 0..<share {
                #expect(streams.add(WorkOrigin(store: "default", caller: "token \(id)")) { goOn.wait() } == .accepted)
            }
            defer { for _ in 0..<share { goOn.signal() } }
            let refused = try PlainClient(port: port).send("GET", "/v1/stores/default/export", headers: headers(token))
            #expect(refused.0 == 429, "\(refused.body)")
            let other = try PlainClient(port: port)
            try other.begin("GET", "/v1/stores/default/export", headers: headers(try fixture.token(.ask)))
            #expect(try other.line().hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("Feeds are shared fairly between users, anonymous callers of one address and callers that query for others")
    func feeds() throws {
        var limits = LiveFeedLimits()
        (limits.inAll, limits.ofAsking, limits.ofActing) = (7, 3, 2)
        let feeds = LiveFeedRegistry(limits, counts: ServiceCounts(routeCount: 0))
        defer { feeds.end() }
        let (ask, ann) = (
            Caller(id: "t1", stores: .all, right: .ask, credential: nil),
            Caller(id: "t2", stores: .all, right: .act(as: "user:ann"), credential: nil)
        )
        func open(_ caller: Caller, from client: String) -> Problem.Kind? {
            do throws(Problem) { _ = try feeds.open(from: FeedCursor(.genesis), for: caller, at: client) { true } } catch {
                return error.kind
            }
            return nil
        }
        #expect((0..<4).map { _ in open(ask, from: "10.0.0.1") } == [nil, nil, nil, .tooManyRequests])
        #expect((0..<3).map { _ in open(ann, from: "10.0.0.1") } == [nil, nil, .tooManyRequests])
        #expect(open(.anonymous(in: "default"), from: "10.0.0.1") == nil)
        #expect(open(.anonymous(in: "default"), from: "10.0.0.2") == nil)
        #expect(open(.anonymous(in: "default"), from: "10.0.0.3") == .unavailable)
    }
}
