import Credentials
import Events
import Observation
import ServiceSupport
import Synchronization
import Testing

@testable import MunimentClient

@Suite("Models for views", .timeLimit(.minutes(60)))
struct LiveModelTests {
    /// An hour, so that only notices and calls refresh the models.
    private static let seldom = 3_600

    /// Waits until a condition on observable models holds.
    @MainActor private func until(_ condition: @escaping @MainActor () -> Bool) async {
        while !condition() {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                withObservationTracking {
                    _ = condition()
                } onChange: {
                    Task { @MainActor in continuation.resume() }
                }
            }
        }
    }

    private func withBob(_ body: @MainActor @Sendable (_ store: StoreClient, _ bobs: StoreClient) async throws -> Void) async throws
    {
        try await withStore { store, service in
            try await store.prepare()
            let address = try ServiceAddress("http://127.0.0.1:\(try service.listen())")
            let token = FixedToken(try service.token(.act(as: "user:bob")))
            try await body(store, StoreClient(ServiceConnection(address, tokens: token)))
        }
    }

    @Test("A live object has the value until the user may not read it, and again afterwards")
    func liveObject() async throws {
        try await withBob { store, bobs in
            try await store.share("doc:plan")
            let plan = LiveObject("doc:plan", in: bobs, everySeconds: LiveModelTests.seldom)
            #expect(plan.state == .loading && plan.object == nil)
            let running = Task { await plan.run() }
            await until { plan.object?.value == .object(["pages": .integer(0)]) }
            try await store.revoke("user:bob", on: "doc:plan")
            await until { plan.object == nil }
            guard case .refused(.problem(let problem)) = plan.state else { throw Unexpected(state: plan.state) }
            #expect(problem.code == "noPrivilege")
            try await store.share("doc:plan", with: "user:bob", ["read", "update"])
            await until { plan.object != nil && plan.state == .current }
            try await plan.patch(["pages": .integer(7)])
            #expect(plan.object?.value == .object(["pages": .integer(7)]))
            running.cancel()
            await running.value
        }
    }

    @Test("A live object follows the changes of the value, also after the user has lost and regained access")
    func followedObject() async throws {
        try await withBob { store, bobs in
            try await store.share("doc:plan")
            let plan = LiveObject("doc:plan", in: bobs, everySeconds: LiveModelTests.seldom)
            let running = Task { await plan.run() }
            func write(_ range: ClosedRange<Int64>) async throws {
                for number in range {
                    let value = JSONValue.object(["pages": .integer(number)])
                    try await store.write("doc:plan", value, expecting: nil)
                    await until { plan.object?.value == value && plan.state == .current }
                }
            }
            try await write(1...3)
            try await store.revoke("user:bob", on: "doc:plan")
            await until { plan.object == nil }
            try await store.share("doc:plan", with: "user:bob", ["read"])
            await until { plan.object != nil }
            try await write(4...6)
            try await store.delete("doc:plan", expecting: nil)
            await until { plan.object == nil }
            running.cancel()
            await running.value
        }
    }

    @Test("A live object reads again every few seconds if the service does not have the feed of changes")
    func earlierService() async throws {
        try await withStore { store, service in
            try await store.prepare()
            try await store.share("doc:plan")
            let address = try ServiceAddress("http://127.0.0.1:\(try service.listen())")
            let transport = EarlierService(SystemTransport(address))
            var connection = ServiceConnection(transport, tokens: FixedToken(try service.token(.act(as: "user:bob"))))
            connection.pause = { _ in try? await Task.sleep(for: .milliseconds(1)) }
            let bobs = StoreClient(connection)
            try await follow(store, bobs)
            #expect(transport.refused > 0)
        }
    }

    @MainActor private func follow(_ store: StoreClient, _ bobs: StoreClient) async throws {
        let plan = LiveObject("doc:plan", in: bobs)
        let running = Task { await plan.run() }
        await until { plan.object != nil }
        // The feed of notices can cause only the first reads.
        for number in Int64(1)...5 {
            try await store.write("doc:plan", .integer(number), expecting: nil)
            await until { plan.object?.value == .integer(number) }
        }
        running.cancel()
        await running.value
    }

    @Test("A change of another user is a conflict, after which the live object has the present value")
    func conflict() async throws {
        try await withBob { store, bobs in
            try await store.share("doc:plan")
            try await store.share("doc:plan", with: "user:bob", ["update"])
            let plan = LiveObject("doc:plan", in: bobs)
            await plan.refresh()
            try await store.write("doc:plan", .object(["pages": .integer(9)]), expecting: nil)
            let error = await #expect(throws: ServiceError.self) { try await plan.patch(["pages": .integer(1)]) }
            #expect(error?.problem?.kind == .preconditionFailed && plan.object?.value == .object(["pages": .integer(9)]))
        }
    }

    @Test("A live query follows the objects that the user gains and loses")
    func liveQuery() async throws {
        try await withBob { store, bobs in
            try await store.share("doc:a", "doc:b")
            let query = LiveQuery("doc", order: ["-pages"], in: bobs, everySeconds: LiveModelTests.seldom)
            let running = Task { await query.run() }
            await until { query.objects == ["doc:b", "doc:a"] && query.state == .current }
            try await store.revoke("user:bob", on: "doc:b")
            await until { query.objects == ["doc:a"] }
            running.cancel()
            await running.value
        }
    }

    @Test("A live query follows the values of the objects that it finds, and new objects")
    func followedQuery() async throws {
        try await withBob { store, bobs in
            try await store.share("doc:a", "doc:b")
            let query = LiveQuery(
                "doc", where: ["pages": .object([">": .integer(0)])], order: ["-pages"], in: bobs,
                everySeconds: LiveModelTests.seldom)
            let running = Task { await query.run() }
            await until { query.objects == ["doc:b"] && query.state == .current }
            try await store.write("doc:a", .object(["pages": .integer(5)]), expecting: nil)
            await until { query.objects == ["doc:a", "doc:b"] }
            try await store.write("doc:b", .object(["pages": .integer(9)]), expecting: nil)
            await until { query.objects == ["doc:b", "doc:a"] }
            try await store.share("doc:c", "doc:d")
            await until { query.objects == ["doc:b", "doc:a", "doc:d"] }
            try await store.write("doc:b", .object(["pages": .integer(0)]), expecting: nil)
            await until { query.objects == ["doc:a", "doc:d"] }
            running.cancel()
            await running.value
        }
    }

    @Test("Live privileges follow the access of the user")
    func livePrivileges() async throws {
        try await withBob { store, bobs in
            try await store.share("doc:a")
            let rights = LivePrivileges(of: "user:bob", on: "doc:a", in: bobs, everySeconds: LiveModelTests.seldom)
            let running = Task { await rights.run() }
            await until { rights.contains("read") }
            #expect(!rights.contains("update"))
            try await store.share("doc:a", with: "user:bob", ["update"])
            await until { rights.contains("update") }
            running.cancel()
            await running.value
        }
    }

    @Test("A model keeps its last state if the service is not reached, and says so")
    @MainActor func stale() async throws {
        let answer = #"{"object":"doc:a","value":1,"changed":1,"revision":2,"time":"2026-01-01T00:00:00Z"}"#
        let earlier = #"{"object":"doc:a","value":0,"changed":1,"revision":1,"time":"2026-01-01T00:00:00Z"}"#
        let service = ScriptedService(
            .json(answer), .unsent, .problem(503, "unavailable"), .json(earlier), .problem(404, "not-found"))
        let connection = ServiceConnection(service, tokens: FixedToken(nil), retries: RetryPolicy(attempts: 1))
        let object = LiveObject("doc:a", in: StoreClient(connection))
        await object.refresh()
        for _ in 0..<2 {
            await object.refresh()
            guard case .stale = object.state else { throw Unexpected(state: object.state) }
            #expect(object.object?.value == .integer(1))
        }
        await object.refresh()
        #expect(object.object?.value == .integer(1), "an answer about an earlier revision is ignored")
        await object.refresh()
        #expect(object.object == nil)
    }

    private struct Unexpected: Error { let state: LiveState }
}

/// A service of an earlier version, without feeds of changes.
private final class EarlierService: HTTPTransport {
    private let inner: any HTTPTransport
    private let count = Mutex(0)

    init(_ inner: any HTTPTransport) { self.inner = inner }

    /// The number of refused feeds.
    var refused: Int { count.withLock { $0 } }

    func send(_ request: ServiceRequest) async throws(TransportError) -> ServiceResponse { try await inner.send(request) }

    func open(_ request: ServiceRequest) async throws(TransportError) -> any ResponseStream {
        guard request.path.contains("/changes") else { return try await inner.open(request) }
        count.withLock { $0 += 1 }
        return try await inner.open(ServiceRequest(.get, "/v1/stores/default/nothing", headers: request.headers))
    }
}
