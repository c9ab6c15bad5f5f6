import Events
import Permissions
import TestSupport
import Testing

@testable import Identity

/// Events that the state of the accounts refuses, independent of the code that records them.
@Suite struct StateRuleTests {
    private static let now = ManualClock().now
    private static let (ann, bob) = (AccountID(1), AccountID(2))

    /// Returns Ann and Bob with a password each, and a session of Ann.
    private static func twoPeople() -> AccountChange {
        var change = AccountChange(AccountState(), at: now)
        for name in ["ann", "bob"] { _ = AccountDatabaseFixture.makeAccount(name, at: now, in: &change) }
        change.record(.sessionBegun(session(1, of: ann), hashes))
        return change
    }

    private static let hashes = SessionTokenCoder.hashes(SessionTokens(access: "a", refresh: "r"))

    private static func session(_ number: UInt64, of account: AccountID) -> Session {
        let ends = now.advanced(bySeconds: 60)
        return Session(
            id: SessionID(number), account: account, device: nil, createdAt: now, provider: .password, authenticatedAt: now,
            refreshedAt: now, accessEnds: ends, idleEnds: ends, ends: ends)
    }

    private static func opened(_ number: UInt64, _ name: String) -> IdentityEvent {
        .accountOpened(AccountID(number), principal: Name("user:\(name)"), profile: Profile(displayName: nil))
    }

    private static func linked(_ account: AccountID, _ provider: String, _ name: String) -> IdentityEvent {
        let key = IdentityKey(AccountDatabaseFixture.email(name))
        return .identityLinked(
            account, LinkedIdentity(provider: AccountDatabaseFixture.provider(provider), key: key, linkedAt: now))
    }

    /// Events that must be refused, with the message for each.
    static let refused: [(event: IdentityEvent, problem: String)] = [
        (.emailSet(bob, AccountDatabaseFixture.email("ann")), "the email of account 2 belongs to account 1"),
        (
            .identityLinked(bob, AccountDatabaseFixture.password(AccountDatabaseFixture.email("cem"), at: now)),
            "account 2 has a second sign-in method of the provider password"
        ),
        (
            .secretChanged(bob, .password, key: IdentityKey(AccountDatabaseFixture.email("ann")), secret: nil),
            "an identity of account 2 belongs to account 1"
        ),
        (.identityUnlinked(ann, .password), "the last sign-in method of account 1"),
        (.identityUnlinked(ann, AccountDatabaseFixture.provider("other")), "account 1 has no sign-in method of the provider other"),
        (opened(3, "ann"), "the principal user:ann has an account already"),
        (opened(4, "cem"), "account 4, but 3 is next"),
        (opened(2, "cem"), "account 2, but 3 is next"),
        (.emailSet(AccountID(3), nil), "account 3 does not exist"),
        (.accountDeleted(AccountID(3)), "account 3 does not exist"),
        (.sessionBegun(session(1, of: bob), hashes), "session 1, but 2 is next"),
        (.sessionBegun(session(3, of: bob), hashes), "session 3, but 2 is next"),
        (.sessionBegun(session(2, of: AccountID(3)), hashes), "account 3 does not exist"),
        (.sessionEnded(SessionID(2), .signedOut), "session 2 has ended"),
    ]

    @Test("An impossible event is refused with its message, and the state is unchanged", arguments: refused.indices)
    func refusing(index: Int) {
        let (event, problem) = Self.refused[index]
        var change = Self.twoPeople()
        let (before, count) = (change.state, change.events.count)
        change.record(event)
        #expect(change.problem?.hasPrefix(problem) == true, "\(change.problem ?? "nothing")")
        #expect(change.state == before)
        #expect(change.events.count == count)
    }

    @Test("An identity belongs to one account, and another account can link it after it is unlinked")
    func identities() {
        var change = Self.twoPeople()
        change.record(Self.linked(Self.ann, "work", "ann"))
        change.record(.identityUnlinked(Self.ann, AccountDatabaseFixture.provider("work")))
        change.record(Self.linked(Self.bob, "work", "ann"))
        #expect(change.problem == nil)
        change.record(Self.linked(Self.ann, "work", "ann"))
        #expect(change.problem == "an identity of account 1 belongs to account 2")
    }

    @Test("A released email or sign-in method finds no account, and another account can take it")
    func givenUp() {
        var change = Self.twoPeople()
        let (old, new) = (AccountDatabaseFixture.email("ann"), AccountDatabaseFixture.email("anna"))
        change.record(.emailSet(Self.ann, new))
        change.record(.secretChanged(Self.ann, .password, key: IdentityKey(new), secret: nil))
        #expect(change.state.account(email: old) == nil)
        #expect(change.state.account(email: new)?.id == Self.ann)
        #expect(change.state.accountID(provider: .password, key: IdentityKey(old)) == nil)
        #expect(change.state.accountID(provider: .password, key: IdentityKey(new)) == Self.ann)
        change.record(.emailSet(Self.bob, old))
        change.record(.secretChanged(Self.bob, .password, key: IdentityKey(old), secret: nil))
        #expect(change.problem == nil)
    }

    @Test("A value at its limit is accepted, a larger one is refused, and a change has a limited number of events")
    func limits() {
        for (bytes, isTaken) in [(Profile.limitBytes, true), (Profile.limitBytes + 1, false)] {
            var change = Self.twoPeople()
            change.record(.profileChanged(Self.ann, Profile(displayName: String(repeating: "x", count: bytes))))
            #expect((change.problem == nil) == isTaken)
        }
        var change = AccountChange(Self.twoPeople().state, at: Self.now)
        for _ in 0..<AccountChange.eventLimit { change.record(.emailSet(Self.ann, nil)) }
        #expect(change.problem == nil)
        change.record(.emailSet(Self.ann, nil))
        #expect(change.problem == "more than \(AccountChange.eventLimit) events")
    }

    @Test("If the clock goes back, a change gets the time of the previous change, and the accounts open again")
    func clock() throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            let late = fixture.clock.now
            try fixture.open { book in
                try fixture.makeAccount("ann", book)
                fixture.clock.now = late.advanced(bySeconds: -3_600)
                try fixture.makeAccount("bob", book)
                #expect(book.read { $0.time } == late)
                #expect(book.read { $0.account(AccountID(2))?.createdAt } == late)
            }
            try fixture.open { book in #expect(book.read { $0.accountCount } == 2) }
        }
    }
}
