import Events
import TestSupport
import Testing
import Work

@testable import Identity

@Suite("Limits of attempts")
struct LimitTests {
    static let rule = LimitRule(free: 3, firstDelaySeconds: 2, longestDelaySeconds: 10, forgottenSeconds: 100)

    private func limiter(subjectLimit: Int = 100) -> AttemptLimiter<LimitCharge> {
        var limits = AccountLimits()
        (limits.identity, limits.source) = (Self.rule, Self.rule)
        return AttemptLimiter<LimitCharge>(limits, subjectLimit: subjectLimit)
    }

    private func waitSeconds(_ limiter: AttemptLimiter<LimitCharge>, _ charges: [LimitCharge], at now: Instant) -> Int {
        guard case .tooManyAttempts(let seconds)? = problem({ try limiter.charge(charges, at: now) }) else { return 0 }
        return seconds
    }

    @Test("Delays double after the free attempts, up to the longest delay")
    func growing() {
        var subject = Attempts(at: .newYear)
        let waits = (0..<7).map { _ in
            subject.count(Self.rule, at: .newYear)
            return subject.wait(Self.rule, at: .newYear) / 1_000_000
        }
        #expect(waits == [0, 0, 2, 4, 8, 10, 10])
    }

    @Test("A refused attempt does not count")
    func refused() {
        let (limiter, clock) = (limiter(), ManualClock())
        for _ in 0..<3 { #expect(waitSeconds(limiter, [.source("a")], at: clock.now) == 0) }
        for _ in 0..<9 { #expect(waitSeconds(limiter, [.source("a")], at: clock.now) == 2) }
        clock.advance(seconds: 2)
        #expect(waitSeconds(limiter, [.source("a")], at: clock.now) == 0)
        #expect(waitSeconds(limiter, [.source("a")], at: clock.now) == 4)
    }

    @Test("Concurrent attempts are counted before any of them is answered")
    func together() {
        let limiter = limiter()
        let passed = (0..<100).count { _ in waitSeconds(limiter, [.source("a")], at: .newYear) == 0 }
        #expect(passed == Self.rule.free)
    }

    @Test("An attempt that is refused for one subject counts for no subject")
    func allOrNone() {
        let limiter = limiter()
        for _ in 0..<3 { _ = waitSeconds(limiter, [.source("a")], at: .newYear) }
        for name in 0..<9 {
            #expect(waitSeconds(limiter, [.source("a"), .source("\(name)")], at: .newYear) == 2)
        }
        #expect(limiter.subjectCount == 1)
    }

    @Test("An attempt that is taken back does not count, and other attempts expire one by one")
    func takenBack() {
        let (limiter, clock) = (limiter(), ManualClock())
        for _ in 0..<50 {
            #expect(waitSeconds(limiter, [.source("a")], at: clock.now) == 0)
            limiter.takeBack([.source("a")], at: clock.now)
        }
        #expect(limiter.subjectCount == 0)
        for _ in 0..<3 { _ = waitSeconds(limiter, [.source("a")], at: clock.now) }
        clock.advance(seconds: 100)
        #expect(waitSeconds(limiter, [.source("a")], at: clock.now) == 0)
        #expect(waitSeconds(limiter, [.source("a")], at: clock.now) == 2)
        clock.advance(seconds: 1_000)
        for _ in 0..<3 { #expect(waitSeconds(limiter, [.source("a")], at: clock.now) == 0) }
    }

    @Test("After the clock is set back, no user waits longer than the longest delay")
    func clockSetBack() {
        let (limiter, clock) = (limiter(), ManualClock())
        for _ in 0..<3 { _ = waitSeconds(limiter, [.source("a")], at: clock.now) }
        clock.advance(seconds: -86_400)
        #expect(waitSeconds(limiter, [.source("a")], at: clock.now) == 0)
    }

    @Test("Many made-up subjects use limited memory, and do not remove a subject under attack")
    func bounded() {
        let limiter = limiter(subjectLimit: 100)
        for _ in 0..<3 { _ = waitSeconds(limiter, [.source("attacked")], at: .newYear) }
        for name in 0..<10_000 { _ = waitSeconds(limiter, [.source("made up \(name)")], at: .newYear) }
        #expect(limiter.subjectCount <= 100)
        #expect(waitSeconds(limiter, [.source("attacked")], at: .newYear) == 2)
    }

    @Test("I3 Guesses of one password from many addresses are delayed before any hash, also for an unknown email")
    func oneIdentity() throws {
        try AccountsFixture.with { fixture in
            try fixture.member("ann@example.org")
            for email in ["ann@example.org", "nobody@example.org"] {
                for number in 1...5 {
                    #expect(problem { try fixture.signIn(email, "guess \(number)", from: "10.0.0.\(number)") } == .wrongCredentials)
                }
                #expect(
                    problem { try fixture.signIn(email, from: "10.0.0.9") } == .tooManyAttempts(retryAfterSeconds: 1))
            }
            fixture.clock.advance(seconds: 1)
            try fixture.signIn("ann@example.org", from: "10.0.0.9")
            // A correct password resets the count.
            #expect(problem { try fixture.signIn("ann@example.org", "guess", from: "10.0.0.9") } == .wrongCredentials)
            try fixture.signIn("ann@example.org", from: "10.0.0.9")
        }
    }

    @Test("I3 Guesses from one address for many users are delayed, even if the caller's own account signs in between")
    func oneSource() throws {
        try AccountsFixture.with { fixture in
            try fixture.member("mallory@example.org")
            var refused = 0
            for number in 1...60 {
                let told = problem { try fixture.signIn("victim\(number)@example.org", "guess", from: "10.0.0.1") }
                if case .tooManyAttempts? = told { refused += 1 }
                _ = problem { try fixture.signIn("mallory@example.org", from: "10.0.0.1") }
            }
            #expect(refused == 10)
            try fixture.signIn("mallory@example.org", from: "10.0.0.2")
        }
    }

    @Test("I7 Password guesses by other clients do not prevent the user from reauthenticating")
    func strangers() throws {
        try AccountsFixture.with { fixture in
            let ann = try fixture.member("ann@example.org")
            for number in 1...20 { _ = problem { try fixture.signIn("ann@example.org", "guess", from: "10.0.0.\(number)") } }
            let again = { (password: String) in
                try fixture.accounts.reauthenticate(
                    ann.tokens.access, .password, ["password": .string(password)], from: "10.1.0.1")
            }
            for _ in 1...4 { #expect(problem { try again("guess") } == .wrongCredentials) }
            _ = try again(AccountsFixture.password)
        }
    }

    @Test("I3 Mails to one email address are delayed, counted over all callers and purposes")
    func mails() throws {
        var settings = AccountsFixture.settings
        settings.limits.mails = LimitRule(free: 2, firstDelaySeconds: 30, longestDelaySeconds: 60, forgottenSeconds: 3_600)
        try AccountsFixture.with(settings: settings) { fixture in
            _ = try fixture.begin("ann@example.org", from: "10.0.0.1")
            _ = try fixture.accounts.requestReset(email: "ann@example.org", from: "10.0.0.2")
            #expect(
                problem { try fixture.begin("ann@example.org", from: "10.0.0.3") } == .tooManyAttempts(retryAfterSeconds: 30))
            #expect(
                problem { try fixture.accounts.requestReset(email: "ann@example.org", from: "10.0.0.4") }
                    == .tooManyAttempts(retryAfterSeconds: 30))
            fixture.accounts.mails.drain()
            #expect(fixture.mailer.all.count == 2)
        }
    }

    @Test("I3 Code guesses from one address are delayed across attempts")
    func codes() throws {
        try AccountsFixture.with { fixture in
            var told: [AccountError?] = []
            for _ in 1...51 {
                told.append(
                    problem { try fixture.accounts.verify(attempt: "munp_x", code: "AAAA-AAAA", device: nil, from: "10.0.0.1") })
            }
            #expect(told.dropLast().allSatisfy { $0 == .wrongCode })
            #expect(told.last == .tooManyAttempts(retryAfterSeconds: 1))
        }
    }
}
