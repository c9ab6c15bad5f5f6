import Events
import Identity
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("I6 attacks: sessions that are fixed, stolen, or used after their end")
struct SessionTheftTests {
    @Test("I6 attack: session fixation: no client value becomes a session, and each sign-in makes new tokens")
    func fixation() async throws {
        try await withTarget { fixture in
            let client = fixture.client
            let eve = try await client.signUp("eve@example.com")
            let (attempt, code) = try await fixture.beginSignUp("ann@example.com")
            let body: JSONObject = ["attempt": .string(attempt), "code": .string(code)]
            let made = try await client.post("/v1/accounts/sign-up/confirm", body, as: eve.access)
            let ann = try AccountsClient.Person(made)
            let again = try await client.post(
                "/v1/accounts/sign-in", .signingIn("ann@example.com", "a long password"), as: eve.access)
            let second = try AccountsClient.Person(again)
            for answer in [made, again] { #expect(answer.header("Set-Cookie") == nil) }
            #expect(Set([eve.access, ann.access, second.access]).count == 3)
            #expect(Set([eve.refresh, ann.refresh, second.refresh]).count == 3)
            #expect(Set([eve.sessionID, ann.sessionID, second.sessionID]).count == 3)
            // Eve's tokens still belong to her session only.
            #expect(try await client.send("GET", "/v1/account", as: eve.access).json.text("principal") == eve.principal)
            #expect(try AccountsClient.Person(try await fixture.refresh(eve.refresh, nonce: "one")).principal == eve.principal)
            // No request has a member that sets the session.
            for (name, value) in [("sessionID", eve.sessionID), ("accessToken", eve.access), ("refreshToken", eve.refresh)] {
                var body = JSONObject.signingIn("ann@example.com", "a long password")
                body[name] = .string(value)
                #expect(try await client.post("/v1/accounts/sign-in", body).status == 400)
            }
        }
    }

    @Test(
        "I6 attack: a stolen refresh token ends its session for thief and owner, in either order, and other devices stay signed in"
    )
    func stolenRefreshToken() async throws {
        try await withTarget { fixture in
            let phone = try await fixture.client.signUp("ann@example.com")
            for order in ["thief first", "owner first"] {
                let stolen = try await fixture.client.signIn("ann@example.com")
                let first = try AccountsClient.Person(try await fixture.refresh(stolen.refresh, nonce: "first \(order)"))
                let second = try await fixture.refresh(stolen.refresh, nonce: "second \(order)")
                #expect(second.status == 401, "\(order)")
                #expect(try second.json.text("type") == "/problems/session-ended")
                for access in [stolen.access, first.access] { #expect(try await fixture.status(of: access) == 401, "\(order)") }
                for (token, nonce) in [(stolen.refresh, "first \(order)"), (first.refresh, "next")] {
                    #expect(try await fixture.refresh(token, nonce: nonce).status == 401, "\(order)")
                }
                let sessions = try await fixture.client.send("GET", "/v1/account/sessions", as: phone.access).json.list("sessions")
                #expect(sessions.map { $0.text("id") } == [phone.sessionID], "\(order)")
            }
        }
    }

    @Test("I6 attack: an old refresh token ends the session even after several refreshes")
    func oldRefreshToken() async throws {
        try await withTarget { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            var last = ann
            for nonce in ["one", "two", "three"] {
                last = try AccountsClient.Person(try await fixture.refresh(last.refresh, nonce: nonce))
            }
            // Repeats the request that succeeded first.
            #expect(try await fixture.refresh(ann.refresh, nonce: "one").status == 401)
            #expect(try await fixture.status(of: last.access) == 401)
            #expect(try await fixture.refresh(last.refresh, nonce: "four").status == 401)
        }
    }

    @Test("I6 attack: made-up refresh tokens end no session")
    func madeUpRefreshTokens() async throws {
        try await withTarget { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let eve = try await fixture.client.signUp("eve@example.com")
            let mixed = String(ann.refresh.prefix(16)) + String(eve.refresh.dropFirst(16))
            let madeUp: [String] = [
                String(ann.refresh.dropLast(6)) + "AAAAAA", mixed, "munr_" + String(ann.access.dropFirst(5)), ann.access,
                String(ann.refresh.dropLast()), ann.refresh + "A", "", "munr_",
            ]
            for text in madeUp {
                let answer = try await fixture.refresh(text, nonce: "one")
                #expect([400, 401].contains(answer.status), "\(answer.text)")
            }
            for person in [ann, eve] { #expect(try await fixture.status(of: person.access) == 200) }
            _ = try AccountsClient.Person(try await fixture.refresh(ann.refresh, nonce: "one"))
        }
    }

    /// The ways to end a session.
    enum End: CaseIterable {
        case signedOut, endedElsewhere, othersEnded, administrator, passwordChanged, deleted

        /// Ends a session, usually from another session of the same user.
        func bring(to person: AccountsClient.Person, from other: String, _ fixture: AccountsFixture) async throws -> Int {
            let client = fixture.client
            switch self {
            case .signedOut: return try await client.send("POST", "/v1/account/sign-out", as: person.access).status
            case .endedElsewhere:
                return try await client.send("DELETE", "/v1/account/sessions/" + person.sessionID, as: other).status
            case .othersEnded: return try await client.send("DELETE", "/v1/account/sessions", as: other).status
            case .administrator:
                let path = "/v1/accounts/\(person.principal)/sign-out"
                return try await client.send("POST", path, as: try fixture.service.administrator()).status
            case .passwordChanged:
                let body: JSONObject = ["password": .string("another long one")]
                return try await client.send("PUT", "/v1/account/password", body, as: other).status
            case .deleted: return try await client.send("DELETE", "/v1/account", as: other).status
            }
        }
    }

    @Test("I6 attack: all tokens of a session are rejected after its end, for every way to end it", arguments: End.allCases)
    func afterTheEnd(_ end: End) async throws {
        try await withTarget { fixture in
            try fixture.makePlan()
            let before = try await fixture.client.signUp("ann@example.com")
            try fixture.commit(.grant("everyone", on: "doc:plan", ["read"]))
            // Two generations of tokens are valid until then.
            let person = try AccountsClient.Person(try await fixture.refresh(before.refresh, nonce: "one"))
            let other = try await fixture.client.signIn("ann@example.com")
            for access in [before.access, person.access] { #expect(try await fixture.status(of: access) == 200) }
            #expect([200, 204].contains(try await end.bring(to: person, from: other.access, fixture)))
            for access in [before.access, person.access] {
                #expect(try await fixture.status(of: access) == 401)
                #expect(try await fixture.mayRead("doc:plan", person.principal, as: access).status == 401)
                let delete = try await fixture.client.send("DELETE", "/v1/account", as: access)
                #expect(delete.status == 401)
            }
            for (token, nonce) in [(before.refresh, "one"), (person.refresh, "two")] {
                #expect(try await fixture.refresh(token, nonce: nonce).status == 401)
            }
        }
    }

    @Test("I7 attack: a stolen access token is invalid after the owner reauthenticates, and a refresh never makes a sign-in recent")
    func reauthenticated() async throws {
        try await withTarget { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let refreshed = try AccountsClient.Person(try await fixture.refresh(ann.refresh, nonce: "one"))
            fixture.clock.advance(seconds: 301)
            let renewed = try AccountsClient.Person(try await fixture.refresh(refreshed.refresh, nonce: "two"))
            let change = try await fixture.client.send(
                "PUT", "/v1/account/password", ["password": .string("a thief's password")], as: renewed.access)
            #expect(change.status == 401)
            #expect(try change.json.text("type") == "/problems/recent-sign-in-required")
            let evidence: JSONObject = ["password": .string("a long password")]
            let again = try await fixture.client.post(
                "/v1/account/reauthenticate", ["provider": .string("password"), "evidence": .object(evidence)], as: renewed.access)
            let owner = try AccountsClient.Person(again)
            for access in [ann.access, refreshed.access, renewed.access] { #expect(try await fixture.status(of: access) == 401) }
            #expect(try await fixture.status(of: owner.access) == 200)
            // The thief's refresh token is already used, so the service ends the session and issues no tokens.
            #expect(try await fixture.refresh(renewed.refresh, nonce: "three").status == 401)
            #expect(try await fixture.status(of: owner.access) == 401)
        }
    }
}
