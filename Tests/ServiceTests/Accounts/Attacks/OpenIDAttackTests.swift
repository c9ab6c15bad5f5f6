import Events
import Identity
import IdentitySupport
import IssuerSupport
import OpenIDConnect
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("I2 I4 attacks: OpenID responses that are replayed, injected into another user's attempt, or from another issuer")
struct OpenIDAttackTests {
    private func withProviders(
        _ providers: [any IdentityProvider], _ body: (AccountsFixture) async throws -> Void
    ) async throws {
        try await withTarget {
            $0.providers = providers
        } _: {
            try await body($0)
        }
    }

    /// Begins an attempt with a provider, as a client of the service does.
    private func begin(
        _ provider: String, _ fixture: AccountsFixture, _ more: JSONObject = [:]
    ) async throws -> HostileProvider.Attempt {
        var body: JSONObject = ["provider": .string(provider), "redirectURI": .string(HostileProvider.redirect)]
        for (name, value) in more { body[name] = value }
        let answer = try await fixture.client.post("/v1/accounts/begin", body)
        let attempt = try #require(try answer.json.text("attempt"), "\(answer.text)")
        let address = try #require(try answer.json.text("authorizationURL"))
        return HostileProvider.Attempt(secret: attempt, fields: FormFields.query(of: address))
    }

    private func post(
        _ route: String, _ provider: String, _ evidence: JSONObject, _ fixture: AccountsFixture, as access: String? = nil
    ) async throws -> ServiceSupport.Answer {
        let path = route == "reauthenticate" ? "/v1/account/reauthenticate" : "/v1/accounts/" + route
        return try await fixture.client.post(
            path, ["provider": .string(provider), "evidence": .object(evidence)], as: access)
    }

    /// The provider process signs with the machine's time, so this service uses that time too.
    @Test("I2 attack: a replayed provider response is rejected, in its original attempt and in the thief's own attempt")
    func replay() async throws {
        let process = try OpenIDProcess(users: ["ann-1": ["email": "ann@example.org", "email_verified": .bool(true)]])
        defer { process.stop() }
        let settings = try OpenIDSettings(
            id: try #require(ProviderID("mock")), issuer: process.issuer, clientID: "muniment", clientSecret: "secret",
            redirectURIs: [HostileProvider.redirect], trustsEmail: true)
        try await withProviders([OpenIDProvider(settings)]) { fixture in
            fixture.clock.goWithMachine()
            func respond() async throws -> JSONObject {
                let begun = try await fixture.client.post("/v1/accounts/begin", ["provider": .string("mock")]).json
                let redirect = try process.signIn(at: try #require(begun.text("authorizationURL")), as: "ann-1")
                var evidence: JSONObject = [
                    "attempt": .string(try #require(begun.text("attempt"))), "redirectURI": .string(HostileProvider.redirect),
                ]
                for (name, value) in redirect { evidence[name] = .string(value) }
                return evidence
            }
            let response = try await respond()
            let ann = try AccountsClient.Person(try await post("sign-up", "mock", response, fixture))
            #expect(try await fixture.client.send("GET", "/v1/account", as: ann.access).json.text("email") == "ann@example.org")
            for route in ["sign-in", "sign-up"] {
                let again = try await post(route, "mock", response, fixture)
                #expect(again.status == 401, "\(again.text)")
                #expect(try again.json.text("type") == "/problems/wrong-credentials")
            }
            // The thief begins an attempt, and sends first the used code, then an unused one.
            var own = try await respond()
            own["code"] = response["code"]
            #expect(try await post("sign-in", "mock", own, fixture).status == 401)
            let unused = try await respond()
            var foreign = try await respond()
            foreign["code"] = unused["code"]
            #expect(try await post("sign-in", "mock", foreign, fixture).status == 401)
            let signedIn = try AccountsClient.Person(try await post("sign-in", "mock", try await respond(), fixture))
            #expect(signedIn.principal == ann.principal)
        }
    }

    @Test("I2 attack: a response injected into another user's attempt is rejected before the provider is asked")
    func foisted() async throws {
        let acme = try HostileProvider()
        defer { acme.server.stop() }
        try await withProviders([acme.provider]) { fixture in
            let (anns, eves) = (try await begin("acme", fixture), try await begin("acme", fixture))
            try acme.answer(eves, ["sub": "eve"])
            _ = try acme.server.requests()
            // Ann's browser is made to send Eve's response.
            let foisted = anns.evidence(["state": .string(eves.fields["state"] ?? "")])
            #expect(try await post("sign-up", "acme", foisted, fixture).status == 401)
            #expect(try acme.server.requests().isEmpty)
            // Eve has a code of Ann's, but no matching attempt.
            for secret in ["muno_made-up", "", eves.fields["state"] ?? ""] {
                let evidence = eves.evidence(["attempt": .string(secret)])
                #expect(try await post("sign-up", "acme", evidence, fixture).status == 401)
            }
            #expect(try acme.server.requests().isEmpty)
            #expect(try await post("sign-up", "acme", eves.evidence(), fixture).status == 201)
        }
    }

    @Test("I2 attack: an ID token for another attempt, client or time, or with another signature, creates no account or session")
    func forgedTokens() async throws {
        let acme = try HostileProvider()
        defer { acme.server.stop() }
        try await withProviders([acme.provider]) { fixture in
            let past = fixture.clock.now.microseconds / 1_000_000 - 4_000
            let changes: [[String: JSONValue?]] = [
                ["nonce": "another"], ["nonce": nil], ["aud": "another-client"], ["exp": .integer(past)],
                ["iss": "https://evil.example"],
                ["sub": nil], ["sub": ""],
            ]
            for change in changes {
                let attempt = try await begin("acme", fixture)
                try acme.answer(attempt, change)
                let answer = try await post("sign-up", "acme", attempt.evidence(), fixture)
                #expect(answer.status == 401, "\(change): \(answer.text)")
            }
            let attempt = try await begin("acme", fixture)
            try acme.answer(attempt, key: try TestKey(.p256))
            #expect(try await post("sign-up", "acme", attempt.evidence(), fixture).status == 401)
            let administrator = try fixture.service.administrator()
            #expect(try await fixture.client.send("GET", "/v1/accounts", as: administrator).json.list("accounts").isEmpty)
        }
    }

    @Test("I2 attack: a malicious issuer gets no code of another issuer, and cannot claim another issuer's subjects")
    func mixedUpIssuer() async throws {
        let (acme, evil) = (try HostileProvider(), try HostileProvider(id: "evil", trustsEmail: false))
        defer {
            acme.server.stop()
            evil.server.stop()
        }
        try await withProviders([acme.provider, evil.provider]) { fixture in
            let first = try await begin("acme", fixture)
            try acme.answer(first)
            let ann = try AccountsClient.Person(try await post("sign-up", "acme", first.evidence(), fixture))
            // The malicious issuer redirects Ann to the honest one, which returns her with its code and its issuer name.
            let mixed = try await begin("evil", fixture)
            try evil.answer(mixed)
            _ = try evil.server.requests()
            let refused = try await post("sign-in", "evil", mixed.evidence(["iss": .string(acme.issuer)]), fixture)
            #expect(refused.status == 401, "\(refused.text)")
            #expect(try evil.server.requests().isEmpty, "the code was shown to the other issuer")
            // The malicious issuer names itself, and sends a token that names the honest issuer.
            let claiming = try await begin("evil", fixture)
            try evil.answer(claiming, ["iss": .string(acme.issuer)])
            #expect(try await post("sign-in", "evil", claiming.evidence(["iss": .string(evil.issuer)]), fixture).status == 401)
            // An attempt with one issuer is invalid with the other.
            let crossed = try await begin("evil", fixture)
            #expect(try await post("sign-in", "acme", crossed.evidence(), fixture).status == 401)
            // The same subject and email at the malicious issuer belong to a different user.
            let same = try await begin("evil", fixture)
            try evil.answer(same)
            let nobody = try await post("sign-in", "evil", same.evidence(["iss": .string(evil.issuer)]), fixture)
            #expect(nobody.status == 404, "\(nobody.text)")
            let own = try await begin("evil", fixture)
            try evil.answer(own)
            let other = try AccountsClient.Person(try await post("sign-up", "evil", own.evidence(), fixture))
            #expect(other.principal != ann.principal)
            #expect(try await fixture.client.send("GET", "/v1/account", as: other.access).json["email"] == .null)
        }
    }

    /// RFC 9700, section 4.4: the malicious issuer begins its own attempt at the honest one. It sends Ann there with her state and
    /// its own challenge, and finishes its attempt with the code that she brings.
    @Test("I2 attack: a malicious issuer gets no code of an issuer that does not name itself, because redirect addresses differ")
    func mixedUpUnnamedIssuer() async throws {
        let back = HostileProvider.redirect + "/evil"
        let (acme, evil) = (try HostileProvider(), try HostileProvider(id: "evil", redirects: [back]))
        defer {
            acme.server.stop()
            evil.server.stop()
        }
        try await withProviders([acme.provider, evil.provider]) { fixture in
            let mixed = try await begin("evil", fixture, ["redirectURI": .string(back)])
            try evil.answer(mixed)
            _ = try evil.server.requests()
            let untold = try await post("sign-in", "evil", mixed.evidence(["redirectURI": nil]), fixture)
            #expect(untold.status == 400, "\(untold.text)")
            let returned = mixed.evidence(["redirectURI": .string(HostileProvider.redirect)])
            let refused = try await post("sign-in", "evil", returned, fixture)
            #expect(refused.status == 401, "\(refused.text)")
            #expect(try evil.server.requests().isEmpty, "the code was shown to the other issuer")
            let own = try await begin("evil", fixture, ["redirectURI": .string(back)])
            try evil.answer(own)
            #expect(try await post("sign-up", "evil", own.evidence(), fixture).status == 201)
        }
    }

    @Test("I4 attack: Non-Verifying IdP: an email that is unverified or from a provider not trusted for it identifies no account")
    func unverified() async throws {
        let (acme, loose) = (try HostileProvider(), try HostileProvider(id: "loose", trustsEmail: false))
        defer {
            acme.server.stop()
            loose.server.stop()
        }
        try await withProviders([acme.provider, loose.provider]) { fixture in
            let ann = try await fixture.client.signUp("ann@example.org")
            for (name, provider, verified) in [
                ("acme", acme, JSONValue.bool(false)), ("loose", loose, .bool(true)), ("acme", acme, .null),
            ] {
                let attempt = try await begin(name, fixture)
                try provider.answer(attempt, ["email_verified": verified, "sub": .string("eve \(verified)")])
                let answer = try await post("sign-up", name, attempt.evidence(), fixture)
                #expect(answer.status == 201, "\(answer.text)")
                #expect(try answer.json["account"]?["email"] == .null)
                #expect(try AccountsClient.Person(answer).principal != ann.principal)
            }
            // If the trusted provider has verified the email, the service reports a collision and does not merge the accounts.
            let attempt = try await begin("acme", fixture)
            try acme.answer(attempt)
            let answer = try await post("sign-up", "acme", attempt.evidence(), fixture)
            #expect(answer.status == 409)
            #expect(try answer.json.texts("providers") == ["password"])
            #expect(try await fixture.signInMethods(ann.access) == ["password"])
        }
    }

    @Test("I7 attack: another user's provider sign-in, or an attempt begun for sign-in, does not count as reauthentication")
    func reauthentication() async throws {
        let acme = try HostileProvider()
        defer { acme.server.stop() }
        try await withProviders([acme.provider]) { fixture in
            let first = try await begin("acme", fixture)
            try acme.answer(first)
            let ann = try AccountsClient.Person(try await post("sign-up", "acme", first.evidence(), fixture))
            fixture.clock.advance(seconds: 301)
            let now = JSONValue.integer(fixture.clock.now.microseconds / 1_000_000)
            let old = JSONValue.integer(fixture.clock.now.microseconds / 1_000_000 - 300)
            let fresh: [String: JSONValue?] = ["auth_time": now, "iat": now]
            let rows: [(name: String, purpose: JSONObject, changes: [String: JSONValue?])] = [
                ("somebody else", ["purpose": "reauthenticate"], fresh.merging(["sub": "eve"]) { $1 }),
                ("a sign-in", [:], fresh), ("there long ago", ["purpose": "reauthenticate"], ["auth_time": old, "iat": now]),
                ("without auth_time", ["purpose": "reauthenticate"], ["iat": now]),
            ]
            for row in rows {
                let attempt = try await begin("acme", fixture, row.purpose)
                try acme.answer(attempt, row.changes)
                let answer = try await post("reauthenticate", "acme", attempt.evidence(), fixture, as: ann.access)
                #expect(answer.status == 401, "\(row.name): \(answer.text)")
                #expect(try await fixture.client.send("DELETE", "/v1/account", as: ann.access).status == 401, "\(row.name)")
            }
            let attempt = try await begin("acme", fixture, ["purpose": "reauthenticate"])
            try acme.answer(attempt, fresh)
            let again = try AccountsClient.Person(
                try await post("reauthenticate", "acme", attempt.evidence(), fixture, as: ann.access))
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: again.access).status == 204)
        }
    }

    @Test("I7 attack: a provider sign-in without `auth_time` opens a session, but is not recent until a reauthentication")
    func unreportedTime() async throws {
        let acme = try HostileProvider()
        defer { acme.server.stop() }
        try await withProviders([acme.provider]) { fixture in
            func enter(_ route: String, _ changes: [String: JSONValue?] = [:]) async throws -> AccountsClient.Person {
                let attempt = try await begin("acme", fixture)
                try acme.answer(attempt, changes)
                return try AccountsClient.Person(try await post(route, "acme", attempt.evidence(), fixture))
            }
            for route in ["sign-up", "sign-in"] {
                let ann = try await enter(route)
                #expect(try await fixture.client.send("GET", "/v1/account", as: ann.access).status == 200)
                let requests: [(method: String, path: String)] = [
                    ("GET", "/v1/account/recent-sign-in"), ("DELETE", "/v1/account"), ("DELETE", "/v1/account/identities/acme"),
                ]
                for (method, path) in requests {
                    let answer = try await fixture.client.send(method, path, as: ann.access)
                    #expect(answer.status == 401, "\(path): \(answer.text)")
                    #expect(try answer.json.text("type") == "/problems/recent-sign-in-required", "\(path): \(answer.text)")
                }
                let password: JSONObject = ["password": "correct horse battery staple"]
                #expect(try await fixture.client.post("/v1/account/password", password, as: ann.access).status == 401)
            }
            let now = JSONValue.integer(fixture.clock.now.microseconds / 1_000_000)
            let ann = try await enter("sign-in", ["auth_time": now])
            #expect(try await fixture.client.send("GET", "/v1/account/recent-sign-in", as: ann.access).status == 200)
            let silent = try await enter("sign-in")
            let attempt = try await begin("acme", fixture, ["purpose": "reauthenticate"])
            try acme.answer(attempt, ["auth_time": now])
            let again = try AccountsClient.Person(
                try await post("reauthenticate", "acme", attempt.evidence(), fixture, as: silent.access))
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: again.access).status == 204)
        }
    }

    @Test("I2 attack: the service never redirects to an address that the operator has not configured")
    func openRedirect() async throws {
        let acme = try HostileProvider()
        defer { acme.server.stop() }
        try await withProviders([acme.provider]) { fixture in
            for address in [
                "https://evil.example/back", HostileProvider.redirect + "/", HostileProvider.redirect + "?x=1",
                HostileProvider.redirect.uppercased(), "https://app.example.com@evil.example/back",
            ] {
                let body: JSONObject = ["provider": .string("acme"), "redirectURI": .string(address)]
                let answer = try await fixture.client.post("/v1/accounts/begin", body)
                #expect(answer.status == 400, "\(address): \(answer.text)")
            }
        }
    }
}
