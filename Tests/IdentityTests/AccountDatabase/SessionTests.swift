import Events
import TestSupport
import Testing

@testable import Identity

@Suite struct SessionTests {
    @Test("I6 An access token expires at its own time, and a session expires after the idle limit")
    func ends() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let (sessions, clock) = (fixture.sessions(book), fixture.clock)
            let ann = try fixture.makeAccount("ann", book)
            let (session, tokens) = try fixture.begin(ann, book)
            #expect(sessions.lookup(access: tokens.access, at: clock.now)?.0 == session)
            clock.advance(seconds: fixture.settings.accessSeconds - 1)
            #expect(sessions.lookup(access: tokens.access, at: clock.now) != nil)
            clock.advance(seconds: 1)
            #expect(sessions.lookup(access: tokens.access, at: clock.now) == nil)
            clock.advance(seconds: fixture.settings.idleSeconds - fixture.settings.accessSeconds - 1)
            let (_, _, next) = try sessions.refresh(tokens.refresh, nonce: "1", at: clock.now)
            clock.advance(seconds: fixture.settings.idleSeconds)
            #expect(throws: AccountError.sessionEnded) { try sessions.refresh(next.refresh, nonce: "2", at: clock.now) }
            #expect(book.read { $0.sessionCount } == 0)
        }
    }

    @Test("I6 A session expires at its absolute limit, however often it is refreshed")
    func absoluteEnd() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let (sessions, clock) = (fixture.sessions(book), fixture.clock)
            var (session, tokens) = try fixture.begin(try fixture.makeAccount("ann", book), book)
            let ends = session.ends
            while clock.now.later(seconds: 20 * 86_400) < ends {
                clock.advance(seconds: 20 * 86_400)
                (session, _, tokens) = try sessions.refresh(tokens.refresh, nonce: "\(clock.now)", at: clock.now)
                #expect(session.idleEnds <= ends)
            }
            clock.now = ends
            #expect(throws: AccountError.sessionEnded) { try sessions.refresh(tokens.refresh, nonce: "last", at: clock.now) }
        }
    }

    @Test("I6 A repeated refresh returns the same tokens until the new refresh token is used")
    func sentAgain() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let (sessions, now) = (fixture.sessions(book), fixture.clock.now)
            let (_, first) = try fixture.begin(try fixture.makeAccount("ann", book), book)
            let second = try sessions.refresh(first.refresh, nonce: "a", at: now).2
            #expect(try sessions.refresh(first.refresh, nonce: "a", at: now).2 == second)
            // Requests that were sent with the previous access token are still accepted.
            #expect(sessions.lookup(access: first.access, at: now) != nil)
            let third = try sessions.refresh(second.refresh, nonce: "b", at: now).2
            #expect(sessions.lookup(access: third.access, at: now) != nil)
            #expect(sessions.lookup(access: first.access, at: now) == nil)
            #expect(throws: AccountError.sessionEnded) { try sessions.refresh(first.refresh, nonce: "a", at: now) }
            #expect(sessions.lookup(access: third.access, at: now) == nil)
        }
    }

    @Test("I6 A refresh token that is used twice ends the session, whichever client uses it first", arguments: [true, false])
    func reuse(thiefIsFirst: Bool) throws {
        try AccountDatabaseFixture.with { fixture, book in
            let (sessions, now) = (fixture.sessions(book), fixture.clock.now)
            let (_, stolen) = try fixture.begin(try fixture.makeAccount("ann", book), book)
            let nonces = thiefIsFirst ? ["thief", "person"] : ["person", "thief"]
            let got = try sessions.refresh(stolen.refresh, nonce: nonces[0], at: now).2
            #expect(throws: AccountError.sessionEnded) { try sessions.refresh(stolen.refresh, nonce: nonces[1], at: now) }
            #expect(throws: AccountError.sessionEnded) { try sessions.refresh(got.refresh, nonce: "next", at: now) }
            #expect(sessions.lookup(access: got.access, at: now) == nil)
            #expect(sessions.lookup(access: stolen.access, at: now) == nil)
        }
    }

    @Test("I7 After a reauthentication the earlier tokens are invalid")
    func reauthenticating() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let sessions = fixture.sessions(book)
            let (session, old) = try fixture.begin(try fixture.makeAccount("ann", book), book)
            fixture.clock.advance(seconds: 60)
            let now = fixture.clock.now
            let (again, new) = try sessions.reauthenticate(session.id, provider: .password, authenticatedAt: now, at: now)
            #expect(again.authenticatedAt == now)
            #expect(sessions.lookup(access: old.access, at: now) == nil)
            #expect(sessions.lookup(access: new.access, at: now)?.0 == again)
            #expect(throws: AccountError.sessionEnded) { try sessions.refresh(old.refresh, nonce: "a", at: now) }
        }
    }

    @Test("A made-up token is invalid and ends no session")
    func madeUp() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let (sessions, now) = (fixture.sessions(book), fixture.clock.now)
            let (_, tokens) = try fixture.begin(try fixture.makeAccount("ann", book), book)
            for text in Self.mutations(of: tokens.access) + [tokens.refresh] {
                #expect(sessions.lookup(access: text, at: now) == nil, "\(text)")
            }
            for text in Self.mutations(of: tokens.refresh) + [tokens.access] {
                #expect(throws: AccountError.sessionEnded) { try sessions.refresh(text, nonce: "a", at: now) }
            }
            #expect(sessions.lookup(access: tokens.access, at: now) != nil)
            #expect(book.read { $0.sessionCount } == 1)
        }
    }

    /// Returns the text with each letter replaced, with one letter more or less, an empty text, and the two prefixes alone.
    private static func mutations(of text: String) -> [String] {
        let letters = Array(text)
        return letters.indices.map { index in
            var changed = letters
            changed[index] = changed[index] == "A" ? "B" : "A"
            return String(changed)
        } + [text + "A", String(text.dropLast()), "", "muna_", "munr_"]
    }

    @Test("An account has a limited number of sessions, and a new session replaces the least recently used one")
    func room() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let (sessions, clock) = (fixture.sessions(book), fixture.clock)
            let ann = try fixture.makeAccount("ann", book)
            var tokens: [SessionTokens] = []
            for _ in 0..<SessionManager.limitPerAccount {
                tokens.append(try fixture.begin(ann, book).1)
                clock.advance(seconds: 1)
            }
            tokens[0] = try sessions.refresh(tokens[0].refresh, nonce: "a", at: clock.now).2
            _ = try fixture.begin(ann, book)
            #expect(book.read { $0.sessions(of: ann).count } == SessionManager.limitPerAccount)
            #expect(sessions.lookup(access: tokens[0].access, at: clock.now) != nil)
            #expect(sessions.lookup(access: tokens[1].access, at: clock.now) == nil)
            #expect(sessions.lookup(access: tokens[2].access, at: clock.now) != nil)
        }
    }

    @Test("Expired sessions are removed")
    func sweeping() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let sessions = fixture.sessions(book)
            let ann = try fixture.makeAccount("ann", book)
            for _ in 0..<3 { _ = try fixture.begin(ann, book) }
            fixture.clock.advance(seconds: fixture.settings.idleSeconds / 2)
            _ = try fixture.begin(ann, book)
            #expect(try sessions.endExpired(at: fixture.clock.now) == 0)
            fixture.clock.advance(seconds: fixture.settings.idleSeconds / 2)
            #expect(try sessions.endExpired(at: fixture.clock.now) == 3)
            #expect(book.read { $0.sessionCount } == 1)
        }
    }
}
