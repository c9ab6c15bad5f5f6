import Events
import TestSupport
import Testing

@testable import Identity

/// The five attacks that prepare an account before its owner creates it (Sudhodanan and Paverd, USENIX Security 2022).
@Suite("Pre-hijacking")
struct PreHijackingTests {
    private let victim = "ann@example.org"

    @Test("I4 Classic-federated merge: an attacker's password for an email never opens the account made by a provider")
    func classicFederatedMerge() throws {
        try AccountsFixture.with { fixture in
            let attempt = try fixture.begin(victim, "a stranger's own")
            let ann = try fixture.badgeMember("ann", email: victim)
            #expect(ann.isNew)
            #expect(ann.account.identities.map(\.provider) == [AccountsFixture.badge])
            #expect(problem { try fixture.signIn(victim, "a stranger's own") } == .wrongCredentials)
            // The code does not help either. Only the owner can read it.
            let told = problem {
                try fixture.accounts.verify(attempt: attempt, code: fixture.code(victim), device: nil, from: "")
            }
            #expect(told == .wrongCode)
            #expect(problem { try fixture.signIn(victim, "a stranger's own") } == .wrongCredentials)
        }
    }

    @Test("I4 Unexpired session: a reset ends every session of an attacker")
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

    @Test("I4 Trojan identifier: an attacker cannot prepare an account for the email of another user")
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
            // The owner confirmed the email, so the prepared change is invalid even for a caller with its code.
            #expect(
                problem {
                    try fixture.accounts.confirmEmailChange(attacker.tokens.access, attempt: attempt, code: code, from: "")
                } == .wrongCode)
            #expect(try fixture.badgeMember("mallory").account.id == attacker.account.id)
        }
    }

    @Test("I4 Unexpired email change: a change that an attacker began before a reset has no effect after it")
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

    @Test("I4 Non-verifying provider: an unverified email neither opens an account nor blocks its owner")
    func nonVerifyingProvider() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member(victim)
            let mallory = try fixture.badgeMember("mallory", email: victim, isVouched: false)
            #expect(mallory.isNew && mallory.account.id != ann.account.id)
            #expect(mallory.account.email == nil)
            #expect(try fixture.account(victim) == ann.account)
            // The attacker does not learn that the account exists.
            let signIn = problem {
                try fixture.accounts.signIn(
                    AccountsFixture.badge, AccountsFixture.badge("eve", email: victim, isVouched: false), device: nil,
                    link: nil, from: "")
            }
            #expect(signIn == .noAccount)
        }
    }
}
