import Credentials
import Events
import Identity
import Permissions
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("I4 attack: logs contain no credentials and no personal data")
struct SecretsInLogsTests {
    @Test(
        "I4 attack: logs, metrics and decisions contain no password, code, token, attempt, email or name of a busy day"
    )
    func everything() async throws {
        for format in [LogFormat.text, .json] {
            let written = Mutex<[UInt8]>([])
            try await withTarget {
                $0.providers = [SiteProvider()]
            } service: {
                $0.logFormat = format
                $0.writeLog = { bytes in written.withLock { $0 += bytes } }
                $0.report = { line in written.withLock { $0 += Array((line + "\n").utf8) } }
                $0.decisionLogs = .all
            } _: { fixture in
                let secrets = try await busyDay(fixture)
                let figures = try await fixture.service.direct.send("GET", "/metrics", token: try fixture.service.administrator())
                try fixture.service.stopListening()
                fixture.service.service.operations.flush()
                let text = (String(decoding: written.withLock { $0 }, as: UTF8.self) + figures.text).lowercased()
                // The permitted text is present, so the files were written and the search works.
                #expect(text.contains("/v1/accounts/sign-in") && text.contains("signin") || format == .text)
                #expect(text.split(separator: "\n").count > 20)
                for secret in secrets {
                    #expect(!secret.isEmpty)
                    #expect(!text.contains(secret.lowercased()), "\(secret)")
                    #expect(!text.contains(secret.lowercased().replacing("@", with: "%40")), "\(secret)")
                }
            }
        }
    }

    /// Uses every feature once with valid and once with invalid input.
    ///
    /// - Returns: All texts that must not occur in any log.
    private func busyDay(_ fixture: AccountsFixture) async throws -> [String] {
        let client = fixture.client
        try fixture.makePlan()
        var secrets = [
            "a long password", "another long one", "not the password", "ann@example.com", "new@example.com", "eve@example.com",
            "Ann Archer", "ann's phone", "ann-at-site",
        ]
        let signUp = try await fixture.beginSignUp("ann@example.com")
        let ann = try AccountsClient.Person(try await fixture.verify(signUp.attempt, signUp.code))
        _ = try await client.send("PATCH", "/v1/account", ["displayName": .string("Ann Archer")], as: ann.access)
        let phone = try await client.signIn("ann@example.com", device: "ann's phone")
        for email in ["ann@example.com", "eve@example.com"] {
            for _ in 0..<7 { _ = try await client.signInAnswer(email, password: "not the password") }
        }
        let refreshed = try AccountsClient.Person(try await fixture.refresh(phone.refresh, nonce: "a nonce of ann's"))
        _ = try await fixture.refresh(phone.refresh, nonce: "another")
        _ = try await fixture.mayRead("doc:plan", ann.principal, as: ann.access)
        _ = try await client.post("/v1/account/identities", .bySite("ann-at-site", email: "ann@example.com"), as: ann.access)
        let taken = try await client.post("/v1/accounts/sign-up", .bySite("other", email: "ann@example.com"))
        let change = try await fixture.beginEmailChange("new@example.com", as: ann.access)
        _ = try await fixture.confirmEmail(change.attempt, "AAAA-AAAA", as: ann.access)
        _ = try await fixture.confirmEmail(change.attempt, change.code, as: ann.access)
        let reset = try await fixture.beginReset("new@example.com")
        let owner = try AccountsClient.Person(try await fixture.confirmReset(reset.attempt, reset.code))
        let token = try fixture.service.administrator()
        _ = try await fixture.door.send("GET", "/v1/accounts?email=new@example.com", token: token)
        _ = try await fixture.door.send("GET", "/v1/accounts?email=new%40example.com&cursor=x", token: token)
        _ = try await fixture.door.send("GET", "/v1/accounts?email=eve%40example.com", token: owner.access)
        _ = try await fixture.door.send("POST", "/v1/accounts/sign-in", json: #"{"evidence":{"email":"ann@example.com","#)
        _ = try await client.send("DELETE", "/v1/account", as: owner.access)
        secrets += [signUp, change, reset].flatMap { [$0.attempt, $0.code, $0.code.replacing("-", with: "")] }
        secrets += [ann, phone, refreshed, owner].flatMap { [$0.access, $0.refresh] } + [token]
        if let link = try taken.json.text("link") { secrets.append(link) }
        return secrets + ["muna_", "munr_", "munp_", "munl_", "a nonce of ann's", "$argon2"]
    }
}
