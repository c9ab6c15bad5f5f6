import Events
import TestSupport
import Testing

@testable import Identity

@Suite("Sessions use the current time of the clock, even after it was wrong")
struct ClockTests {
    private static let password: JSONObject = ["password": .string(AccountsFixture.password)]

    @Test("I6 I7 A clock that was far ahead and is corrected affects no session")
    func ahead() throws {
        try withTemporaryFolder { folder in
            try AccountsFixture.with(folder: folder) { fixture in
                let (accounts, clock, settings) = (fixture.accounts, fixture.clock, AccountsFixture.settings)
                let ann = try fixture.member("ann@example.org")
                let bob = try fixture.member("bob@example.org")
                let start = clock.now
                clock.advance(seconds: 40 * 86_400)
                // A change of any account: later records never have a time before this day.
                try accounts.deleteAccount(principal: bob.account.principal)
                clock.now = start.later(seconds: 10)
                let now = clock.now

                _ = try accounts.updateProfile(ann.tokens.access) { $0.displayName = "Ann" }
                let second = try fixture.signIn("ann@example.org")
                #expect(fixture.isSignedIn(ann) && fixture.isSignedIn(second))
                #expect(second.session.createdAt == now && second.session.authenticatedAt == now)
                #expect(second.session.accessEnds == now.later(seconds: settings.accessSeconds))
                #expect(second.session.idleEnds == now.later(seconds: settings.idleSeconds))
                let again = try accounts.reauthenticate(second.tokens.access, .password, Self.password, from: "")
                #expect(again.session.accessEnds == now.later(seconds: settings.accessSeconds))
                #expect(again.session.authenticatedAt == now && again.session.refreshedAt <= again.session.accessEnds)
                _ = try accounts.link(again.tokens.access, AccountsFixture.badge, AccountsFixture.badge("ann"), from: "")
                _ = try accounts.changePassword(again.tokens.access, "another good one")
                #expect(fixture.isSignedIn(again))
                clock.advance(seconds: settings.accessSeconds)
                #expect(!fixture.isSignedIn(again))
                #expect(try accounts.refresh(again.tokens.refresh, nonce: "n").account.id == ann.account.id)
                _ = try accounts.verify()
            }
            // The times of records never go back, and the log opens again.
            try AccountsFixture.with(folder: folder) { fixture in
                let ann = try fixture.account("ann@example.org")
                #expect(ann?.profile.displayName == "Ann")
            }
        }
    }

    @Test("I7 After the clock was set back, a reauthentication allows a sensitive change")
    func setBack() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.badgeMember("ann", email: "ann@example.org")
            fixture.clock.advance(seconds: -3_600)
            let now = fixture.clock.now
            let change = { (access: String) in try fixture.accounts.setPassword(access, "a good password") }
            #expect(problem { try change(ann.tokens.access) } == .recentSignInRequired(maxAgeSeconds: 300))
            // An old sign-in at another site does not count as recent.
            let evidence = AccountsFixture.badge("ann", secondsAgo: 1_000)
            let old = try fixture.accounts.reauthenticate(ann.tokens.access, AccountsFixture.badge, evidence, from: "")
            #expect(problem { try change(old.tokens.access) } == .recentSignInRequired(maxAgeSeconds: 300))
            let renewed = try fixture.accounts.reauthenticate(
                old.tokens.access, AccountsFixture.badge, AccountsFixture.badge("ann"), from: "")
            #expect(renewed.session.authenticatedAt == now)
            _ = try change(renewed.tokens.access)
        }
    }
}
