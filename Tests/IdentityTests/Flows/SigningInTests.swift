import Events
import Permissions
import Secrets
import TestSupport
import Testing

@testable import Identity

@Suite("Signing in")
struct SigningInTests {
    @Test("I3 An unknown email and a wrong password give the same response and cost the same work")
    func sameAnswer() throws {
        try AccountsFixture.with { fixture in
            try fixture.member("ann@example.org")
            let accounts = fixture.accounts
            var work: [Int] = []
            for email in ["ann@example.org", "bob@example.org"] {
                let before = accounts.passwordHashCount
                #expect(problem { try fixture.signIn(email, "not the password") } == .wrongCredentials)
                work.append(accounts.passwordHashCount - before)
            }
            #expect(work == [1, 1])
        }
    }

    @Test("I3 A sign-up costs the same work for an email with an account and without one")
    func sameSignUp() throws {
        try AccountsFixture.with { fixture in
            try fixture.member("ann@example.org")
            let accounts = fixture.accounts
            let work = try ["ann@example.org", "bob@example.org"].map { email in
                let before = accounts.passwordHashCount
                _ = try fixture.begin(email)
                return accounts.passwordHashCount - before
            }
            #expect(work == [1, 1])
        }
    }

    @Test("I3 An unknown email costs a hash with the settings of new passwords")
    func sameWork() throws {
        let settings = PasswordHash.Settings(memoryKiB: 64, passes: 3)
        let provider = try PasswordProvider(settings, on: BackgroundThreads(count: 1, backlogLimit: 1))
        #expect(!PasswordHash.needsRehash(provider.nobody, settings))
        #expect(provider.nobody.contains("m=64,t=3,p=1"))
    }

    @Test("I3 A sign-in creates no account, and reports a missing account only after a provider's proof")
    func noAccount() throws {
        try AccountsFixture.with { fixture in
            let signIn = { (evidence: JSONObject) in
                try fixture.accounts.signIn(AccountsFixture.badge, evidence, device: nil, link: nil, from: "")
            }
            #expect(problem { try signIn(AccountsFixture.badge("ann", email: "ann@example.org")) } == .noAccount)
            #expect(problem { try signIn(AccountsFixture.badge("forged", email: "ann@example.org")) } == .wrongCredentials)
            #expect(fixture.accounts.list(after: nil, limit: 10).isEmpty)
        }
    }

    @Test("I3 By default, a new password is stored as Argon2id with 19 MiB and two passes")
    func standardHash() throws {
        try AccountsFixture.with(settings: AccountSettings()) { fixture in
            let ann = try fixture.member("ann@example.org")
            let kept = try #require(ann.account.identity(.password)?.secret)
            #expect(kept.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"), "\(kept)")
        }
    }

    @Test(
        "I3 After the settings are raised, a password is rehashed at the next sign-in or reauthentication, and only then",
        arguments: [true, false])
    func rehash(signsIn: Bool) throws {
        try withTemporaryFolder { folder in
            let secret = { (fixture: AccountsFixture) in try fixture.account("ann@example.org")?.identity(.password)?.secret }
            var (before, access): (String?, String) = (nil, "")
            let show = { (fixture: AccountsFixture, password: String) in
                if signsIn { return try fixture.signIn("ann@example.org", password) }
                let again = try fixture.accounts.reauthenticate(
                    access, .password, ["password": .string(password)], from: AccountsFixture.home)
                access = again.tokens.access
                return again
            }
            try AccountsFixture.with(folder: folder) { fixture in
                let ann = try fixture.member("ann@example.org")
                access = ann.tokens.access
                before = try secret(fixture)
                _ = try show(fixture, AccountsFixture.password)
                #expect(try secret(fixture) == before)
                #expect(fixture.isSignedIn(ann) == signsIn)
            }
            var settings = AccountsFixture.settings
            settings.passwordHash = PasswordHash.Settings(memoryKiB: 32, passes: 2)
            try AccountsFixture.with(folder: folder, settings: settings) { fixture in
                #expect(problem { try show(fixture, "not the password") } == .wrongCredentials)
                #expect(try secret(fixture) == before)
                _ = try show(fixture, AccountsFixture.password)
                #expect(try #require(try secret(fixture)).contains("m=32,t=2,p=1"))
                _ = try show(fixture, AccountsFixture.password)
            }
        }
    }

    @Test("I7 A sensitive change needs a sign-in within five minutes, and a reauthentication counts as one")
    func reauthentication() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            fixture.clock.advance(seconds: 300)
            _ = try fixture.accounts.changePassword(ann.tokens.access, "another good one")
            fixture.clock.advance(seconds: 1)
            let change = { (access: String) in try fixture.accounts.changePassword(access, "a third good one") }
            #expect(problem { try change(ann.tokens.access) } == .recentSignInRequired(maxAgeSeconds: 300))

            let again = { (evidence: JSONObject) in
                try fixture.accounts.reauthenticate(ann.tokens.access, .password, evidence, from: "")
            }
            #expect(problem { try again(["password": .string("not the password")]) } == .wrongCredentials)
            #expect(problem { try again(AccountsFixture.evidence("bob@example.org", "another good one")) } == .wrongCredentials)
            let renewed = try again(["password": .string("another good one")])
            #expect(renewed.session.id == ann.session.id)
            #expect(fixture.accounts.session(access: ann.tokens.access) == nil)
            _ = try change(renewed.tokens.access)
        }
    }

    @Test("I7 A reauthentication fails if its secret is changed at the same time")
    func changedMeanwhile() throws {
        try AccountsFixture.with { fixture in
            let accounts = fixture.accounts
            let ann = try fixture.numberMember("ann")
            let again = {
                try accounts.reauthenticate(
                    ann.tokens.access, AccountsFixture.number, AccountsFixture.number("ann"), from: AccountsFixture.home)
            }
            let (account, key) = (ann.account.id, IdentityKey(Array("ann".utf8)))
            fixture.numbers.during {
                try? accounts.book.change(at: .newYear) {
                    $0.record(.secretChanged(account, AccountsFixture.number, key: key, secret: "2"))
                }
            }
            #expect(problem(again) == .wrongCredentials)
            #expect(accounts.account(principal: ann.account.principal)?.identity(AccountsFixture.number)?.secret == "2")
            #expect(fixture.isSignedIn(ann))
        }
    }

    @Test("I7 Every sensitive change requires a recent sign-in, and no other request does")
    func sensitive() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.badgeMember("ann", email: "ann@example.org")
            let (access, accounts) = (ann.tokens.access, fixture.accounts)
            fixture.clock.advance(seconds: 301)
            let sensitive: [() throws -> Void] = [
                { _ = try accounts.link(access, .password, AccountsFixture.evidence("ann@example.org"), from: "") },
                { _ = try accounts.link(access, "munl_any") },
                { _ = try accounts.unlink(access, AccountsFixture.badge) },
                { _ = try accounts.setPassword(access, "a good password") },
                { _ = try accounts.changePassword(access, "a good password") },
                { _ = try accounts.requestEmailChange(access, "new@example.org", from: "") },
                { _ = try accounts.confirmEmailChange(access, attempt: "munp_any", code: "AAAA-AAAA", from: "") },
                { try accounts.deleteAccount(access) },
            ]
            for body in sensitive { #expect(problem(body) == .recentSignInRequired(maxAgeSeconds: 300)) }
            #expect(accounts.account(principal: ann.account.principal) == ann.account)

            _ = try accounts.updateProfile(access) { $0.displayName = "Ann" }
            #expect(try accounts.account(access).profile == Profile(displayName: "Ann"))
            #expect(try accounts.sessions(access).count == 1)
            try accounts.endOtherSessions(access)
            try accounts.signOut(access)
        }
    }

    @Test("I7 The identity of another user, or an old sign-in at another site, does not count as a reauthentication")
    func otherIdentity() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.badgeMember("ann")
            _ = try fixture.badgeMember("bob")
            fixture.clock.advance(seconds: 301)
            let again = { (evidence: JSONObject) in
                try fixture.accounts.reauthenticate(ann.tokens.access, AccountsFixture.badge, evidence, from: "")
            }
            #expect(problem { try again(AccountsFixture.badge("bob")) } == .wrongCredentials)
            let renewed = try again(AccountsFixture.badge("ann", secondsAgo: 1_000))
            #expect(renewed.session.authenticatedAt == ann.session.authenticatedAt)
            #expect(
                problem { try fixture.accounts.unlink(renewed.tokens.access, AccountsFixture.badge) }
                    == .recentSignInRequired(maxAgeSeconds: 300))
        }
    }

    @Test("I3 A user can end sessions by sign-out, from another device or all at once, but not those of another user")
    func sessions() throws {
        try AccountsFixture.with { fixture in
            let accounts = fixture.accounts
            let phone = try fixture.member("ann@example.org", device: "phone")
            let desk = try fixture.signIn("ann@example.org", device: "desk")
            let bob = try fixture.member("bob@example.org")
            #expect(try accounts.sessions(phone.tokens.access).map(\.device) == ["phone", "desk"])
            #expect(
                problem { try accounts.endSession(bob.tokens.access, phone.session.id) }
                    == .notThere("the account does not have this session: it may have ended"))
            try accounts.endSession(desk.tokens.access, phone.session.id)
            #expect(!fixture.isSignedIn(phone))
            let third = try fixture.signIn("ann@example.org")
            try accounts.endOtherSessions(third.tokens.access)
            #expect(!fixture.isSignedIn(desk))
            try accounts.signOut(third.tokens.access)
            #expect(problem { try accounts.account(third.tokens.access) } == .sessionEnded)
            #expect(problem { try accounts.refresh(third.tokens.refresh, nonce: "n") } == .sessionEnded)
            #expect(fixture.isSignedIn(bob))
        }
    }

    @Test("I3 Abandoned sessions are removed after they expire")
    func sweep() throws {
        try AccountsFixture.with { fixture in
            let count = { fixture.accounts.book.read { $0.sessionCount } }
            try fixture.member("ann@example.org")
            try fixture.signIn("ann@example.org")
            #expect(count() == 2)
            fixture.clock.advance(seconds: AccountsFixture.settings.idleSeconds)
            #expect(problem { try fixture.signIn("bob@example.org") } == .wrongCredentials)
            #expect(count() == 0)
        }
    }

    @Test("I2 Providers are listed by priority, and an unknown or unavailable provider gives an error")
    func providers() throws {
        try AccountsFixture.with { fixture in
            #expect(fixture.accounts.providers.map(\.id.text) == ["password", "badge", "number"])
            let begin = { (provider: String, request: JSONObject) in
                try fixture.accounts.begin(AccountDatabaseFixture.provider(provider), request, from: "")
            }
            let answer = try begin("badge", [:])
            #expect(answer["go"] == .string("to the badge office"))
            #expect(problem { try begin("nobody", [:]) } == .unknownProvider("nobody"))
            #expect(
                problem { try begin("password", [:]) }
                    == .malformed("`password` needs no first step: sign up or sign in directly"))
            guard case .unavailable? = problem({ try begin("badge", ["down": .bool(true)]) }) else {
                Issue.record("a provider that is down is available")
                return
            }
            #expect(fixture.reports.lines == ["the provider `badge` failed: the office is closed"])
        }
    }
}
