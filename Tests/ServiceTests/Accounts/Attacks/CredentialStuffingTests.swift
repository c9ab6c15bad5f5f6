import Events
import ServiceSupport
import TestSupport
import Testing
import Work

@testable import Identity
@testable import Service

@Suite("I4 attacks: credential stuffing and mailbox flooding")
struct CredentialStuffingTests {
    private func limitEachEmail(_ options: inout AccountServiceSettings) {
        options.settings.limits.identity = LimitRule(
            free: 3, firstDelaySeconds: 60, longestDelaySeconds: 900, forgottenSeconds: 36_000)
    }

    private func guess(_ email: String, _ password: String, _ client: AccountsClient) async throws -> ServiceSupport.Answer {
        try await client.signInAnswer(email, password: password)
    }

    @Test("I4 attack: many passwords for one email from many addresses: delays grow, and nothing is hashed during a delay")
    func oneEmailManyAddresses() async throws {
        try await withTarget(limitEachEmail) { fixture in
            _ = try await fixture.client.signUp("ann@example.com")
            // The same applies to an email without an account.
            for email in ["ann@example.com", "nobody@example.com"] {
                for number in 0..<3 {
                    let eve = try fixture.client(from: "127.0.1.\(number + 1)")
                    #expect(try await guess(email, "a wrong password \(number)", eve).status == 401)
                }
                let hashed = try await fixture.hashCount()
                for (wait, number) in [(60, 4), (120, 5), (240, 6)] {
                    let eve = try fixture.client(from: "127.0.1.\(number)")
                    let refused = try await guess(email, "a long password", eve)
                    #expect(refused.status == 429, "\(refused.text)")
                    #expect(refused.header("Retry-After") == "\(wait)")
                    fixture.clock.advance(seconds: Int64(wait))
                    #expect(try await guess(email, "a wrong password", eve).status == 401)
                }
                #expect(try await fixture.hashCount() == hashed + 3)
            }
            fixture.clock.advance(seconds: 900)
            // The right password is accepted and resets the count.
            _ = try await fixture.client.signIn("ann@example.com")
            for _ in 0..<3 { #expect(try await guess("ann@example.com", "a wrong password", fixture.client).status == 401) }
        }
    }

    @Test("I4 attack: one password for many emails from one address is stopped, and other addresses are unaffected")
    func manyEmailsOneAddress() async throws {
        try await withTarget {
            $0.settings.limits.source = LimitRule(
                free: 5, firstDelaySeconds: 30, longestDelaySeconds: 60, forgottenSeconds: 36_000)
        } _: { fixture in
            _ = try await fixture.client.signUp("ann@example.com")
            _ = try await fixture.client.signUp("eve@example.com")
            let eve = try fixture.client(from: "127.0.1.1")
            for number in 0..<5 {
                #expect(try await guess("person\(number)@example.com", "a long password", eve).status == 401)
                // The attacker's own successful sign-in does not reset the limit.
                if number < 4 { _ = try await eve.signIn("eve@example.com") }
            }
            let hashed = try await fixture.hashCount()
            let refused = try await guess("ann@example.com", "a long password", eve)
            #expect(refused.status == 429)
            #expect(refused.header("Retry-After") == "30")
            // Another route does not reset the limit either.
            #expect(try await eve.post("/v1/accounts/sign-up", .signingIn("x@example.com", "a long password")).status == 429)
            #expect(try await fixture.hashCount() == hashed)
            _ = try await fixture.client.signIn("ann@example.com")
        }
    }

    @Test("I4 attack: many passwords sent concurrently do not pass the limit together")
    func atOnce() async throws {
        try await withTarget(limitEachEmail) { fixture in
            _ = try await fixture.client.signUp("ann@example.com")
            let client = fixture.client
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<16 {
                    group.addTask { try await client.signInAnswer("ann@example.com", password: "a wrong one \(number)").status }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [401: 3, 429: 13])
        }
    }

    @Test("I4 attack: resets, sign-ups and address changes cannot flood a mailbox, from any caller or address")
    func flood() async throws {
        try await withTarget {
            $0.settings.limits.mails = LimitRule(
                free: 3, firstDelaySeconds: 3_600, longestDelaySeconds: 3_600, forgottenSeconds: 36_000)
        } _: { fixture in
            let eve = try await fixture.client.signUp("eve@example.com")
            for (number, path) in ["reset", "sign-up", "reset", "sign-up"].enumerated() {
                let door = try fixture.client(from: "127.0.1.\(number + 1)")
                let body: JSONObject =
                    path == "reset" ? ["email": .string("ann@example.com")] : .signingIn("ann@example.com", "a long password")
                #expect(try await door.post("/v1/accounts/" + path, body).status == (number < 3 ? 202 : 429))
            }
            let change = try await fixture.client.send(
                "PUT", "/v1/account/email", ["email": .string("ann@example.com")], as: eve.access)
            #expect(change.status == 429, "\(change.text)")
            fixture.service.service.accounts?.accounts.mails.drain()
            #expect(fixture.mails.all.count { $0.to.text == "ann@example.com" } == 3)
        }
    }
}
