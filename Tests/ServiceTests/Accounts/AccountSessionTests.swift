import Credentials
import Events
import Identity
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Sessions over HTTP: refresh, devices, recent sign-ins, feeds")
struct AccountSessionTests {
    private func refresh(_ fixture: AccountsFixture, _ token: String, nonce: String) async throws -> ServiceSupport.Answer {
        try await fixture.client.post("/v1/accounts/refresh", ["refreshToken": .string(token), "nonce": .string(nonce)])
    }

    @Test("A refresh token is valid once; a repeated request gets the same tokens, and a different one ends the session")
    func refreshing() async throws {
        try await withAccounts { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let first = try await refresh(fixture, ann.refresh, nonce: "one")
            let again = try await refresh(fixture, ann.refresh, nonce: "one")
            #expect(try first.json.text("accessToken") == again.json.text("accessToken"))
            let person = try AccountsClient.Person(first)
            #expect(try await fixture.client.send("GET", "/v1/account", as: person.access).status == 200)
            // Requests in flight still carry the previous access token.
            #expect(try await fixture.client.send("GET", "/v1/account", as: ann.access).status == 200)
            let stolen = try await refresh(fixture, ann.refresh, nonce: "two")
            #expect(stolen.status == 401)
            #expect(try stolen.json.text("type") == "/problems/session-ended")
            #expect(try await fixture.client.send("GET", "/v1/account", as: person.access).status == 401)
            #expect(try await fixture.client.send("GET", "/v1/account", as: ann.access).status == 401)
            #expect(try await refresh(fixture, person.refresh, nonce: "three").status == 401)
        }
    }

    @Test("Access tokens, unused sessions and all sessions expire by the clock")
    func ends() async throws {
        try await withAccounts {
            $0.accounts?.settings.accessSeconds = 60
            $0.accounts?.settings.idleSeconds = 3_600
            $0.accounts?.settings.sessionSeconds = 7_000
        } _: { fixture in
            var person = try await fixture.client.signUp("ann@example.com")
            fixture.clock.advance(seconds: 61)
            #expect(try await fixture.client.send("GET", "/v1/account", as: person.access).status == 401)
            let other = try await fixture.client.signIn("ann@example.com")
            fixture.clock.advance(seconds: 3_500)
            person = try AccountsClient.Person(try await refresh(fixture, person.refresh, nonce: "one"))
            fixture.clock.advance(seconds: 101)
            #expect(try await refresh(fixture, other.refresh, nonce: "one").status == 401)
            fixture.clock.advance(seconds: 3_400)
            #expect(try await refresh(fixture, person.refresh, nonce: "two").status == 401)
        }
    }

    @Test("Devices are listed, signed out individually, or all except the current one")
    func devices() async throws {
        try await withAccounts { fixture in
            let client = fixture.client
            let first = try await client.signUp("ann@example.com")
            let phone = try await client.signIn("ann@example.com", device: "phone")
            let tablet = try await client.signIn("ann@example.com", device: "tablet")
            let listed = try await client.send("GET", "/v1/account/sessions", as: phone.access).json.list("sessions")
            #expect(listed.map { $0.text("device") } == [nil, "phone", "tablet"])
            #expect(listed.map { $0.flag("current") } == [false, true, false])
            #expect(try await client.send("DELETE", "/v1/account/sessions/" + tablet.sessionID, as: phone.access).status == 204)
            #expect(try await client.send("GET", "/v1/account", as: tablet.access).status == 401)
            #expect(try await client.send("DELETE", "/v1/account/sessions", as: phone.access).status == 204)
            #expect(try await client.send("GET", "/v1/account", as: first.access).status == 401)
            #expect(try await client.send("POST", "/v1/account/sign-out", as: phone.access).status == 204)
            #expect(try await client.send("GET", "/v1/account", as: phone.access).status == 401)
        }
    }

    /// A route that needs a recent sign-in, with a valid body and its caller.
    private typealias Sensitive = (method: String, path: String, body: JSONObject?, person: AccountsClient.Person)

    private static func badge(_ name: String, email: String? = nil) -> JSONObject {
        var evidence: JSONObject = ["badge": .string(name)]
        if let email { evidence["email"] = .string(email) }
        return ["provider": .string("badge"), "evidence": .object(evidence)]
    }

    /// Signs up one user with a password and one with a badge, and begins the attempts that the later calls need.
    private func sensitive(_ fixture: AccountsFixture) async throws -> [Sensitive] {
        let client = fixture.client
        let ann = try await client.signUp("ann@example.com")
        let bob = try AccountsClient.Person(
            try await client.post("/v1/accounts/sign-up", Self.badge("bob", email: "bob@example.com")))
        let collision = try await client.post("/v1/accounts/sign-up", Self.badge("b8", email: "ann@example.com"))
        let link = try #require(try collision.json.text("link"), "\(collision.text)")
        let change = try await fixture.beginEmailChange("newer@example.com", as: ann.access)
        return [
            ("PUT", "/v1/account/email", ["email": .string("new@example.com")], ann),
            ("POST", "/v1/account/email/confirm", ["attempt": .string(change.attempt), "code": .string(change.code)], ann),
            ("POST", "/v1/account/password", ["password": .string("another long one")], bob),
            ("PUT", "/v1/account/password", ["password": .string("another long one")], ann),
            ("POST", "/v1/account/identities", Self.badge("b7"), ann),
            ("POST", "/v1/account/identities", ["link": .string(link)], ann),
            ("DELETE", "/v1/account/identities/password", nil, ann), ("GET", "/v1/account/recent-sign-in", nil, ann),
            ("DELETE", "/v1/account", nil, ann),
        ]
    }

    @Test("I7 A sensitive change without a recent sign-in gets the RFC 9470 response, and succeeds after a sign-in")
    func recentSignIn() async throws {
        try await withAccounts {
            $0.accounts?.providers = [BadgeProvider()]
        } _: { fixture in
            let client = fixture.client
            let rows = try await sensitive(fixture)
            let ann = try #require(rows.last).person
            fixture.clock.advance(seconds: 301)
            for row in rows {
                let answer = try await client.send(row.method, row.path, row.body, as: row.person.access)
                #expect(answer.status == 401, "\(row.method) \(row.path): \(answer.text)")
                #expect(try answer.json.text("type") == "/problems/recent-sign-in-required")
                #expect(try answer.json.number("maxAge") == 300)
                let challenge = answer.header("WWW-Authenticate") ?? ""
                #expect(challenge.contains(#"error="insufficient_user_authentication""#) && challenge.contains(#"max_age="300""#))
            }
            // Other requests still succeed.
            #expect(try await client.send("PATCH", "/v1/account", ["displayName": .string("Ann")], as: ann.access).status == 200)
            let wrong: JSONObject = [
                "provider": .string("password"), "evidence": .object(["password": .string("a wrong password")]),
            ]
            #expect(try await client.post("/v1/account/reauthenticate", wrong, as: ann.access).status == 401)
            let right: JSONObject = [
                "provider": .string("password"), "evidence": .object(["password": .string("a long password")]),
            ]
            let again = try AccountsClient.Person(try await client.post("/v1/account/reauthenticate", right, as: ann.access))
            #expect(again.sessionID == ann.sessionID)
            #expect(try await client.send("GET", "/v1/account", as: ann.access).status == 401)
            let change = try await client.send(
                "PUT", "/v1/account/password", ["password": .string("another long one")], as: again.access)
            #expect(change.status == 200, "\(change.text)")
        }
    }

    @Test("I7 The service reports how many seconds the sign-in remains recent, by its own clock and limit")
    func recentSecondsLeft() async throws {
        try await withAccounts {
            $0.accounts?.settings.recentSignInSeconds = 60
        } _: { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            for (passed, left) in [(0, 60), (20, 40), (40, 0)] as [(Int64, Int64)] {
                fixture.clock.advance(seconds: passed)
                let answer = try await fixture.client.send("GET", "/v1/account/recent-sign-in", as: ann.access)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try answer.json.number("secondsLeft") == left)
                #expect(try answer.json.number("maxAge") == 60)
            }
            fixture.clock.advance(seconds: 1)
            let late = try await fixture.client.send("GET", "/v1/account/recent-sign-in", as: ann.access)
            #expect(late.status == 401)
            #expect(late.header("WWW-Authenticate")?.contains(#"max_age="60""#) == true)
        }
    }

    @Test("The end of a session closes the feeds opened with it")
    func feeds() async throws {
        try await withAccounts { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let feed = try FeedClient(port: try fixture.service.listen(), "/v1/stores/default/notices", token: ann.access)
            #expect(feed.status == 200)
            #expect(try await fixture.client.send("POST", "/v1/account/sign-out", as: ann.access).status == 204)
            fixture.service.service.liveFeeds.tick()
            #expect(feed.next() == nil)
            #expect(feed.isEnded)
        }
    }

    @Test("The request rate is counted per user, across all sessions")
    func rate() async throws {
        try await withAccounts {
            $0.requestsPerSecond = 40
        } _: { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let other = try await fixture.client.signIn("ann@example.com")
            func status(_ token: String) async throws -> Int {
                try await fixture.service.direct.send("GET", "/v1/account", token: token).status
            }
            #expect(try await status(ann.access) == 200)
            // On a busy machine, the limit may end before the other session's request. It sends too few to reach a limit of its own.
            var isLimited = false
            for _ in 0..<20 where !isLimited {
                var left = 200
                while left > 0, try await status(ann.access) != 429 { left -= 1 }
                isLimited = try await status(other.access) == 429
            }
            #expect(isLimited)
        }
    }
}
