import Events
import Identity
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Accounts over HTTP: sign-up, sign-in, sessions, sign-in methods, deletion")
struct AccountRouteTests {
    @Test("I3 I9 A user signs up with a mailed code, becomes a user of the store, and acts there with the session's token")
    func wholeLife() async throws {
        try await withAccounts { fixture in
            try fixture.makePlan()
            let ann = try await fixture.client.signUp("Ann@example.com", name: "Ann")
            #expect(ann.principal.wholeMatch(of: /user:[a-z0-9]{26}/) != nil)
            #expect(try await fixture.mayRead("doc:plan", ann.principal, as: ann.access).json.flag("allowed") == false)
            try fixture.commit(.grant(Name(ann.principal), on: "doc:plan", ["read"]))
            #expect(try await fixture.mayRead("doc:plan", ann.principal, as: ann.access).json.flag("allowed") == true)
            let account = try await fixture.client.send("GET", "/v1/account", as: ann.access).json
            #expect(account.text("email") == "ann@example.com" && account.text("displayName") == "Ann")
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: ann.access).status == 204)
            #expect(try await fixture.client.send("GET", "/v1/account", as: ann.access).status == 401)
            #expect(try await fixture.client.signInAnswer("ann@example.com").status == 401)
        }
    }

    @Test("I3 Each failure has its own problem kind and says what to do")
    func problems() async throws {
        try await withAccounts { fixture in
            let client = fixture.client
            _ = try await client.signUp("ann@example.com")
            let password = JSONValue.string("password")
            let rows: [(path: String, body: JSONObject, status: Int, kind: String)] = [
                ("sign-in", ["provider": password], 400, "malformed"),
                ("sign-in", ["provider": password, "evidence": .object([:])], 400, "malformed"),
                ("sign-in", ["provider": .string("Nobody"), "evidence": .object([:])], 400, "malformed"),
                ("sign-in", ["provider": .string("nobody"), "evidence": .object([:])], 400, "malformed"),
                ("sign-in", ["provider": password, "evidence": .object([:]), "remember": .bool(true)], 400, "malformed"),
                (
                    "sign-up", ["provider": password, "evidence": evidence("bob@example.com", "short")], 400,
                    "unacceptable-password"
                ),
                ("sign-up", ["provider": password, "evidence": evidence("no address", "a long password")], 400, "malformed"),
                (
                    "sign-in", ["provider": password, "evidence": evidence("ann@example.com", "a wrong password")], 401,
                    "wrong-credentials"
                ),
                (
                    "sign-in", ["provider": password, "evidence": evidence("eve@example.com", "a wrong password")], 401,
                    "wrong-credentials"
                ),
                ("sign-up/confirm", ["attempt": .string("munp_none"), "code": .string("ABCD-EFGH")], 400, "wrong-code"),
                ("refresh", ["refreshToken": .string("munr_none"), "nonce": .string("one")], 401, "session-ended"),
            ]
            for row in rows {
                let answer = try await client.post("/v1/accounts/\(row.path)", row.body)
                #expect(answer.status == row.status, "\(row): \(answer.text)")
                #expect(try answer.json.text("type") == "/problems/\(row.kind)", "\(row): \(answer.text)")
                #expect(answer.header("Cache-Control") == "no-store")
                if row.status == 401 { #expect(answer.header("WWW-Authenticate")?.hasPrefix("Bearer") == true) }
            }
        }
    }

    private func evidence(_ email: String, _ password: String) -> JSONValue {
        .object(["email": .string(email), "password": .string(password)])
    }

    @Test("I2 The service accepts an additional provider without code for it")
    func anotherProvider() async throws {
        try await withAccounts {
            $0.accounts?.providers = [BadgeProvider()]
        } _: { fixture in
            let client = fixture.client
            let listed = try await client.send("GET", "/v1/accounts/providers").json.list("providers").map { $0.text("id") }
            #expect(Set(listed) == ["password", "badge"])
            #expect(try await client.post("/v1/accounts/begin", ["provider": .string("badge")]).json.text("gate") == "north")
            let shown: JSONObject = ["provider": .string("badge"), "evidence": .object(["badge": .string("b7")])]
            #expect(try await client.post("/v1/accounts/sign-in", shown).json.text("type") == "/problems/no-account")
            let made = try await client.post("/v1/accounts/sign-up", shown)
            #expect(made.status == 201)
            let person = try AccountsClient.Person(made)
            let again = try await client.post("/v1/accounts/sign-in", shown)
            #expect(try AccountsClient.Person(again).principal == person.principal)
            #expect(try again.json.flag("isNew") == false)
        }
    }

    @Test(
        "I4 A collision names the existing sign-in method, and the new one is linked after a sign-in with the existing one")
    func collision() async throws {
        try await withAccounts {
            $0.accounts?.providers = [BadgeProvider()]
        } _: { fixture in
            let client = fixture.client
            let ann = try await client.signUp("ann@example.com")
            let shown: JSONObject = [
                "provider": .string("badge"), "evidence": .object(["badge": .string("b7"), "email": .string("ann@example.com")]),
            ]
            let collision = try await client.post("/v1/accounts/sign-up", shown)
            #expect(collision.status == 409)
            #expect(try collision.json.texts("providers") == ["password"])
            let link = try #require(try collision.json.text("link"))
            let signedIn = try await client.post(
                "/v1/accounts/sign-in",
                [
                    "provider": .string("password"), "evidence": evidence("ann@example.com", "a long password"),
                    "link": .string(link),
                ])
            #expect(try AccountsClient.Person(signedIn).principal == ann.principal)
            let identities = try #require(try signedIn.json["account"]).list("identities").map { $0.text("provider") }
            #expect(identities == ["password", "badge"])
            #expect(try AccountsClient.Person(try await client.post("/v1/accounts/sign-in", shown)).principal == ann.principal)
        }
    }

    @Test("I5 A sign-in method can be linked and unlinked, and the last one cannot be unlinked")
    func signInMethods() async throws {
        try await withAccounts {
            $0.accounts?.providers = [BadgeProvider()]
        } _: { fixture in
            let client = fixture.client
            let ann = try await client.signUp("ann@example.com")
            let shown: JSONObject = ["provider": .string("badge"), "evidence": .object(["badge": .string("b7")])]
            let linked = try await client.post("/v1/account/identities", shown, as: ann.access)
            #expect(try linked.json.list("identities").count == 2)
            let again = try await client.post("/v1/account/identities", shown, as: ann.access)
            #expect(try again.json.text("type") == "/problems/already-linked")
            let bob = try await client.signUp("bob@example.com")
            let taken = try await client.post("/v1/account/identities", shown, as: bob.access)
            #expect(try taken.json.text("type") == "/problems/linked-elsewhere")
            let unlinked = try await client.send("DELETE", "/v1/account/identities/password", as: ann.access)
            #expect(try unlinked.json.list("identities").count == 1)
            let last = try await client.send("DELETE", "/v1/account/identities/badge", as: ann.access)
            #expect(last.status == 409)
            #expect(try last.json.text("type") == "/problems/last-sign-in-method")
            #expect(try await client.send("DELETE", "/v1/account/identities/Nobody", as: ann.access).status == 404)
            let set = try await client.post("/v1/account/password", ["password": .string("another long one")], as: ann.access)
            #expect(set.status == 200, "\(set.text)")
        }
    }

    @Test("I6 Name and picture change separately and null removes them; the email changes with a code; the password changes")
    func profile() async throws {
        try await withAccounts { fixture in
            let client = fixture.client
            let ann = try await client.signUp("ann@example.com", name: "Ann")
            let picture = "https://example.com/ann.png"
            let pictured = try await client.send("PATCH", "/v1/account", ["picture": .string(picture)], as: ann.access).json
            #expect(pictured.text("picture") == picture && pictured.text("displayName") == "Ann")
            let bare = try await client.send("PATCH", "/v1/account", ["displayName": .null], as: ann.access).json
            #expect(bare.text("picture") == picture && bare["displayName"] == .null)
            #expect(
                try await client.send("PATCH", "/v1/account", ["picture": .string("javascript:1")], as: ann.access).status == 400)

            let sent = fixture.mails.all.count
            let change = try await client.send("PUT", "/v1/account/email", ["email": .string("new@example.com")], as: ann.access)
            #expect(change.status == 202, "\(change.text)")
            let code = try await fixture.mails.nextCode(to: "new@example.com", after: sent)
            let attempt = try #require(try change.json.text("attempt"))
            let changed = try await client.post(
                "/v1/account/email/confirm", ["attempt": .string(attempt), "code": .string(code)], as: ann.access)
            #expect(try changed.json.text("email") == "new@example.com", "\(changed.text)")

            let password = try await client.send(
                "PUT", "/v1/account/password", ["password": .string("another long one")], as: ann.access)
            #expect(password.status == 200, "\(password.text)")
            #expect(try await client.signInAnswer("new@example.com").status == 401)
            #expect(try await client.signIn("new@example.com", password: "another long one").principal == ann.principal)
        }
    }

    @Test("A forgotten password is reset with a code, which ends all other sessions")
    func reset() async throws {
        try await withAccounts { fixture in
            let client = fixture.client
            let ann = try await client.signUp("ann@example.com")
            let sent = fixture.mails.all.count
            let started = try await client.post("/v1/accounts/reset", ["email": .string("ann@example.com")])
            #expect(started.status == 202)
            let unknown = try await client.post("/v1/accounts/reset", ["email": .string("eve@example.com")])
            #expect(unknown.status == 202)
            #expect(try unknown.json.members == started.json.members)
            let code = try await fixture.mails.nextCode(to: "ann@example.com", after: sent)
            let attempt = try #require(try started.json.text("attempt"))
            let confirmed = try await client.post(
                "/v1/accounts/reset/confirm",
                ["attempt": .string(attempt), "code": .string(code), "password": .string("another long one")])
            #expect(try AccountsClient.Person(confirmed).principal == ann.principal, "\(confirmed.text)")
            #expect(try await client.send("GET", "/v1/account", as: ann.access).status == 401)
        }
    }

    @Test("Without accounts, each account route answers 404 and names the missing option")
    func without() async throws {
        try await withService { service in
            let door = try service.live()
            let routes = RouteTable.routes.filter(\.isOfAccounts)
            #expect(routes.count > 20)
            let administrator = try service.administrator()
            for route in routes {
                let path = route.path.segments.map { segment in
                    switch segment {
                    case .word(let word): "/" + word
                    case .parameter: "/user:ann"
                    }
                }.joined()
                for token in [nil, administrator] {
                    let answer = try await door.send(route.method, path, token: token)
                    #expect(answer.status == 404, "\(route.name): \(answer.text)")
                    #expect(answer.text.contains("--accounts FILE"), "\(route.name)")
                }
            }
        }
    }

    @Test("I6 Two concurrent profile changes are both kept")
    func profileAtOnce() async throws {
        try await withAccounts { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let direct = fixture.service.direct
            for round in 0..<100 {
                let picture = "https://example.com/\(round).png"
                async let name = direct.send("PATCH", "/v1/account", token: ann.access, json: #"{"displayName":"Ann \#(round)"}"#)
                async let image = direct.send("PATCH", "/v1/account", token: ann.access, json: #"{"picture":"\#(picture)"}"#)
                #expect(try await [name.status, image.status] == [200, 200])
                let account = try await direct.send("GET", "/v1/account", token: ann.access).json
                #expect(account.text("displayName") == "Ann \(round)" && account.text("picture") == picture, "round \(round)")
            }
        }
    }
}

extension JSONValue {
    /// The names of an object's members.
    fileprivate var members: [String] { if case .object(let members) = self { Array(members.keys) } else { [] } }
}
