import Dispatch
import Events
import Glibc
import HTTPServer
import Identity
import Secrets
import ServiceSupport
import Synchronization
import Testing

@testable import Service

@Suite("Account work is queued separately from all other work", .timeLimit(.minutes(60)))
struct AccountQueueTests {
    @Test("I3 Users who wait for a hanging provider do not delay password sign-ins")
    func besideProvider() async throws {
        let site = HeldProvider()
        try await withTarget {
            $0.providers = [site]
        } _: { fixture in
            defer { site.letGo() }
            _ = try await fixture.client.signUp("ann@example.com")
            let begun = Statuses()
            for _ in 0..<48 { begun.post("/v1/accounts/begin", #"{"provider":"held"}"#, to: fixture.service.service) }
            _ = try await fixture.client.signIn("ann@example.com")
            #expect(begun.all.allSatisfy { $0 == 429 })
            site.letGo()
            #expect(begun.wait(for: 48).count { $0 == 200 } >= 8)
        }
    }

    @Test("I3 Users who wait for proof of identity do not delay permission checks")
    func besideStores() async throws {
        let site = HeldProvider()
        try await withTarget {
            $0.providers = [site]
        } _: { fixture in
            defer { site.letGo() }
            let signedIn = Statuses()
            for _ in 0..<12 {
                signedIn.post("/v1/accounts/sign-in", #"{"provider":"held","evidence":{}}"#, to: fixture.service.service)
            }
            let impatient = Curl("http://127.0.0.1:\(try fixture.service.listen())", options: ["--max-time", "600"])
            let history = try await impatient.send(
                "GET", "/v1/stores/default/history?name=user:root", token: try fixture.service.administrator())
            #expect(history.status == 200, "\(history.text)")
            #expect(signedIn.all.isEmpty)
            site.letGo()
            #expect(signedIn.wait(for: 12) == [Int](repeating: 401, count: 12))
        }
    }

    @Test("I3 A sign-in is told to retry immediately if a password is being hashed and the queue is full")
    func hashing() async throws {
        try await withTarget {
            // Takes about a second, although it uses little memory.
            $0.settings.passwordHash = PasswordHash.Settings(memoryKiB: 8, passes: 300_000)
            ($0.settings.hashesAtOnce, $0.settings.hashBacklog) = (1, 1)
        } _: { fixture in
            let signedIn = Statuses()
            let body = #"{"provider":"password","evidence":{"email":"ann@example.com","password":"a long password"}}"#
            let accounts = try #require(fixture.service.service.accounts?.accounts)
            /// Sends a request, and waits until it is hashed or refused.
            let hashes = {
                let (before, refused) = (accounts.passwordHashCount, signedIn.all.count)
                signedIn.post("/v1/accounts/sign-in", body, to: fixture.service.service)
                while accounts.passwordHashCount == before, signedIn.all.count == refused { sched_yield() }
                return accounts.passwordHashCount > before
            }
            #expect(hashes())
            // The first request itself waits until the thread has taken it.
            while !hashes() {}
            #expect(!hashes())
            #expect(signedIn.all.allSatisfy { $0 == 503 })
            #expect(signedIn.wait(for: signedIn.all.count + 2).count { $0 == 401 } == 2)
        }
    }

    /// The statuses of requests that are sent to a service one after another, without waiting.
    private final class Statuses: Sendable {
        private let answered = Mutex<[Int]>([])
        private let isNew = DispatchSemaphore(value: 0)

        func post(_ path: String, _ json: String, to service: MunimentService) {
            let request = HTTPRequest(
                method: "POST", target: path, headers: [HTTPHeader("Content-Type", "application/json")], body: Array(json.utf8)
            ) { self.add($0.status) }
            switch service.admit(request) {
            case .refused(let response): add(response.status)
            case .body: if case .now(let response) = service.answer(request) { add(response.status) }
            }
        }

        private func add(_ status: Int) {
            answered.withLock { $0.append(status) }
            isNew.signal()
        }

        var all: [Int] { answered.withLock { $0 } }

        /// Returns the statuses when `count` have arrived, or the ones so far after a timeout.
        func wait(for count: Int) -> [Int] {
            while all.count < count, isNew.wait(timeout: .now() + 1_200) == .success {}
            return all
        }
    }

    /// A provider that answers only after the test releases it.
    private final class HeldProvider: IdentityProvider {
        let id = ProviderID("held") ?? .password
        let priority = 3
        private let isFree = DispatchSemaphore(value: 0)

        func begin(_ request: JSONObject, at now: Instant) throws(ProviderError) -> JSONObject? {
            wait()
            return ["go": .string("on")]
        }

        func authenticate(
            _ evidence: JSONObject, for purpose: AuthenticationPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
        ) throws(ProviderError) -> VerifiedIdentity {
            wait()
            throw .wrong
        }

        private func wait() {
            guard isFree.wait(timeout: .now() + 1_200) == .success else { return }
            letGo()
        }

        /// Answers the waiting requests and all later ones.
        func letGo() { isFree.signal() }
    }
}
