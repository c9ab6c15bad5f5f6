import Events
import TestSupport
import Testing

@testable import Identity

/// The five ways of getting into an account before its person does (Sudhodanan and Paverd, USENIX Security 2022).
@Suite("Pre-hijacking")
struct PreHijackingTests {
    private let victim = "ann@example.org"

    @Test("I4 Classic-federated merge: a password that a stranger chose for an address never opens the account made by a provider")
    func classicFederatedMerge() throws {
        try AccountsFixture.with { fixture in
            let attempt = try fixture.begin(victim, "a stranger's own")
            let ann = try fixture.badgeMember("ann", email: victim)
            #expect(ann.isNew)
            #expect(ann.account.identities.map(\.provider) == [AccountsFixture.badge])
            #expect(problem { try fixture.signIn(victim, "a stranger's own") } == .wrongCredentials)
            // Even with the code, which only the person can read, nothing comes of it.
            let told = problem {
                try fixture.accounts.verify(attempt: attempt, code: fixture.code(victim), device: nil, from: "")
            }
            #expect(told == .wrongCode)
            #expect(problem { try fixture.signIn(victim, "a stranger's own") } == .wrongCredentials)
        }
    }

    @Test("I4 Unexpired session: a reset ends every session that somebody else holds")
    func unexpiredSession() throws {
        try AccountsFixture.with { fixture in
            let attacker = try fixture.member(victim, "a stranger's own")
            _ = try fixture.accounts.refresh(attacker.tokens.refresh, nonce: "1")
            let (attempt, _) = try fixture.accounts.requestReset(email: victim, from: "")
            _ = try fixture.accounts.confirmReset(
                attempt: attempt, code: fixture.code(victim), password: AccountsFixture.password, device: nil, from: "")
            #expect(!fixture.isSignedIn(attacker))
            #expect(problem { try fixture.accounts.refresh(attacker.tokens.refresh, nonce: "1") } == .sessionEnded)
        }
    }

    @Test("I4 Trojan identifier: nobody can prepare an account for an address with an identity of their own")
    func trojanIdentifier() throws {
        try AccountsFixture.with { fixture in
            let attacker = try fixture.badgeMember("mallory", email: victim, isVouched: false)
            let (attempt, _) = try fixture.accounts.requestEmailChange(attacker.tokens.access, victim, from: "")
            let code = try fixture.code(victim)
            let link = problem {
                try fixture.accounts.link(
                    attacker.tokens.access, .password, AccountsFixture.evidence(victim, "a stranger's own"), from: "")
            }
            #expect(link == .notThere(AccountRules.noEmail))
            let ann = try fixture.member(victim)
            #expect(ann.isNew && ann.account.id != attacker.account.id)
            #expect(ann.account.identities.map(\.provider) == [.password])
            // The change that was prepared is gone with the address being shown, even for whoever has its code.
            #expect(
                problem {
                    try fixture.accounts.confirmEmailChange(attacker.tokens.access, attempt: attempt, code: code, from: "")
                } == .wrongCode)
            #expect(try fixture.badgeMember("mallory").account.id == attacker.account.id)
        }
    }

    @Test("I4 Unexpired email change: a change that somebody began before a reset does nothing behind it")
    func unexpiredEmailChange() throws {
        try AccountsFixture.with { fixture in
            let attacker = try fixture.member(victim, "a stranger's own")
            let (attempt, _) = try fixture.accounts.requestEmailChange(
                attacker.tokens.access, "mallory@example.org", from: "")
            let code = try fixture.code("mallory@example.org")
            let (reset, _) = try fixture.accounts.requestReset(email: victim, from: "")
            let ann = try fixture.accounts.confirmReset(
                attempt: reset, code: fixture.code(victim), password: AccountsFixture.password, device: nil, from: "")
            for access in [attacker.tokens.access, ann.tokens.access] {
                guard
                    let told = problem({
                        try fixture.accounts.confirmEmailChange(access, attempt: attempt, code: code, from: "")
                    })
                else {
                    Issue.record("the email was changed")
                    return
                }
                #expect([.sessionEnded, .wrongCode].contains(told))
            }
            #expect(try fixture.account(victim)?.id == ann.account.id)
        }
    }

    @Test("I4 Non-verifying provider: an email that nobody vouches for neither opens an account nor keeps one from its person")
    func nonVerifyingProvider() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member(victim)
            let mallory = try fixture.badgeMember("mallory", email: victim, isVouched: false)
            #expect(mallory.isNew && mallory.account.id != ann.account.id)
            #expect(mallory.account.email == nil)
            #expect(try fixture.account(victim) == ann.account)
            // Nor does it learn that there is one.
            let signIn = problem {
                try fixture.accounts.signIn(
                    AccountsFixture.badge, AccountsFixture.badge("eve", email: victim, isVouched: false), device: nil,
                    link: nil, from: "")
            }
            #expect(signIn == .noAccount)
        }
    }
}
