import Events
import Permissions
import TestSupport
import Testing

@testable import Identity

@Suite("Linking")
struct LinkingTests {
    /// Returns the content of an `accountExists` problem.
    private func collision<R>(_ body: () throws -> R) -> (providers: [ProviderID], link: String?)? {
        if case .accountExists(let providers, let link)? = problem(body) { (providers, link) } else { nil }
    }

    @Test("I4 A collision names the account's sign-in methods, and changes nothing until a sign-in with one of them")
    func collision() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            let told = collision { try fixture.badged("ann", email: "ann@example.org") }
            #expect(told?.providers == [.password])
            let link = try #require(told?.link)
            #expect(fixture.isSignedIn(ann))
            #expect(try fixture.account("ann@example.org") == ann.account)

            #expect(problem { try fixture.signIn("ann@example.org", "not the password", link: link) } == .wrongCredentials)
            let linked = try fixture.signIn("ann@example.org", link: link)
            #expect(linked.account.identities.map(\.provider) == [.password, AccountsFixture.badge])
            #expect(!fixture.isSignedIn(ann))
            #expect(try fixture.badgeMember("ann").account == linked.account)
            #expect(problem { try fixture.signIn("ann@example.org", link: link) } == .wrongCode)
            #expect(try fixture.lastMail("ann@example.org")?.subject == "Your account was changed")
        }
    }

    @Test("I4 A link is valid only for the account it was made for, and for ten minutes")
    func linkOfAnother() throws {
        try AccountsFixture.with { fixture in
            try fixture.member("ann@example.org")
            let bob = try fixture.member("bob@example.org")
            let link = try #require(collision { try fixture.badged("ann", email: "ann@example.org") }?.link)
            #expect(problem { try fixture.signIn("bob@example.org", link: link) } == .wrongCode)
            #expect(problem { try fixture.accounts.link(bob.tokens.access, link) } == .wrongCode)
            #expect(try fixture.account("bob@example.org")?.identities.count == 1)
            fixture.clock.advance(seconds: 600)
            #expect(problem { try fixture.signIn("ann@example.org", link: link) } == .wrongCode)
        }
    }

    @Test("I4 A password for the email of an account without a password is linked only after a sign-in")
    func passwordBehindProvider() throws {
        try AccountsFixture.with { fixture in
            try fixture.badgeMember("ann", email: "ann@example.org")
            let attempt = try fixture.begin("ann@example.org")
            let told = collision {
                try fixture.accounts.verify(attempt: attempt, code: fixture.code("ann@example.org"), device: nil, from: "")
            }
            #expect(told?.providers == [AccountsFixture.badge])
            let link = try #require(told?.link)
            #expect(problem { try fixture.signIn("ann@example.org") } == .wrongCredentials)
            _ = try fixture.accounts.signIn(
                AccountsFixture.badge, AccountsFixture.badge("ann"), device: nil, link: link, from: "")
            #expect(try fixture.signIn("ann@example.org").account.identities.count == 2)
        }
    }

    @Test("I4 Linking with a sign-in at another site requires that sign-in to be recent")
    func staleSignIn() throws {
        try AccountsFixture.with { fixture in
            try fixture.badgeMember("ann", email: "ann@example.org")
            let attempt = try fixture.begin("ann@example.org")
            let told = collision {
                try fixture.accounts.verify(attempt: attempt, code: fixture.code("ann@example.org"), device: nil, from: "")
            }
            let link = try #require(told?.link)
            let signIn = { (secondsAgo: Int64) in
                try fixture.accounts.signIn(
                    AccountsFixture.badge, AccountsFixture.badge("ann", secondsAgo: secondsAgo), device: nil, link: link, from: "")
            }
            #expect(problem { try signIn(301) } == .recentSignInRequired(maxAgeSeconds: 300))
            #expect(try signIn(10).account.identities.count == 2)
        }
    }

    @Test("I5 An identity belongs to one account, and an account has one identity per provider")
    func linkedElsewhere() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            try fixture.badgeMember("bob")
            let link = { (who: String) in
                try fixture.accounts.link(ann.tokens.access, AccountsFixture.badge, AccountsFixture.badge(who), from: "")
            }
            #expect(problem { try link("bob") } == .linkedElsewhere)
            #expect(try link("ann").identities.count == 2)
            #expect(problem { try link("ann2") } == .alreadyLinked)
            #expect(problem { try fixture.accounts.setPassword(ann.tokens.access, "a good password") } == .alreadyLinked)
        }
    }

    @Test("I5 The last sign-in method cannot be removed, nor the last one that the service still supports")
    func lastSignInMethod() throws {
        try withTemporaryFolder { folder in
            try AccountsFixture.with(folder: folder) { fixture in
                let ann = try fixture.member("ann@example.org")
                #expect(problem { try fixture.accounts.unlink(ann.tokens.access, .password) } == .lastSignInMethod)
                _ = try fixture.accounts.link(ann.tokens.access, AccountsFixture.badge, AccountsFixture.badge("ann"), from: "")
                let unlinked = try fixture.accounts.unlink(ann.tokens.access, .password)
                #expect(unlinked.identities.map(\.provider) == [AccountsFixture.badge])
                #expect(unlinked.email == ann.account.email)
                #expect(problem { try fixture.accounts.unlink(ann.tokens.access, AccountsFixture.badge) } == .lastSignInMethod)
                #expect(problem { try fixture.signIn("ann@example.org") } == .wrongCredentials)
                _ = try fixture.accounts.setPassword(ann.tokens.access, AccountsFixture.password)
            }
            let without = try Accounts(
                folder: folder, providers: [], mailer: KeptMails(), directory: KeptUsers(), settings: AccountsFixture.settings,
                clock: { .newYear }, report: { _ in })
            defer { without.close() }
            let ann = try without.signIn(
                .password, AccountsFixture.evidence("ann@example.org"), device: nil, link: nil, from: "")
            #expect(ann.account.identities.count == 2)
            #expect(problem { try without.unlink(ann.tokens.access, .password) } == .lastSignInMethod)
        }
    }

    @Test("I5 Linking and unlinking end all other sessions and all pending changes of the account")
    func othersEnd() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            for change in 0..<2 {
                let other = try fixture.signIn("ann@example.org")
                let (reset, _) = try fixture.accounts.requestReset(email: "ann@example.org", from: "")
                let resetCode = try fixture.code("ann@example.org")
                let (attempt, _) = try fixture.accounts.requestEmailChange(ann.tokens.access, "new@example.org", from: "")
                let code = try fixture.code("new@example.org")
                if change == 0 {
                    _ = try fixture.accounts.link(
                        ann.tokens.access, AccountsFixture.badge, AccountsFixture.badge("ann"), from: "")
                } else {
                    _ = try fixture.accounts.unlink(ann.tokens.access, AccountsFixture.badge)
                }
                #expect(!fixture.isSignedIn(other))
                #expect(fixture.isSignedIn(ann))
                #expect(
                    problem {
                        try fixture.accounts.confirmReset(
                            attempt: reset, code: resetCode, password: "a stranger's own", device: nil, from: "")
                    } == .wrongCode)
                #expect(
                    problem {
                        try fixture.accounts.confirmEmailChange(ann.tokens.access, attempt: attempt, code: code, from: "")
                    } == .wrongCode)
            }
        }
    }

    @Test("I4 An account without an email adopts an email only if the provider verified it")
    func adoption() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.numberMember("ann")
            let eve = try fixture.numberMember("eve")
            let link = { (who: SignedIn, isVouched: Bool) in
                let evidence = AccountsFixture.badge(who.account.principal.text, email: "ann@example.org", isVouched: isVouched)
                return try fixture.accounts.link(who.tokens.access, AccountsFixture.badge, evidence, from: "").email
            }
            #expect(try link(eve, false) == nil)
            #expect(try fixture.account("ann@example.org") == nil)
            #expect(try link(ann, true)?.text == "ann@example.org")
            #expect(try fixture.account("ann@example.org")?.id == ann.account.id)
        }
    }

    @Test("I4 A password is linked only with the account's own email")
    func passwordOfOtherEmail() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.badgeMember("ann", email: "ann@example.org")
            let link = { (email: String) in
                try fixture.accounts.link(ann.tokens.access, .password, AccountsFixture.evidence(email), from: "")
            }
            guard case .malformed? = problem({ try link("bob@example.org") }) else {
                Issue.record("a password was linked with an address that nobody has shown")
                return
            }
            #expect(try link("ann@example.org").identities.count == 2)
            let nobody = try fixture.badgeMember("bob")
            #expect(
                problem { try fixture.accounts.setPassword(nobody.tokens.access, "a good password") }
                    == .notThere(AccountRules.noEmail))
        }
    }
}
