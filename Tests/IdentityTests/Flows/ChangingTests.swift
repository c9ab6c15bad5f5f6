import Events
import Permissions
import TestSupport
import Testing

@testable import Identity

@Suite("Changing an account")
struct ChangingTests {
    @Test("I3 A reset with the code from the mail sets a new password and ends all sessions")
    func reset() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            let (attempt, _) = try fixture.accounts.requestReset(email: "ann@example.org", from: "")
            let confirm = { (password: String) in
                try fixture.accounts.confirmReset(
                    attempt: attempt, code: fixture.code("ann@example.org"), password: password, device: nil, from: "")
            }
            guard case .unacceptablePassword? = problem({ try confirm("short") }) else {
                Issue.record("a short password was taken")
                return
            }
            #expect(fixture.isSignedIn(ann))
            let code = try fixture.code("ann@example.org")
            let back = try confirm("another good one")
            #expect(back.account.id == ann.account.id)
            #expect(!fixture.isSignedIn(ann))
            #expect(problem { try fixture.signIn("ann@example.org") } == .wrongCredentials)
            try fixture.signIn("ann@example.org", "another good one")
            let again = problem {
                try fixture.accounts.confirmReset(
                    attempt: attempt, code: code, password: "a third good one", device: nil, from: "")
            }
            #expect(again == .wrongCode)
        }
    }

    @Test("I3 A reset responds the same for an email without an account or password, and sends no code")
    func resetOfNobody() throws {
        try AccountsFixture.with { fixture in
            try fixture.badgeMember("bob", email: "bob@example.org")
            for address in ["nobody@example.org", "bob@example.org"] {
                let (attempt, ends) = try fixture.accounts.requestReset(email: address, from: "")
                #expect(attempt.hasPrefix("munp_"))
                #expect(ends == fixture.clock.now.later(seconds: 600))
                #expect(try #require(try fixture.lastMail(address)).text.contains("The code is") == false)
            }
            #expect(try #require(try fixture.lastMail("bob@example.org")).text.contains("Sign in with: badge"))
        }
    }

    @Test("I6 An email change takes effect after its code is confirmed, and sign-in then uses the new email")
    func email() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            let other = try fixture.signIn("ann@example.org")
            let (attempt, _) = try fixture.accounts.requestEmailChange(ann.tokens.access, "ann@example.net", from: "")
            #expect(try fixture.account("ann@example.net") == nil)
            let code = try fixture.code("ann@example.net")
            let bySession = problem {
                try fixture.accounts.confirmEmailChange(other.tokens.access, attempt: attempt, code: code, from: "")
            }
            #expect(bySession == .wrongCode)
            let changed = try fixture.accounts.confirmEmailChange(ann.tokens.access, attempt: attempt, code: code, from: "")
            #expect(changed.email == EmailAddress("ann@example.net"))
            #expect(!fixture.isSignedIn(other))
            #expect(problem { try fixture.signIn("ann@example.org") } == .wrongCredentials)
            try fixture.signIn("ann@example.net")
            #expect(try #require(try fixture.lastMail("ann@example.org")).text.contains("another address"))
            #expect(try fixture.member("ann@example.org").isNew)
        }
    }

    @Test("I6 An email of another account is refused only after the user has confirmed its code")
    func takenEmail() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            try fixture.member("bob@example.org")
            let (attempt, _) = try fixture.accounts.requestEmailChange(ann.tokens.access, "bob@example.org", from: "")
            let code = try fixture.code("bob@example.org")
            let told = problem {
                try fixture.accounts.confirmEmailChange(ann.tokens.access, attempt: attempt, code: code, from: "")
            }
            #expect(told == .accountExists(providers: [.password], link: nil))
            #expect(try fixture.account("ann@example.org")?.id == ann.account.id)
        }
    }

    @Test(
        "I6 An invalid profile changes nothing",
        arguments: ["", "a\u{7}", "a\u{202E}b", String(repeating: "x", count: 257)])
    func profile(name: String) throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            let told = problem { try fixture.accounts.updateProfile(ann.tokens.access) { $0.displayName = name } }
            #expect(told == .malformed("`displayName` must have 1 to 256 bytes and no control characters"))
            for picture in ["javascript:alert(1)", "https://", "https://a b", "https://é"] {
                guard
                    case .malformed? = problem({
                        try fixture.accounts.updateProfile(ann.tokens.access) { $0.picture = picture }
                    })
                else {
                    Issue.record("`\(picture)` was taken for the address of a picture")
                    return
                }
            }
            #expect(try fixture.accounts.account(ann.tokens.access).profile == Profile())
        }
    }

    @Test("I8 A deletion ends all sessions immediately, removes the user from the stores, and frees the email")
    func deletion() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            let other = try fixture.signIn("ann@example.org")
            let wasRefused = Flag()
            fixture.stores.during { [accounts = fixture.accounts] in
                if accounts.session(access: other.tokens.access) == nil { wasRefused.set() }
            }
            try fixture.accounts.deleteAccount(ann.tokens.access)
            #expect(wasRefused.isSet)
            #expect(Set(fixture.stores.withdrawn) == [ann.account.principal])
            #expect(!fixture.isSignedIn(ann) && !fixture.isSignedIn(other))
            #expect(problem { try fixture.accounts.refresh(ann.tokens.refresh, nonce: "n") } == .sessionEnded)
            #expect(problem { try fixture.signIn("ann@example.org") } == .wrongCredentials)
            let again = try fixture.member("ann@example.org")
            #expect(again.isNew && again.account.principal != ann.account.principal)
        }
    }

    @Test("I8 If a store refuses to remove the user, the account stays intact and can be deleted later")
    func undeletable() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            fixture.stores.refuse("the account is the last administrator of `default`: appoint another one first")
            #expect(
                problem { try fixture.accounts.deleteAccount(ann.tokens.access) }
                    == .undeletable("the account is the last administrator of `default`: appoint another one first"))
            #expect(fixture.isSignedIn(ann))
            try fixture.signIn("ann@example.org")
            fixture.stores.refuse(nil)
            try fixture.accounts.deleteAccount(principal: ann.account.principal)
            #expect(try fixture.account("ann@example.org") == nil)
            #expect(
                problem { try fixture.accounts.deleteAccount(principal: ann.account.principal) }
                    == .notThere(Accounts.noSuchAccount))
        }
    }

    @Test("I8 During a deletion, sign-ins, refreshes and a second deletion are refused")
    func leaving() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            let told = Problems()
            fixture.stores.during { [accounts = fixture.accounts, stores = fixture.stores] in
                stores.during(nil)
                told.add(
                    problem {
                        try accounts.signIn(
                            .password, AccountsFixture.evidence("ann@example.org"), device: nil, link: nil, from: "")
                    })
                told.add(problem { try accounts.deleteAccount(principal: ann.account.principal) })
                told.add(problem { try accounts.refresh(ann.tokens.refresh, nonce: "n") })
            }
            try fixture.accounts.deleteAccount(ann.tokens.access)
            #expect(told.all == [Accounts.leavingProblem, Accounts.leavingProblem, Accounts.leavingProblem])
            #expect(problem { try fixture.accounts.refresh(ann.tokens.refresh, nonce: "n") } == .sessionEnded)
        }
    }

    @Test("I9 Access that is granted during a deletion is removed after it, or the operator receives a report")
    func givenMeanwhile() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            let wasThere = Problems()
            fixture.stores.during { [accounts = fixture.accounts] in
                wasThere.add(accounts.account(principal: ann.account.principal) == nil ? .noAccount : nil)
            }
            try fixture.accounts.deleteAccount(ann.tokens.access)
            #expect(wasThere.all == [nil, .noAccount])
            #expect(fixture.stores.withdrawn == [ann.account.principal, ann.account.principal])
            let bob = try fixture.member("bob@example.org")
            fixture.stores.during { [stores = fixture.stores] in stores.refuse("the store is full") }
            try fixture.accounts.deleteAccount(bob.tokens.access)
            #expect(try fixture.account("bob@example.org") == nil)
            let reported = try #require(fixture.reports.lines.last)
            #expect(reported.contains(bob.account.principal.text) && reported.contains("the store is full"))
        }
    }

    @Test("I8 A refresh during a failed deletion does not use up the refresh token")
    func refreshDuringDeletion() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            fixture.stores.refuse("not now")
            fixture.stores.during { [accounts = fixture.accounts] in
                #expect(problem { try accounts.refresh(ann.tokens.refresh, nonce: "n") } == Accounts.leavingProblem)
            }
            #expect(problem { try fixture.accounts.deleteAccount(ann.tokens.access) } == .undeletable("not now"))
            #expect(try fixture.accounts.refresh(ann.tokens.refresh, nonce: "another").account == ann.account)
        }
    }

    @Test("I3 If an administrator ends a user's sessions, the pending resets and links of the account end too")
    func signedOutByAdministrator() throws {
        try AccountsFixture.with { fixture in
            let accounts = fixture.accounts
            let ann = try fixture.member("ann@example.org")
            let bob = try fixture.member("bob@example.org")
            let resets = try ["ann@example.org", "bob@example.org"].map { email in
                let (attempt, _) = try accounts.requestReset(email: email, from: "")
                return (attempt, try fixture.code(email))
            }
            let told = problem { try fixture.badged("x", email: "ann@example.org") }
            guard case .accountExists(_, let link?)? = told else {
                Issue.record("\(told.map { "\($0)" } ?? "nothing") is no link")
                return
            }

            try accounts.endSessions(principal: ann.account.principal)
            #expect(!fixture.isSignedIn(ann) && fixture.isSignedIn(bob))
            let confirm = { (attempt: String, code: String) in
                try accounts.confirmReset(
                    attempt: attempt, code: code, password: "a stranger's own", device: nil, from: "")
            }
            #expect(problem { try confirm(resets[0].0, resets[0].1) } == .wrongCode)
            #expect(problem { try fixture.signIn("ann@example.org", link: link) } == .wrongCode)
            try fixture.signIn("ann@example.org")
            _ = try confirm(resets[1].0, resets[1].1)
        }
    }

    @Test("R18 An administrator finds a user by email, independent of letter case")
    func find() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            #expect(try fixture.account("ANN@example.org") == ann.account)
            #expect(try fixture.account("bob@example.org") == nil)
            guard case .malformed? = problem({ try fixture.account("ann") }) else {
                Issue.record("`ann` was taken for an email")
                return
            }
            try fixture.accounts.endSessions(principal: ann.account.principal)
            #expect(!fixture.isSignedIn(ann))
            #expect(fixture.accounts.list(after: nil, limit: 5) == [ann.account])
            #expect(fixture.accounts.list(after: ann.account.id, limit: 5).isEmpty)
        }
    }
}
