import Events
import Identity
import ServiceSupport
import TestSupport
import Testing

@testable import Service

/// Eve prepares an attack before Ann has an account, or while Eve has access to it, and waits (Sudhodanan and Paverd, "Pre-hijacked
/// accounts", USENIX Security 2022).
@Suite("I4 attacks: the five published forms of pre-hijacking")
struct PreHijackingTests {
    private func withSite(_ body: (AccountsFixture) async throws -> Void) async throws {
        try await withTarget {
            $0.providers = [SiteProvider()]
        } _: {
            try await body($0)
        }
    }

    private func evesSignIn(_ fixture: AccountsFixture) async throws -> ServiceSupport.Answer {
        try await fixture.client.signInAnswer("ann@example.com", password: "eve's own password")
    }

    @Test("I4 attack: Classic-Federated Merge: Eve's password for Ann's email gives no access to an account Ann makes with a site")
    func classicFederatedMerge() async throws {
        try await withSite { fixture in
            let trap = try await fixture.beginSignUp("ann@example.com", password: "eve's own password")
            #expect(try await evesSignIn(fixture).status == 401)
            let made = try await fixture.client.post("/v1/accounts/sign-up", .bySite("ann", email: "ann@example.com"))
            #expect(made.status == 201, "\(made.text)")
            let ann = try AccountsClient.Person(made)
            #expect(try await fixture.signInMethods(ann.access) == ["site"])
            #expect(try await evesSignIn(fixture).status == 401)
            // If Ann copied Eve's code into a form, it would give Eve no account.
            #expect(try await fixture.verify(trap.attempt, trap.code).status != 201)
            #expect(try await evesSignIn(fixture).status == 401)
            #expect(try await fixture.signInMethods(ann.access) == ["site"])
        }
    }

    @Test("I4 attack: Classic-Federated Merge in reverse: a site's claim of Ann's email gives no access to her existing account")
    func federatedClassicMerge() async throws {
        try await withSite { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            for path in ["sign-up", "sign-in"] {
                let answer = try await fixture.client.post("/v1/accounts/" + path, .bySite("eve", email: "ann@example.com"))
                #expect(answer.status == 409, "\(answer.text)")
                let link = try #require(try answer.json.text("link"))
                // The link is useless without one of Ann's sign-in methods.
                var wrong = JSONObject.signingIn("ann@example.com", "eve's own password")
                wrong["link"] = .string(link)
                #expect(try await fixture.client.post("/v1/accounts/sign-in", wrong).status == 401)
                let eve = try await fixture.client.signUp("eve.\(path)@example.com")
                let own = try await fixture.client.post("/v1/account/identities", ["link": .string(link)], as: eve.access)
                #expect(own.status == 400, "\(own.text)")
            }
            #expect(try await fixture.signInMethods(ann.access) == ["password"])
        }
    }

    @Test("I4 attack: Unexpired Session: Eve's remaining session ends when Ann resets the password")
    func unexpiredSession() async throws {
        try await withSite { fixture in
            // Eve could briefly read Ann's mail, and signed up before Ann.
            let eve = try await fixture.client.signUp("ann@example.com", password: "eve's own password")
            let kept = try AccountsClient.Person(try await fixture.refresh(eve.refresh, nonce: "kept"))
            let reset = try await fixture.beginReset("ann@example.com")
            let ann = try AccountsClient.Person(try await fixture.confirmReset(reset.attempt, reset.code))
            #expect(ann.principal == eve.principal)
            for access in [eve.access, kept.access] { #expect(try await fixture.status(of: access) == 401) }
            for (token, nonce) in [(eve.refresh, "kept"), (kept.refresh, "next")] {
                #expect(try await fixture.refresh(token, nonce: nonce).status == 401)
            }
            #expect(try await evesSignIn(fixture).status == 401)
            let sessions = try await fixture.client.send("GET", "/v1/account/sessions", as: ann.access).json.list("sessions")
            #expect(sessions.map { $0.text("id") } == [ann.sessionID])
        }
    }

    @Test("I4 attack: Trojan Identifier: Eve cannot prepare an account before its email is proved, and none of her data remains")
    func trojanIdentifier() async throws {
        try await withSite { fixture in
            let trap = try await fixture.beginSignUp("ann@example.com", password: "eve's own password")
            // A pending sign-up is not a session, so Eve can link nothing to it.
            for token in [trap.attempt, trap.code] {
                let answer = try await fixture.client.post("/v1/account/identities", .bySite("eve"), as: token)
                #expect(answer.status == 401)
            }
            // Eve's own account uses her site. It has a pending change to Ann's email.
            let eve = try AccountsClient.Person(try await fixture.client.post("/v1/accounts/sign-up", .bySite("eve")))
            let change = try await fixture.beginEmailChange("ann@example.com", as: eve.access)
            let early = try await fixture.client.send(
                "POST", "/v1/account/password", ["password": .string("eve's own password")], as: eve.access)
            #expect(early.status == 404, "\(early.text)")
            // Eve cannot link a password for an email that she has not proved.
            let foreign = try await fixture.client.post(
                "/v1/account/identities", .signingIn("ann@example.com", "eve's own password"), as: eve.access)
            #expect([400, 404].contains(foreign.status), "\(foreign.text)")

            let ann = try await fixture.client.signUp("ann@example.com")
            #expect(try await fixture.signInMethods(ann.access) == ["password"])
            // Ann's proof of the address ended all pending attempts for it.
            #expect(try await fixture.confirmEmail(change.attempt, change.code, as: eve.access).status == 400)
            #expect(try await fixture.verify(trap.attempt, trap.code).status == 400)
            let entered = try AccountsClient.Person(try await fixture.client.post("/v1/accounts/sign-in", .bySite("eve")))
            #expect(entered.principal == eve.principal && eve.principal != ann.principal)
            #expect(try await fixture.client.send("GET", "/v1/account", as: entered.access).json["email"] == .null)
        }
    }

    @Test("I4 attack: Unexpired Email Change: Eve's pending change ends when Ann resets or changes the password in any session")
    func unexpiredEmailChange() async throws {
        try await withSite { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            // Eve holds a copy of Ann's token, so the session itself outlives the password change.
            let trap = try await fixture.beginEmailChange("eve@example.com", as: ann.access)
            let password = try await fixture.client.send(
                "PUT", "/v1/account/password", ["password": .string("another long one")], as: ann.access)
            #expect(password.status == 200, "\(password.text)")
            let confirmed = try await fixture.confirmEmail(trap.attempt, trap.code, as: ann.access)
            #expect(confirmed.status == 400, "\(confirmed.text)")
            // In a separate session of Eve's.
            let second = try await fixture.client.signIn("ann@example.com", password: "another long one")
            let other = try await fixture.beginEmailChange("eve@example.com", as: second.access)
            let reset = try await fixture.beginReset("ann@example.com")
            let owner = try AccountsClient.Person(
                try await fixture.confirmReset(reset.attempt, reset.code, password: "a third password"))
            #expect(try await fixture.confirmEmail(other.attempt, other.code, as: second.access).status == 401)
            #expect(try await fixture.confirmEmail(other.attempt, other.code, as: owner.access).status == 400)
            let account = try await fixture.client.send("GET", "/v1/account", as: owner.access).json
            #expect(account.text("email") == "ann@example.com")
        }
    }

    @Test("I4 attack: Eve's pending reset for the old address ends when Ann changes her email or links another sign-in method")
    func unexpiredReset() async throws {
        try await withSite { fixture in
            let ann = try await fixture.client.signUp("old@example.com")
            let first = try await fixture.beginReset("old@example.com")
            #expect(try await fixture.client.post("/v1/account/identities", .bySite("ann"), as: ann.access).status == 200)
            #expect(try await fixture.confirmReset(first.attempt, first.code).status == 400)
            let second = try await fixture.beginReset("old@example.com")
            let change = try await fixture.beginEmailChange("new@example.com", as: ann.access)
            #expect(try await fixture.confirmEmail(change.attempt, change.code, as: ann.access).status == 200)
            #expect(try await fixture.confirmReset(second.attempt, second.code).status == 400)
            #expect(try await fixture.client.signInAnswer("old@example.com").status == 401)
        }
    }

    @Test("I4 attack: Non-Verifying IdP: an email that a site has not verified gives no access and reveals nothing")
    func nonVerifyingIdP() async throws {
        try await withSite { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let byKnown = try await fixture.client.post(
                "/v1/accounts/sign-up", .bySite("eve", email: "ann@example.com", isVerified: false))
            let byUnknown = try await fixture.client.post(
                "/v1/accounts/sign-up", .bySite("eve2", email: "nobody@example.com", isVerified: false))
            for answer in [byKnown, byUnknown] {
                #expect(answer.status == 201, "\(answer.text)")
                #expect(try answer.json["account"]?["email"] == .null)
            }
            let eve = try AccountsClient.Person(byKnown)
            #expect(eve.principal != ann.principal)
            // The email is not stored for later: the account that Ann makes afterwards has no data of Eve's.
            let squatter = try AccountsClient.Person(
                try await fixture.client.post(
                    "/v1/accounts/sign-up", .bySite("eve3", email: "bob@example.com", isVerified: false)))
            let bob = try await fixture.client.signUp("bob@example.com")
            #expect(bob.principal != squatter.principal)
            #expect(try await fixture.signInMethods(bob.access) == ["password"])
            let reset = try await fixture.beginReset("bob@example.com")
            let again = try AccountsClient.Person(try await fixture.confirmReset(reset.attempt, reset.code))
            #expect(again.principal == bob.principal)
            #expect(try await fixture.status(of: squatter.access) == 200)
        }
    }
}
