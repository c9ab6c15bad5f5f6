import Dispatch
import Events
import Identity
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("I3 attack: a flood of sign-ins", .timeLimit(.minutes(60)))
struct SignInFloodTests {
    private static let path = "/v1/accounts/sign-in"

    private static func body(_ email: String) -> String { #"{"provider":"counted","evidence":{"email":"\#(email)"}}"# }

    @Test(
        "60 connections of one address, or about one account, do not keep others from signing in, and those above the share get 429",
        arguments: [true, false])
    func flood(isOneAddress: Bool) async throws {
        let site = CountedProvider()
        try await withTarget {
            $0.providers = [site]
        } _: { fixture in
            defer { site.letGo() }
            let address = "http://127.0.0.1:\(try fixture.service.listen())"
            let seen = Seen()
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { site.letGo() }
                for number in 0..<60 {
                    let source = isOneAddress ? "127.0.0.1" : "127.0.1.\(number + 1)"
                    let email = isOneAddress ? "u\(number)@example.com" : "Ann@example.com"
                    group.addTask {
                        let answer = try await Curl(address, options: ["--interface", source])
                            .send("POST", Self.path, json: Self.body(email))
                        seen.answers.withLock { $0.append(answer.status) }
                    }
                }
                // Without shares, 48 requests have a place now and 12 were refused: the queue is full.
                try await until("12 requests are refused") { seen.answers.withLock { $0.count } >= 12 }
                let other = Curl(address, options: ["--interface", "127.0.0.2"])
                group.addTask {
                    let answer = try await other.send("POST", Self.path, json: Self.body("bob@example.com"))
                    seen.own.withLock { $0 = answer.status }
                }
                try await until("the other caller's sign-in runs") {
                    site.emails.contains("bob@example.com") || seen.own.withLock { $0 } != nil
                }
                #expect(seen.own.withLock { $0 } == nil, "the other caller was refused")
                try await until("all requests have a place, or are refused") {
                    seen.answers.withLock { $0.count } >= 48 || site.isFree
                }
                site.letGo()
                try await group.waitForAll()
                #expect(seen.own.withLock { $0 } == 401)
            }
            let statuses = seen.answers.withLock { $0 }
            #expect(statuses.count { $0 == 401 } == 12 && statuses.count { $0 == 429 } == 48, "\(statuses)")
        }
    }

    /// The statuses of the flood, and that of the other caller.
    private final class Seen: Sendable {
        let answers = Mutex<[Int]>([])
        let own = Mutex<Int?>(nil)
    }

    /// A provider that answers only after the test releases it, and knows who waits.
    private final class CountedProvider: IdentityProvider {
        let id = ProviderID("counted") ?? .password
        let priority = 3
        private let known = Mutex<(emails: [String], isFree: Bool)>(([], false))
        private let free = DispatchSemaphore(value: 0)

        var emails: [String] { known.withLock { $0.emails } }
        var isFree: Bool { known.withLock { $0.isFree } }

        func begin(_ request: JSONObject, at now: Instant) throws(ProviderError) -> JSONObject? { nil }

        func authenticate(
            _ evidence: JSONObject, for purpose: AuthenticationPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
        ) throws(ProviderError) -> VerifiedIdentity {
            known.withLock { $0.emails.append(evidence.text("email") ?? "") }
            if free.wait(timeout: .now() + 1_200) == .success { free.signal() }
            throw .wrong
        }

        /// Answers the waiting requests and all later ones.
        func letGo() {
            known.withLock { $0.isFree = true }
            free.signal()
        }
    }
}
