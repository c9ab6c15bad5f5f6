import Events
import Permissions
import TestSupport
import Testing

@testable import Identity

/// The decisions of the rules for one state: ann has a password, bob a badge and an email, cat a badge and no email.
@Suite("Rules of accounts")
struct AccountRulesTests {
    private static let (ann, bob, cat) = (AccountID(1), AccountID(2), AccountID(3))
    private static let badge = AccountsFixture.badge

    private static func state() throws -> AccountState {
        var change = AccountChange(AccountState(), at: .newYear)
        _ = AccountDatabaseFixture.makeAccount("ann", at: .newYear, in: &change)
        for (id, name) in [(bob, "bob"), (cat, "cat")] {
            change.record(.accountOpened(id, principal: Name("user:\(name)"), profile: Profile()))
            change.record(.identityLinked(id, LinkedIdentity(provider: badge, key: key(name), linkedAt: .newYear)))
        }
        change.record(.emailSet(bob, AccountDatabaseFixture.email("bob")))
        #expect(change.problem == nil)
        return change.outcome()
    }

    private static func key(_ badge: String) -> IdentityKey { IdentityKey(Array("office/\(badge)".utf8)) }

    @Test(
        "I4 A user is recognized by the identity alone, and an email never gives access to an account",
        arguments: [
            ("bob", true, nil, .known(bob)), ("bob", true, "bob", .known(bob)), ("bob", true, "ann", .known(bob)),
            ("bob", false, nil, .taken(by: bob)), ("bob", false, "ann", .taken(by: bob)),
            ("new", true, nil, .nobody), ("new", true, "new", .nobody), ("new", false, "new", .nobody),
            ("new", true, "ann", .taken(by: ann)), ("new", false, "bob", .taken(by: bob)),
        ] as [(String, Bool, String?, AccountRules.IdentityOwner)])
    func arrival(who: String, isRecognized: Bool, email: String?, expected: AccountRules.IdentityOwner) throws {
        let arrival = AccountRules.arrival(
            Self.badge, Self.key(who), isRecognized: isRecognized, shown: email.map(AccountDatabaseFixture.email),
            in: try Self.state())
        #expect(arrival == expected)
    }

    @Test(
        "I5 An identity has one account, an account has one identity per provider, and a password needs the account's email",
        arguments: [
            (ann, "badge", "new", nil, nil), (ann, "badge", "bob", nil, .linkedElsewhere),
            (ann, "password", "ann", "ann", .alreadyLinked), (bob, "badge", "bob", nil, .alreadyLinked),
            (bob, "badge", "new", nil, .alreadyLinked), (bob, "password", "bob", "bob", nil),
            (cat, "password", "cat", "cat", .notThere(AccountRules.noEmail)),
            (
                bob, "password", "ann", "ann",
                .malformed("the email is not the email of the account: change the account's email first, or use that email")
            ),
        ] as [(AccountID, String, String, String?, AccountError?)])
    func linking(id: AccountID, provider: String, who: String, unshown: String?, expected: AccountError?) throws {
        let state = try Self.state()
        let account = try #require(state.account(id))
        let key = provider == "password" ? IdentityKey(AccountDatabaseFixture.email(who)) : Self.key(who)
        let told = problem {
            try AccountRules.mayLink(
                AccountDatabaseFixture.provider(provider), key, unshown: unshown.map(AccountDatabaseFixture.email), to: account,
                in: state)
        }
        #expect(told == expected)
    }

    @Test(
        "I7 A sign-in is recent for exactly the limit of seconds, and only if it is not far in the future",
        arguments: [
            (0, true), (299_999_999, true), (300_000_000, true), (300_000_001, false), (-300_000_000, true),
            (-300_000_001, false), (Int64.max, false),
        ] as [(Int64, Bool)])
    func recent(microseconds: Int64, expected: Bool) {
        let then = Instant(microseconds: microseconds == .max ? .min : Instant.newYear.microseconds - microseconds)
        #expect(AccountRules.isRecent(then, seconds: 300, at: .newYear) == expected)
    }

    @Test(
        "I7 The reported time until a sign-in stops being recent is never too long, and at most the full limit",
        arguments: [
            (0, 300), (1, 299), (1_000_000, 299), (299_000_001, 0), (300_000_000, 0), (300_000_001, 0), (-1, 300),
            (-300_000_000, 300), (-300_000_001, 0), (Int64.max, 0),
        ] as [(Int64, Int64)])
    func recentSecondsLeft(microseconds: Int64, expected: Int64) {
        let then = Instant(microseconds: microseconds == .max ? .min : Instant.newYear.microseconds - microseconds)
        #expect(AccountRules.recentSecondsLeft(then, seconds: 300, at: .newYear) == expected)
    }

    @Test("I5 A password that was proved with an email is linked only while the account has that email")
    func addressChangedMeanwhile() throws {
        try AccountsFixture.with { fixture in
            let bob = try fixture.badgeMember("bob", email: "bob@example.org")
            let link = { (email: String) in
                let proof = VerifiedIdentity(
                    key: IdentityKey(try Accounts.address(email)), secret: "$argon2id$any", authenticatedAt: fixture.clock.now)
                return problem {
                    try fixture.accounts.change(at: fixture.clock.now) { change throws(AccountError) in
                        try fixture.accounts.linkAndEndOthers(
                            PendingIdentity(.password, proof), to: bob.account.id, kept: bob.session.id, in: &change)
                    }
                }
            }
            #expect(try link("old@example.org") == .wrongCode)
            #expect(fixture.accounts.account(principal: bob.account.principal)?.identities.count == 1)
            #expect(try link("bob@example.org") == nil)
        }
    }

    @Test("I4 A change that was decided in a session is refused after that session ends")
    func sessionEndedMeanwhile() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            let present = {
                problem {
                    try fixture.accounts.change(at: fixture.clock.now) { change throws(AccountError) in
                        try fixture.accounts.present(ann.session, in: change)
                    }
                }
            }
            #expect(present() == nil)
            try fixture.accounts.signOut(ann.tokens.access)
            #expect(present() == .sessionEnded)
        }
    }
}
