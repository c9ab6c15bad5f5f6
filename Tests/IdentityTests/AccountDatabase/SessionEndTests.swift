import Events
import TestSupport
import Testing

@testable import Identity

/// When tokens become invalid.
@Suite struct SessionEndTests {
    @Test("I6 After a sign-out both tokens are invalid, immediately and after reopening")
    func signingOut() throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            let now = fixture.clock.now
            func expectNothing(_ tokens: SessionTokens, _ book: AccountDatabase) throws {
                let sessions = fixture.sessions(book)
                #expect(sessions.lookup(access: tokens.access, at: now) == nil)
                #expect(throws: AccountError.sessionEnded) { try sessions.refresh(tokens.refresh, nonce: "a", at: now) }
            }
            var all: [SessionTokens] = []
            try fixture.open { book in
                let sessions = fixture.sessions(book)
                let (session, first) = try fixture.begin(try fixture.makeAccount("ann", book), book)
                all = [first, try sessions.refresh(first.refresh, nonce: "a", at: now).2]
                try sessions.end(session.id, .signedOut, at: now)
                for tokens in all { try expectNothing(tokens, book) }
                // Ending the session again has no effect.
                let before = book.read { $0 }
                try sessions.end(session.id, .revoked, at: now)
                #expect(book.read { $0 } == before)
            }
            try fixture.open { book in for tokens in all { try expectNothing(tokens, book) } }
        }
    }

    @Test("Ending the sessions of an account keeps the excepted session and those of other accounts")
    func endingAll() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let (sessions, now) = (fixture.sessions(book), fixture.clock.now)
            let (ann, bob) = (try fixture.makeAccount("ann", book), try fixture.makeAccount("bob", book))
            let own = try (0..<3).map { _ in try fixture.begin(ann, book) }
            let (_, others) = try fixture.begin(bob, book)
            try sessions.endAll(of: ann, except: own[1].0.id, .credentialsChanged, at: now)
            #expect(own.map { sessions.lookup(access: $0.1.access, at: now) != nil } == [false, true, false])
            #expect(sessions.lookup(access: others.access, at: now)?.1.id == bob)
            try sessions.endAll(of: ann, except: nil, .revoked, at: now)
            #expect(sessions.lookup(access: own[1].1.access, at: now) == nil)
            #expect(sessions.lookup(access: others.access, at: now)?.1.id == bob)
        }
    }

    @Test("I6 The previous access token expires at its own time, and the current one stays valid")
    func previousAccess() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let (sessions, clock) = (fixture.sessions(book), fixture.clock)
            let (_, first) = try fixture.begin(try fixture.makeAccount("ann", book), book)
            clock.advance(seconds: fixture.settings.accessSeconds - 1)
            let second = try sessions.refresh(first.refresh, nonce: "a", at: clock.now).2
            #expect(sessions.lookup(access: first.access, at: clock.now) != nil)
            clock.advance(seconds: 1)
            #expect(sessions.lookup(access: first.access, at: clock.now) == nil)
            #expect(sessions.lookup(access: second.access, at: clock.now) != nil)
        }
    }

    @Test("I6 No access token is valid after the idle or absolute expiry of its session", arguments: [true, false])
    func accessAtTheEnd(isIdle: Bool) throws {
        try withTemporaryFolder { folder in
            var fixture = AccountDatabaseFixture(folder: folder)
            // The access token alone would be valid for longer.
            fixture.settings.accessSeconds = 1_000
            fixture.settings.idleSeconds = isIdle ? 100 : 2_000
            fixture.settings.sessionSeconds = isIdle ? 2_000 : 100
            try fixture.open { book in
                let (sessions, clock) = (fixture.sessions(book), fixture.clock)
                let (session, tokens) = try fixture.begin(try fixture.makeAccount("ann", book), book)
                #expect(session.accessEnds <= session.ends)
                clock.advance(seconds: 99)
                #expect(sessions.lookup(access: tokens.access, at: clock.now) != nil)
                clock.advance(seconds: 1)
                #expect(sessions.lookup(access: tokens.access, at: clock.now) == nil)
                #expect(throws: AccountError.sessionEnded) {
                    try sessions.reauthenticate(session.id, provider: .password, authenticatedAt: clock.now, at: clock.now)
                }
                #expect(throws: AccountError.sessionEnded) { try sessions.refresh(tokens.refresh, nonce: "a", at: clock.now) }
            }
        }
    }

    @Test("I6 An older refresh token ends the session, even with the nonce of the last refresh")
    func olderRefresh() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let (sessions, now) = (fixture.sessions(book), fixture.clock.now)
            let (_, first) = try fixture.begin(try fixture.makeAccount("ann", book), book)
            let second = try sessions.refresh(first.refresh, nonce: "a", at: now).2
            let third = try sessions.refresh(second.refresh, nonce: "a", at: now).2
            #expect(throws: AccountError.sessionEnded) { try sessions.refresh(first.refresh, nonce: "a", at: now) }
            #expect(sessions.lookup(access: third.access, at: now) == nil)
            #expect(throws: AccountError.sessionEnded) { try sessions.refresh(third.refresh, nonce: "b", at: now) }
        }
    }

    @Test("I7 After a reauthentication an earlier refresh is not repeated, and all earlier access tokens are invalid")
    func refreshedBefore() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let (sessions, now) = (fixture.sessions(book), fixture.clock.now)
            let (session, first) = try fixture.begin(try fixture.makeAccount("ann", book), book)
            let second = try sessions.refresh(first.refresh, nonce: "a", at: now).2
            let third = try sessions.reauthenticate(session.id, provider: .password, authenticatedAt: now, at: now).1
            for old in [first, second] { #expect(sessions.lookup(access: old.access, at: now) == nil) }
            #expect(sessions.lookup(access: third.access, at: now) != nil)
            #expect(throws: AccountError.sessionEnded) { try sessions.refresh(first.refresh, nonce: "a", at: now) }
            #expect(sessions.lookup(access: third.access, at: now) == nil)
        }
    }

    @Test("A nonce that is empty or too long is refused, and the refresh token stays valid")
    func nonces() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let (sessions, now) = (fixture.sessions(book), fixture.clock.now)
            let (_, tokens) = try fixture.begin(try fixture.makeAccount("ann", book), book)
            for nonce in ["", String(repeating: "x", count: SessionManager.nonceLimitBytes + 1)] {
                #expect(throws: AccountError.self) { try sessions.refresh(tokens.refresh, nonce: nonce, at: now) }
            }
            let longest = String(repeating: "x", count: SessionManager.nonceLimitBytes)
            #expect(try sessions.refresh(tokens.refresh, nonce: longest, at: now).0.id == SessionID(1))
        }
    }
}
