import Events
import Permissions
import Synchronization
import TestSupport
import Testing
import Work

@testable import Identity

@Suite("Concurrent requests")
struct ConcurrencyTests {
    /// Runs the body on many threads that start together.
    private func together(_ count: Int, _ body: @escaping @Sendable (Int) -> AccountError?) throws -> [AccountError?] {
        let (problems, start) = (Problems(), Gate())
        let threads = (0..<count).map { number in
            TestThread {
                start.wait()
                problems.add(body(number))
            }
        }
        for _ in threads { start.open() }
        for thread in threads { try thread.join() }
        return problems.all
    }

    @Test("I4 Of many concurrent confirmations of one email, one gets the account and the others are refused")
    func sameEmail() throws {
        try AccountsFixture.with { fixture in
            let attempts = try (0..<12).map { number in
                let attempt = try fixture.begin("ann@example.org", "password of \(number)")
                return (attempt, try fixture.code("ann@example.org"))
            }
            let accounts = fixture.accounts
            let told = try together(attempts.count) { number in
                problem { try accounts.verify(attempt: attempts[number].0, code: attempts[number].1, device: nil, from: "") }
            }
            #expect(told.count { $0 == nil } == 1)
            #expect(told.allSatisfy { $0 == nil || $0 == .wrongCode || $0 == .accountExists(providers: [.password], link: nil) })
            #expect(accounts.list(after: nil, limit: 100).count == 1)
        }
    }

    @Test("I3 Of many concurrent requests with one code, one is signed in")
    func sameCode() throws {
        try AccountsFixture.with { fixture in
            let attempt = try fixture.begin("ann@example.org")
            let code = try fixture.code("ann@example.org")
            let accounts = fixture.accounts
            let told = try together(12) { _ in
                problem { try accounts.verify(attempt: attempt, code: code, device: nil, from: "") }
            }
            #expect(told.count { $0 == nil } == 1)
            #expect(told.allSatisfy { $0 == nil || $0 == .wrongCode })
        }
    }

    @Test("I5 Of many accounts that link one identity concurrently, one gets it")
    func sameIdentity() throws {
        try AccountsFixture.with { fixture in
            let members = try (0..<8).map { try fixture.member("member\($0)@example.org") }
            let accounts = fixture.accounts
            let told = try together(members.count) { number in
                problem {
                    try accounts.link(
                        members[number].tokens.access, AccountsFixture.badge, AccountsFixture.badge("one"), from: "")
                }
            }
            #expect(told.count { $0 == nil } == 1)
            #expect(told.allSatisfy { $0 == nil || $0 == .linkedElsewhere })
        }
    }

    @Test("I5 If two sign-in methods are removed concurrently, one stays")
    func lastSignInMethod() throws {
        try AccountsFixture.with { fixture in
            let accounts = fixture.accounts
            for round in 0..<10 {
                let ann = try fixture.badgeMember("badge \(round)", email: "ann\(round)@example.org")
                _ = try accounts.setPassword(ann.tokens.access, AccountsFixture.password)
                let told = try together(2) { number in
                    problem { try accounts.unlink(ann.tokens.access, number == 0 ? .password : AccountsFixture.badge) }
                }
                #expect(told.count { $0 == nil } == 1 && told.contains(.lastSignInMethod))
                #expect(accounts.account(principal: ann.account.principal)?.identities.count == 1)
            }
        }
    }

    @Test("I8 A sign-in during a deletion leaves no session")
    func deletion() throws {
        try AccountsFixture.with { fixture in
            let accounts = fixture.accounts
            for round in 0..<10 {
                let ann = try fixture.member("ann\(round)@example.org")
                let sessions = Sessions()
                _ = try together(8) { number in
                    if number == 0 { return problem { try accounts.deleteAccount(ann.tokens.access) } }
                    return problem {
                        sessions.add(
                            try accounts.signIn(
                                .password, AccountsFixture.evidence("ann\(round)@example.org"), device: nil, link: nil,
                                from: "\(number)"))
                    }
                }
                #expect(accounts.account(principal: ann.account.principal) == nil)
                for signedIn in sessions.all {
                    #expect(accounts.session(access: signedIn.tokens.access) == nil)
                    #expect(problem { try accounts.refresh(signedIn.tokens.refresh, nonce: "n") } == .sessionEnded)
                }
            }
            _ = try accounts.book.verify()
        }
    }

    @Test("I3 A sign-in with the old password during a password change leaves no session")
    func changedMeanwhile() throws {
        try AccountsFixture.with { fixture in
            let accounts = fixture.accounts
            let ann = try fixture.member("ann@example.org")
            for round in 0..<10 {
                let (old, new) = ("password number \(round)", "password number \(round + 1)")
                if round == 0 { _ = try accounts.changePassword(ann.tokens.access, old) }
                let sessions = Sessions()
                _ = try together(8) { number in
                    if number == 0 { return problem { try accounts.changePassword(ann.tokens.access, new) } }
                    return problem {
                        sessions.add(
                            try accounts.signIn(
                                .password, AccountsFixture.evidence("ann@example.org", old), device: nil, link: nil,
                                from: "\(number)"))
                    }
                }
                for signedIn in sessions.all { #expect(accounts.session(access: signedIn.tokens.access) == nil) }
                // Late sign-ins have used up attempts.
                fixture.clock.advance(seconds: 1)
                accounts.limiter.reset(.identity(.password, IdentityKey(Array("ann@example.org".utf8))))
            }
        }
    }

    private final class Sessions: Sendable {
        private let kept = Mutex<[SignedIn]>([])
        func add(_ signedIn: SignedIn) { kept.withLock { $0.append(signedIn) } }
        var all: [SignedIn] { kept.withLock { $0 } }
    }
}
