import Events
import Identity
import ServiceSupport
import TestSupport
import Testing
import Work

@testable import Service

@Suite("I4 attacks: guessed, reused and stolen codes")
struct CodeGuessingTests {
    /// Returns a code that differs from this one.
    private func wrong(_ code: String) -> String { code.first == "A" ? "B" + code.dropFirst() : "A" + code.dropFirst() }

    /// An action that needs a mailed code.
    private struct Use {
        let name: String
        let begin: () async throws -> (attempt: String, code: String)
        let finish: (String, String) async throws -> ServiceSupport.Answer
    }

    private func uses(_ fixture: AccountsFixture) async throws -> [Use] {
        let ann = try await fixture.client.signUp("ann@example.com")
        return [
            Use(
                name: "sign-up", begin: { try await fixture.beginSignUp("bob@example.com") },
                finish: { try await fixture.verify($0, $1) }),
            Use(
                name: "email change", begin: { try await fixture.beginEmailChange("new@example.com", as: ann.access) },
                finish: { try await fixture.confirmEmail($0, $1, as: ann.access) }),
            // This action ends the session that the previous one needs.
            Use(
                name: "reset",
                begin: {
                    let token = try fixture.service.administrator()
                    let email = try await fixture.client.send("GET", "/v1/accounts/" + ann.principal, as: token).json.text("email")
                    return try await fixture.beginReset(email ?? "")
                },
                finish: { try await fixture.confirmReset($0, $1) }),
        ]
    }

    @Test("I4 attack: guessed codes: the fifth wrong code ends the attempt, and the right code is then rejected")
    func guessing() async throws {
        try await withTarget {
            $0.settings.limits.mails.free = 20
        } _: { fixture in
            for use in try await uses(fixture) {
                let (attempt, code) = try await use.begin()
                for _ in 0..<5 { #expect(try await use.finish(attempt, wrong(code)).status == 400, "\(use.name)") }
                let late = try await use.finish(attempt, code)
                #expect(late.status == 400, "\(use.name): \(late.text)")
                #expect(try late.json.text("type") == "/problems/wrong-code")
                // Four wrong codes are allowed. The code is accepted with the usual typing variations.
                let (second, secondCode) = try await use.begin()
                for _ in 0..<4 { #expect(try await use.finish(second, wrong(secondCode)).status == 400) }
                let done = try await use.finish(second, " " + secondCode.lowercased().replacing("-", with: " "))
                #expect([200, 201].contains(done.status), "\(use.name): \(done.text)")
            }
        }
    }

    @Test("I4 attack: a used or expired code is rejected")
    func reuse() async throws {
        try await withTarget {
            $0.settings.accessSeconds = 86_400
            $0.settings.recentSignInSeconds = 86_400
        } _: { fixture in
            for use in try await uses(fixture) {
                let (attempt, code) = try await use.begin()
                #expect(!code.isEmpty)
                fixture.clock.advance(seconds: 600)
                let late = try await use.finish(attempt, code)
                #expect(late.status == 400, "\(use.name): \(late.text)")
            }
        }
        try await withTarget { fixture in
            for use in try await uses(fixture) {
                let (attempt, code) = try await use.begin()
                #expect([200, 201].contains(try await use.finish(attempt, code).status), "\(use.name)")
                #expect(try await use.finish(attempt, code).status == 400, "\(use.name)")
            }
        }
    }

    @Test("I4 attack: wrong codes for many attempts from one address count against the address")
    func manyAttempts() async throws {
        try await withTarget {
            $0.settings.limits.source = LimitRule(
                free: 3, firstDelaySeconds: 30, longestDelaySeconds: 60, forgottenSeconds: 36_000)
        } _: { fixture in
            let eve = try fixture.client(from: "127.0.1.1")
            let (attempt, code) = try await fixture.beginSignUp("ann@example.com")
            let body: (String) -> JSONObject = { ["attempt": .string($0), "code": .string(code)] }
            for _ in 0..<3 { #expect(try await eve.post("/v1/accounts/sign-up/confirm", body("munp_other")).status == 400) }
            #expect(try await eve.post("/v1/accounts/sign-up/confirm", body(attempt)).status == 429)
            #expect(try await fixture.verify(attempt, code).status == 201)
        }
    }

    @Test("I4 attack: a code works only with its attempt and purpose, and an address change only in its session")
    func attemptsOfOthers() async throws {
        try await withTarget { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let eve = try await fixture.client.signUp("eve@example.com")
            let elsewhere = try await fixture.client.signIn("ann@example.com")
            let signUp = try await fixture.beginSignUp("bob@example.com")
            let reset = try await fixture.beginReset("ann@example.com")
            let change = try await fixture.beginEmailChange("new@example.com", as: ann.access)
            let tries = [
                // The user's own attempt with another user's code.
                try await fixture.verify(signUp.attempt, reset.code), try await fixture.confirmReset(reset.attempt, signUp.code),
                // An attempt for another purpose.
                try await fixture.verify(reset.attempt, reset.code), try await fixture.verify(change.attempt, change.code),
                try await fixture.confirmReset(signUp.attempt, signUp.code),
                try await fixture.confirmReset(change.attempt, change.code),
                try await fixture.confirmEmail(signUp.attempt, signUp.code, as: ann.access),
                try await fixture.confirmEmail(reset.attempt, reset.code, as: ann.access),
                // In another user's session, and in another session of the same user.
                try await fixture.confirmEmail(change.attempt, change.code, as: eve.access),
                try await fixture.confirmEmail(change.attempt, change.code, as: elsewhere.access),
            ]
            for (number, answer) in tries.enumerated() { #expect(answer.status == 400, "\(number): \(answer.text)") }
            // All codes are still valid for their owners.
            #expect(try await fixture.confirmEmail(change.attempt, change.code, as: ann.access).status == 200)
            #expect(try await fixture.verify(signUp.attempt, signUp.code).status == 201)
            #expect(try await fixture.status(of: elsewhere.access) == 401)
        }
    }
}
