import Events
import Permissions
import TestSupport
import Testing

@testable import Identity

@Suite("Signing up")
struct SigningUpTests {
    @Test("I3 A sign-up with an email creates the account after the code is confirmed, and not before")
    func code() throws {
        try AccountsFixture.with { fixture in
            let attempt = try fixture.begin("ann@example.org")
            #expect(try fixture.account("ann@example.org") == nil)
            #expect(fixture.stores.users.isEmpty)
            #expect(problem { try fixture.signIn("ann@example.org") } == .wrongCredentials)

            let ann = try fixture.accounts.verify(
                attempt: attempt, code: try fixture.code("ann@example.org"), device: "phone", from: "")
            #expect(ann.isNew)
            #expect(ann.account.email == EmailAddress("ann@example.org"))
            #expect(ann.session.device == "phone")
            #expect(fixture.accounts.session(access: ann.tokens.access)?.account == ann.account)
            #expect(try fixture.signIn("Ann@Example.ORG").account == ann.account)
        }
    }

    @Test("I9 A new user gets a principal in the stores that reveals nothing about the user")
    func user() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            #expect(fixture.stores.users == [ann.account.principal])
            let letters = ann.account.principal.text.dropFirst("user:".count)
            #expect(letters.count == 26)
            #expect(try fixture.member("bob@example.org").account.principal != ann.account.principal)
        }
    }

    @Test("I3 For an email with an account, the response and the mail are the same, and the password is unchanged")
    func taken() throws {
        try AccountsFixture.with { fixture in
            try fixture.member("ann@example.org")
            fixture.clock.advance(seconds: 3_600)
            let before = try fixture.lastMail("ann@example.org")
            let attempt = try fixture.begin("ann@example.org", "a stranger's own")
            let mail = try fixture.lastMail("ann@example.org")
            #expect(mail?.subject == before?.subject)
            #expect(
                mail?.text.replacing(try fixture.code("ann@example.org"), with: "")
                    == before?.text.replacing(
                        String(before?.text.split(separator: "The code is:  ").last?.prefix(9) ?? ""), with: ""))

            let told = problem {
                try fixture.accounts.verify(attempt: attempt, code: fixture.code("ann@example.org"), device: nil, from: "")
            }
            #expect(told == .accountExists(providers: [.password], link: nil))
            #expect(problem { try fixture.signIn("ann@example.org", "a stranger's own") } == .wrongCredentials)
            try fixture.signIn("ann@example.org")
        }
    }

    @Test("I3 A code is valid once, for its own attempt, for ten minutes and five tries")
    func codeEnds() throws {
        try AccountsFixture.with { fixture in
            let attempt = try fixture.begin("ann@example.org")
            let code = try fixture.code("ann@example.org")
            let other = try fixture.begin("bob@example.org")
            let verify = { (attempt: String, code: String) in
                try fixture.accounts.verify(attempt: attempt, code: code, device: nil, from: "")
            }
            #expect(problem { try verify(other, code) } == .wrongCode)
            #expect(problem { try verify("munp_made-up", code) } == .wrongCode)
            for _ in 1..<PendingStepTable.tries { #expect(problem { try verify(attempt, "AAAA-AAAA") } == .wrongCode) }
            _ = try verify(attempt, code.lowercased().replacing("-", with: " "))
            #expect(problem { try verify(attempt, code) } == .wrongCode)

            let tired = try fixture.begin("cat@example.org")
            for _ in 1...PendingStepTable.tries { #expect(problem { try verify(tired, "AAAA-AAAA") } == .wrongCode) }
            #expect(problem { try verify(tired, fixture.code("cat@example.org")) } == .wrongCode)

            let late = try fixture.begin("dan@example.org")
            fixture.clock.advance(seconds: 600)
            #expect(problem { try verify(late, fixture.code("dan@example.org")) } == .wrongCode)
        }
    }

    @Test("I3 After an email is confirmed, other pending sign-ups with it are invalid")
    func othersEnd() throws {
        try AccountsFixture.with { fixture in
            let stranger = try fixture.begin("ann@example.org", "a stranger's own")
            let strangersCode = try fixture.code("ann@example.org")
            try fixture.member("ann@example.org")
            let told = problem {
                try fixture.accounts.verify(attempt: stranger, code: strangersCode, device: nil, from: "")
            }
            #expect(told == .wrongCode)
        }
    }

    @Test("I3 A provider's proof creates an account immediately, and a second sign-up signs in")
    func provider() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.badgeMember("ann", email: "ann@example.org")
            #expect(ann.isNew)
            #expect(ann.account.email == EmailAddress("ann@example.org"))
            #expect(ann.account.profile == Profile(displayName: "Badge ann"))
            let again = try fixture.badgeMember("ann", email: "another@example.org")
            #expect(!again.isNew)
            #expect(again.account == ann.account)
            #expect(fixture.mailer.all.isEmpty)
        }
    }

    @Test("I4 An email that the provider did not verify is not stored")
    func unvouched() throws {
        try AccountsFixture.with { fixture in
            let mallory = try fixture.badgeMember("mallory", email: "ann@example.org", isVouched: false)
            #expect(mallory.account.email == nil)
            #expect(try fixture.member("ann@example.org").isNew)
        }
    }

    @Test("I2 A sign-up with the name of another user and a different number is refused")
    func newSecretOfKnownIdentity() throws {
        try AccountsFixture.with { fixture in
            let signUp = { (number: String) in
                try fixture.accounts.signUp(
                    AccountsFixture.number, ["name": .string("ann"), "number": .string(number)], profile: Profile(), device: nil,
                    from: AccountsFixture.home)
            }
            guard case .signedIn(let ann) = try signUp("31337") else { throw AccountsFixture.Unexpected("no session") }
            #expect(ann.isNew)
            #expect(problem { try signUp("12345") } == .linkedElsewhere)
            let back = try fixture.accounts.signIn(
                AccountsFixture.number, ["name": .string("ann"), "number": .string("31337")], device: nil, link: nil, from: "")
            #expect(back.account == ann.account)
        }
    }

    @Test("I3 If the stores refuse the new user, no account is created and the code stays valid")
    func storesRefuse() throws {
        try AccountsFixture.with { fixture in
            let attempt = try fixture.begin("ann@example.org")
            let verify = {
                try fixture.accounts.verify(attempt: attempt, code: fixture.code("ann@example.org"), device: nil, from: "")
            }
            fixture.stores.refuse("`default` takes no changes")
            #expect(problem(verify) == .unavailable("the account could not be registered in the stores: try again later"))
            #expect(try fixture.account("ann@example.org") == nil)
            fixture.stores.refuse(nil)
            #expect(try verify().isNew)
        }
    }

    @Test("I9 All users except deleted ones are added to the stores in batches, and a refusal by a store is reported")
    func enrollAll() throws {
        try AccountsFixture.with { fixture in
            let people = try (1...6).map { try fixture.badgeMember("badge \($0)") }
            try fixture.accounts.deleteAccount(principal: people[1].account.principal)
            let before = fixture.stores.enrolled.count
            try fixture.accounts.enrollAll(batch: 2)
            let principals = people.map(\.account.principal)
            let expected = [[principals[0], principals[2]], [principals[3], principals[4]], [principals[5]]]
            #expect(Array(fixture.stores.enrolled.dropFirst(before)) == expected)
            fixture.stores.refuse("`default` takes no changes")
            #expect(throws: DirectoryError("`default` takes no changes")) { try fixture.accounts.enrollAll() }
        }
    }

    @Test(
        "I3 A malformed sign-up is refused with a message, and sends no mail",
        arguments: [
            (["password": .string("long enough for it")], "`email` is missing: write a string"),
            (["email": .string("ann@example.org")], "`password` is missing: write a string"),
            (
                ["email": .string("ann@example.org\r\nBcc: all"), "password": .string("long enough for it")],
                "`email` is not a mail address: write one like ann@example.org"
            ),
        ] as [(JSONObject, String)])
    func malformed(evidence: JSONObject, sentence: String) throws {
        try AccountsFixture.with { fixture in
            let told = problem {
                try fixture.accounts.signUp(.password, evidence, profile: Profile(), device: nil, from: AccountsFixture.home)
            }
            #expect(told == .malformed(sentence))
            #expect(fixture.mailer.all.isEmpty)
        }
    }
}
