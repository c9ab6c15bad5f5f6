import Events
import Identity
import ServiceSupport
import Testing
import Work

@testable import Service

@Suite("I3 Default rate limits")
struct AccountLimitTests {
    @Test("I7 The sixth password guess with a stolen access token is rejected, from any address")
    func reauthentications() async throws {
        try await withTarget { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            for number in 1...6 {
                let thief = try fixture.client(from: "127.0.1.\(number)")
                let guess = try await thief.post(
                    "/v1/account/reauthenticate",
                    ["provider": .string("password"), "evidence": .object(["password": .string("guess \(number)")])],
                    as: ann.access)
                #expect(guess.status == (number < 6 ? 401 : 429), "\(guess.text)")
            }
        }
    }

    @Test("I3 One address can send thirty mails to any recipients, then it must wait")
    func mails() async throws {
        try await withTarget { fixture in
            for number in 1...31 {
                let asked = try await fixture.client.post("/v1/accounts/reset", ["email": .string("p\(number)@example.com")])
                #expect(asked.status == (number < 31 ? 202 : 429), "\(number): \(asked.text)")
            }
            let elsewhere = try fixture.client(from: "127.0.1.1")
            #expect(try await elsewhere.post("/v1/accounts/reset", ["email": .string("p31@example.com")]).status == 202)
        }
    }

    @Test("I3 One address can begin sixty provider sign-ins, then it must wait")
    func beginnings() async throws {
        try await withTarget {
            $0.providers = [BadgeProvider()]
        } _: { fixture in
            for number in 1...61 {
                let begun = try await fixture.client.post("/v1/accounts/begin", ["provider": .string("badge")])
                #expect(begun.status == (number < 61 ? 200 : 429), "\(number): \(begun.text)")
            }
            let elsewhere = try fixture.client(from: "127.0.1.1")
            #expect(try await elsewhere.post("/v1/accounts/begin", ["provider": .string("badge")]).status == 200)
        }
    }

    @Test("I3 An IPv6 network counts as one address for the limits, and neighboring networks count separately")
    func networks() async throws {
        try await withTarget {
            $0.settings.limits.source = LimitRule(free: 4, firstDelaySeconds: 30, longestDelaySeconds: 60, forgottenSeconds: 3_600)
        } _: { fixture in
            var statuses: [Int] = []
            for (network, number) in [(7, 1), (7, 2), (7, 3), (7, 4), (7, 5), (8, 5), (7, 6)] {
                statuses.append(try await status(fixture, "2001:db8:0:\(network):\(number)::1", number))
            }
            #expect(statuses == [401, 401, 401, 401, 429, 401, 429])
        }
    }

    /// Returns the status of a wrong sign-in from an address.
    private func status(_ fixture: AccountsFixture, _ peer: String, _ number: Int) async throws -> Int {
        let client = AccountsClient(InProcessClient(fixture.service.service, peer: peer), fixture.mails)
        return try await client.signInAnswer("p\(number)@example.com").status
    }
}
