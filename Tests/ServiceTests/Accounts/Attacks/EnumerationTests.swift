import Events
import HTTPServer
import ServiceSupport
import TestSupport
import Testing
import Work

@testable import Identity
@testable import Service

@Suite("I4 attacks: account enumeration")
struct EnumerationTests {
    /// A response without its random parts.
    private struct Shown: Hashable {
        let status: Int
        let headers: [String]
        let body: String

        init(_ answer: ServiceSupport.Answer) throws {
            status = answer.status
            // The date and the request ID differ in each response, regardless of the account.
            headers = answer.headers.filter { !["date", "x-request-id"].contains($0.name.lowercased()) }
                .map { "\($0.name): \($0.value)" }
            body = answer.text.replacing(/"attempt":"munp_[A-Za-z0-9_-]{43}"/, with: #""attempt":"…""#)
        }
    }

    /// The emails of a user with a password, a user who signs in with a site, and no user.
    private static let emails = ["ann@example.com", "bob@example.com", "eve@example.com"]

    private func withPeople(_ body: (AccountsFixture) async throws -> Void) async throws {
        try await withTarget {
            $0.providers = [SiteProvider()]
            let few = LimitRule(free: 3, firstDelaySeconds: 60, longestDelaySeconds: 900, forgottenSeconds: 36_000)
            $0.settings.limits.identity = few
            $0.settings.limits.mails = few
        } _: { fixture in
            _ = try await fixture.client.signUp(Self.emails[0])
            let bob = try await fixture.client.post("/v1/accounts/sign-up", .bySite("bob", email: Self.emails[1]))
            #expect(bob.status == 201)
            // The clock passes the time after which the limits forget the sign-ups.
            fixture.clock.advance(seconds: 7 * 86_400)
            try await body(fixture)
        }
    }

    /// Checks that all three emails get identical responses, byte by byte, with the same number of hashed passwords and sent mails.
    private func expectAlike(
        _ name: String, tries: Int, _ fixture: AccountsFixture, _ ask: (String) async throws -> ServiceSupport.Answer
    ) async throws {
        var seen: Set<[Shown]> = []
        var costs: Set<[Int]> = []
        for email in Self.emails {
            let (hashes, mails) = (try await fixture.hashCount(), fixture.mails.all.count)
            var answers: [Shown] = []
            for _ in 0..<tries { answers.append(try Shown(try await ask(email))) }
            fixture.service.service.accounts?.accounts.mails.drain()
            seen.insert(answers)
            costs.insert([try await fixture.hashCount() - hashes, fixture.mails.all.count - mails])
        }
        #expect(seen.count == 1, "\(name): \(seen)")
        #expect(costs.count == 1, "\(name): \(costs)")
    }

    @Test(
        "I4 attack: sign-ins look and cost the same for a wrong password, no password and an unknown email, up to the limits")
    func signIn() async throws {
        try await withPeople { fixture in
            let before = try await fixture.hashCount()
            try await expectAlike("sign-in", tries: 5, fixture) {
                try await fixture.client.signInAnswer($0, password: "a wrong password")
            }
            #expect(try await fixture.hashCount() == before + 9)
            // Empty and oversized passwords also get identical responses.
            fixture.clock.advance(seconds: 7 * 86_400)
            for password in ["", String(repeating: "p", count: 2_000)] {
                try await expectAlike("sign-in", tries: 1, fixture) {
                    try await fixture.client.signInAnswer($0, password: password)
                }
            }
        }
    }

    @Test(
        "I4 attack: sign-ups look and cost the same for taken and free emails, up to the limits and with wrong codes"
    )
    func signUp() async throws {
        try await withPeople { fixture in
            let before = try await fixture.hashCount()
            try await expectAlike("sign-up", tries: 5, fixture) {
                try await fixture.client.post("/v1/accounts/sign-up", .signingIn($0, "another long one"))
            }
            #expect(try await fixture.hashCount() == before + 9)
            fixture.clock.advance(seconds: 7 * 86_400)
            try await expectAlike("verify", tries: 2, fixture) {
                let attempt = try await fixture.beginSignUp($0).attempt
                return try await fixture.verify(attempt, "AAAA-AAAA")
            }
            try await expectAlike("unfit", tries: 1, fixture) {
                try await fixture.client.post("/v1/accounts/sign-up", .signingIn($0, "short"))
            }
        }
    }

    @Test("I4 attack: resets look and cost the same for accounts with and without a password and unknown emails, up to the limits")
    func reset() async throws {
        try await withPeople { fixture in
            let before = try await fixture.hashCount()
            try await expectAlike("reset", tries: 5, fixture) {
                try await fixture.client.post("/v1/accounts/reset", ["email": .string($0)])
            }
            fixture.clock.advance(seconds: 7 * 86_400)
            try await expectAlike("confirm", tries: 2, fixture) {
                let answer = try await fixture.client.post("/v1/accounts/reset", ["email": .string($0)])
                return try await fixture.confirmReset(try #require(try answer.json.text("attempt")), "AAAA-AAAA")
            }
            #expect(try await fixture.hashCount() == before)
        }
    }

    @Test("I4 attack: address changes look and cost the same for taken and free addresses")
    func emailChange() async throws {
        try await withPeople { fixture in
            let carl = try await fixture.client.signUp("carl@example.com")
            try await expectAlike("email change", tries: 3, fixture) {
                try await fixture.client.send("PUT", "/v1/account/email", ["email": .string($0)], as: carl.access)
            }
        }
    }
}
