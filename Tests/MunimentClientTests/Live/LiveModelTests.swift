import Credentials
import Events
import Observation
import ServiceSupport
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
