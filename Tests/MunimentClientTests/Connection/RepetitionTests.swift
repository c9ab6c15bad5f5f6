import Events
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import MunimentClient

@Suite("Which requests are repeated, and with what", .timeLimit(.minutes(60)))
struct RepetitionTests {
    private static let allowed = #"{"allowed":true,"reason":"","revision":1,"time":"2026-01-01T00:00:00Z"}"#
    private static let receipt = #"{"head":1,"revision":1,"time":"2026-01-01T00:00:00Z"}"#

    /// A client of a scripted service, and the waits that it made.
    private func client(
        _ service: ScriptedService, tokens: any TokenSource = FixedToken("t")
    ) -> (store: StoreClient, waits: () -> [Int64]) {
        var connection = ServiceConnection(
            service, tokens: tokens, retries: RetryPolicy(attempts: 3, firstMilliseconds: 10, longestMilliseconds: 5_000))
        let waits = Waits()
        connection.pause = { milliseconds in waits.all.withLock { $0.append(milliseconds) } }
        return (StoreClient(connection), { waits.all.withLock { $0 } })
    }

    private final class Waits: Sendable { let all = Mutex<[Int64]>([]) }

    @Test("A question is repeated after temporary failures, with growing waits")
    func question() async throws {
        let service = ScriptedService(.lost, .problem(503, "unavailable"), .json(RepetitionTests.allowed))
        let (store, waits) = client(service)
        #expect(try await store.check("user:ann", "read", on: "doc:a").isAllowed)
        #expect(service.requests.count == 3 && waits() == [10, 20])
        #expect(service.requests.allSatisfy { $0.headers["Authorization"] == "Bearer t" })
    }

    @Test("A question is repeated a limited number of times")
    func limit() async throws {
        let service = ScriptedService(.unsent, .unsent, .unsent)
        let (store, _) = client(service)
        let error = await #expect(throws: ServiceError.self) { try await store.check("user:ann", "read", on: "doc:a") }
        #expect(error == .unreachable("no route") && service.requests.count == 3)
    }

    @Test("A lasting problem is thrown at once")
    func lasting() async throws {
        let service = ScriptedService(.problem(403, "forbidden"))
        let (store, _) = client(service)
        let error = await #expect(throws: ServiceError.self) { try await store.statistics() }
        #expect(error?.problem?.kind == .forbidden && service.requests.count == 1)
    }

    @Test("A transaction is repeated with the same key, and each transaction has another")
    func sameKey() async throws {
        let service = ScriptedService(
            .lost, .problem(409, "idempotency-key-in-use"), .json(RepetitionTests.receipt), .json(RepetitionTests.receipt))
        let (store, _) = client(service)
        try await store.commit([.register("user:ann")])
        try await store.commit([.register("user:ann")])
        let keys = service.requests.map { $0.headers["Idempotency-Key"] ?? "" }
        #expect(Set(keys[0...2]).count == 1 && keys[3] != keys[0] && keys[0].count == 32)
    }

    @Test("Changes without a key are repeated only if the service did not get them")
    func withoutKey() async throws {
        var service = ScriptedService(.lost)
        let error = await #expect(throws: ServiceError.self) { try await client(service).store.commitEach([.register("user:ann")]) }
        #expect(error == .outcomeUnknown("lost"))
        service = ScriptedService(.unsent, .problem(429, "too-many-requests"), .json(#"{"results":[],"head":1}"#))
        #expect(try await client(service).store.commitEach([.register("user:ann")]).isEmpty)
        #expect(service.requests.allSatisfy { $0.headers["Idempotency-Key"] == nil })
    }

    @Test("After a lost response, a change is never reported as not made, unless the service has judged its repetition")
    func lostChange() async throws {
        for last in [Result.unsent, .problem(503, "unavailable"), .problem(401, "unauthenticated"), .problem(403, "forbidden")] {
            let service = ScriptedService(.lost, last, last)
            let error = await #expect(throws: ServiceError.self) { try await client(service).store.commit([.register("user:ann")]) }
            #expect(error == .outcomeUnknown("lost"), "\(last)")
        }
        let service = ScriptedService(.lost, .problem(403, "refused", code: "noPrivilege"))
        let error = await #expect(throws: ServiceError.self) { try await client(service).store.commit([.register("user:ann")]) }
        #expect(error?.problem?.code == "noPrivilege")
    }

    @Test("The client waits as long as the service asks for, up to its limit")
    func retryAfter() async throws {
        let service = ScriptedService(
            .problem(429, "too-many-requests", headers: ["retry-after": "3"]),
            .problem(429, "too-many-requests", headers: ["retry-after": "60"]))
        let (store, waits) = client(service)
        let error = await #expect(throws: ServiceError.self) { try await store.check("user:ann", "read", on: "doc:a") }
        #expect(error?.problem?.retryAfterSeconds == 60 && waits() == [3_000])
    }

    @Test("A response of another service is an error")
    func otherService() async throws {
        for body in ["<html>", #"{"allowed":true}"#, "[]"] {
            let error = await #expect(throws: ServiceError.self) {
                try await client(ScriptedService(.json(body))).store.check("user:ann", "read", on: "doc:a")
            }
            guard case .unexpectedResponse? = error else { throw Unexpected(value: "\(error as Any)") }
        }
    }

    @Test("A redirect is an error, and the token is not sent elsewhere")
    func redirect() async throws {
        let service = ScriptedService(.success(ServiceResponse(status: 302, headers: ["location": "https://other.example"])))
        let error = await #expect(throws: ServiceError.self) { try await client(service).store.statistics() }
        #expect(error?.problem?.status == 302 && error?.problem?.remedy.hasPrefix("Check the address") == true)
        #expect(service.requests.count == 1)
    }

    /// Tokens t1, t2, …: the next one when one is rejected.
    private final class Tokens: TokenSource {
        private let number = Mutex(1)
        func token() -> String? { number.withLock { "t\($0)" } }
        func token(replacing rejected: String) -> String? {
            number.withLock { number in
                number += 1
                return "t\(number)"
            }
        }
    }

    @Test("A rejected token is renewed once")
    func renewal() async throws {
        var service = ScriptedService(.problem(401, "unauthenticated"), .json(RepetitionTests.allowed))
        #expect(try await client(service, tokens: Tokens()).store.check("user:ann", "read", on: "doc:a").isAllowed)
        #expect(service.requests.map { $0.headers["Authorization"] } == ["Bearer t1", "Bearer t2"])
        service = ScriptedService(.problem(401, "unauthenticated"), .problem(401, "unauthenticated"))
        let error = await #expect(throws: ServiceError.self) { try await client(service, tokens: Tokens()).store.statistics() }
        #expect(error?.problem?.kind == .unauthenticated && service.requests.count == 2)
    }

    @Test("A cancelled task sends nothing more")
    func cancelled() async throws {
        let service = ScriptedService(.lost, .lost, .lost)
        let (store, _) = client(service)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await store.check("user:ann", "read", on: "doc:a")
        }
        let result = await task.result
        #expect(throws: ServiceError.cancelled) { try result.get() }
        #expect(service.requests.isEmpty)
    }

    @Test("A real service makes a transaction once if its response is lost and it is repeated")
    func madeOnce() async throws {
        try await withStore { store, service in
            try await store.prepare()
            let address = try ServiceAddress("http://127.0.0.1:\(try service.listen())")
            let transport = LossyTransport(SystemTransport(address), losing: 2)
            var connection = ServiceConnection(transport, tokens: FixedToken(try service.administrator()))
            connection.pause = { _ in }
            let before = try await store.statistics().revision
            let receipt = try await StoreClient(connection, actor: "user:root").commit([.createRole("role:editors")])
            #expect(transport.requests.count == 3)
            #expect(receipt.revision == before.next)
            #expect(try await store.statistics().revision == before.next)
        }
    }

    @Test("The tokens of a signed-in user are renewed when the service rejects one")
    func signedInUser() async throws {
        try await withClients { fixture in
            // The clock of this device is late, so that the client does not notice that the token has expired.
            let manager = fixture.device(clockBehindSeconds: 100_000).manager
            let ann = try await fixture.signUpAnn(on: manager)
            let store = StoreClient(ServiceConnection(fixture.address, tokens: manager))
            #expect(try await store.callerRights().members.text("principal") == ann.principal.text)
            fixture.clock.advance(seconds: 3_600)
            #expect(try await !store.check(ann.principal, "read", on: "class:doc").isAllowed)
            try await manager.signOut()
            let error = await #expect(throws: ServiceError.self) { try await store.callerRights() }
            #expect(error == .signIn(.notSignedIn))
        }
    }

    private struct Unexpected: Error { let value: String }
}
