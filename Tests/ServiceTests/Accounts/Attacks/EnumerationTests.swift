import Events
import HTTPServer
import ServiceSupport
import TestSupport
import Testing

@testable import Identity
@testable import Service

@Suite("I4 attacks: somebody wants to know who has an account")
struct EnumerationTests {
    /// An answer without what is random in every one.
    private struct Shown: Hashable {
        let status: Int
        let headers: [String]
        let body: String

        init(_ answer: ServiceSupport.Answer) throws {
            status = answer.status
            // Of the answer, not of what it is about: when it was, and its own name.
            headers = answer.headers.filter { !["date", "x-request-id"].contains($0.name.lowercased()) }
                .map { "\($0.name): \($0.value)" }
            body = answer.text.replacing(/"attempt":"munp_[A-Za-z0-9_-]{43}"/, with: #""attempt":"…""#)
        }
    }

    /// People: one with a password, one who comes by a site alone, and nobody.
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
            // What their own sign-ups counted is forgotten.
            fixture.clock.advance(seconds: 7 * 86_400)
            try await body(fixture)
        }
    }

    /// What is said to each of the three, byte by byte, and how many passwords were hashed and mails sent for it.
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
        "I4 attack: sign-ins: a wrong password, an account without one and an unknown email look and cost the same, to the limits")
    func signIn() async throws {
        try await withPeople { fixture in
            let before = try await fixture.hashCount()
            try await expectAlike("sign-in", tries: 5, fixture) {
                try await fixture.client.signInAnswer($0, password: "a wrong password")
            }
            #expect(try await fixture.hashCount() == before + 9)
            // Nor is an empty password, or one beyond all measure, told apart.
            fixture.clock.advance(seconds: 7 * 86_400)
            for password in ["", String(repeating: "p", count: 2_000)] {
                try await expectAlike("sign-in", tries: 1, fixture) {
                    try await fixture.client.signInAnswer($0, password: password)
                }
            }
        }
    }

    @Test(
        "I4 attack: sign-ups: an email that is taken and one that is not look and cost the same, to the limits, and wrong codes too"
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

    @Test("I4 attack: resets: an account with a password, one without and an unknown email look and cost the same, to the limits")
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

    @Test("I4 attack: changes of address: one that is taken and one that is not look and cost the same")
    func emailChange() async throws {
        try await withPeople { fixture in
            let carl = try await fixture.client.signUp("carl@example.com")
            try await expectAlike("email change", tries: 3, fixture) {
                try await fixture.client.send("PUT", "/v1/account/email", ["email": .string($0)], as: carl.access)
            }
        }
    }
}
