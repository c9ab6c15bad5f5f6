import Events
import Glibc
import Secrets
import TestSupport
import Testing

@testable import Identity

@Suite("Passwords, codes and mails")
struct PasswordTests {
    private static let email = AccountDatabaseFixture.email("antonia")

    @Test(
        "I6 A password that is too short, too long or easy to guess is refused",
        arguments: [
            "", "seven77", String(repeating: "long ", count: 205), "aaaaaaaaaa", "abababab", "12345678", "abcdefgh", "qwertyui",
            "qwerty1234", "antonia@example.com", "Antonia@Example.com", "antonia1", "ANTONIA99", "password", "Password1!",
        ])
    func refused(password: String) throws {
        #expect(PasswordRules.violation(password, for: Self.email, common: try CommonPasswords.installed.get()) != nil)
    }

    @Test(
        "I6 A password on the list of common ones is refused with that reason, even with small additions",
        arguments: ["sunshine", "Football", "TRUSTNO1", "superman!", "1iloveyou1", "princess123", "administrator"])
    func common(password: String) throws {
        let violation = PasswordRules.violation(password, for: Self.email, common: try CommonPasswords.installed.get())
        #expect(violation?.contains("list of commonly used passwords") == true)
    }

    @Test("A missing or empty list of common passwords is an error that names the package with the list")
    func missingList() throws {
        try withTemporaryFolder { folder in
            let missing = #expect(throws: CommonPasswordsError.self) { try CommonPasswords(file: folder + "/none") }
            #expect(missing?.description.contains("cracklib-runtime") == true)
            try FileBytes.write([], to: folder + "/empty")
            #expect(throws: CommonPasswordsError.self) { try CommonPasswords(file: folder + "/empty") }
        }
    }

    @Test(
        "I6 Any other password is accepted, in any script",
        arguments: [
            "correct horse", "sunshine-2031", "x7$kq9!p", "пароль-длинный", "密码密码密码吗", String(repeating: "longer  ", count: 128),
        ])
    func taken(password: String) throws {
        #expect(PasswordRules.violation(password, for: Self.email, common: try CommonPasswords.installed.get()) == nil)
    }

    @Test("Hashing threads have a low priority, and the caller's thread keeps its priority")
    func givesWay() {
        let threads = BackgroundThreads(count: 1, backlogLimit: 1)
        let own = getpriority(Int32(PRIO_PROCESS.rawValue), 0)
        let theirs = threads.run { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
        #expect(theirs == max(own, 15))
        #expect(getpriority(Int32(PRIO_PROCESS.rawValue), 0) == own)
    }

    @Test("Hashes over the backlog limit are refused without waiting")
    func busy() throws {
        let threads = BackgroundThreads(count: 1, backlogLimit: 1)
        let (began, goOn) = (Gate(), Gate())
        let first = TestThread {
            _ = threads.run {
                began.open()
                goOn.wait()
            }
        }
        began.wait()
        let waiting = Gate()
        let second = TestThread {
            waiting.open()
            while threads.run({ true }) == nil {}
        }
        waiting.wait()
        // One job runs and one may wait. Of two more jobs, one is refused.
        var turnedAway = false
        let third = TestThread { while threads.run({ true }) == nil {} }
        let end = ContinuousClock.now + .seconds(1_200)
        while !turnedAway, .now < end { turnedAway = threads.backlog == 1 && threads.run { true } == nil }
        goOn.open()
        for thread in [first, second, third] { try thread.join() }
        #expect(turnedAway)
        #expect(threads.run { 7 } == 7)
    }

    @Test("A code has eight unambiguous characters, and each code is different")
    func codes() {
        let codes = (0..<200).map { _ in OneTimeCode.random() }
        #expect(Set(codes.map(\.text)).count == 200)
        for code in codes {
            #expect(code.text.utf8.count == 9)
            #expect(!code.text.contains { "IO01".contains($0) })
            #expect(code.matches(code.text) && code.matches(" " + code.text.lowercased().replacing("-", with: "") + " "))
            #expect(!code.matches(String(code.text.dropLast())) && !code.matches(code.text + "A") && !code.matches(""))
        }
    }

    @Test("Pending steps are limited, and a new step never removes another one")
    func bounded() throws {
        let steps = PendingStepTable(limit: 3)
        let add = { (now: Instant) in
            try steps.add(.nothing(Self.email), until: now.later(seconds: 60), at: now)
        }
        for _ in 0..<3 { _ = try add(.newYear) }
        guard case .unavailable? = problem({ try add(.newYear) }) else {
            Issue.record("a fourth step was taken")
            return
        }
        _ = try add(Instant.newYear.later(seconds: 60))
        #expect(steps.count == 1)
    }

    @Test("A refused mail is sent again, and finally dropped with a report that does not name the recipient")
    func failingMails() throws {
        let (mailer, reports) = (KeptMails(), Reports())
        let queue = MailQueue(mailer, pausesSeconds: [0, 0], report: reports.add)
        let mail = MailText(service: "Acme").nobodyToReset(Self.email)
        mailer.fail(2)
        queue.send(mail, as: .code)
        queue.drain()
        #expect(mailer.all == [mail])
        #expect(reports.lines.isEmpty)
        mailer.fail(3)
        queue.send(mail, as: .code)
        queue.drain()
        #expect(mailer.all == [mail])
        #expect(reports.lines == ["a mail was not sent: the server is not there"])
    }

    @Test("No report or mail contains a password or a text that a caller supplied")
    func noSecrets() throws {
        try AccountsFixture.with { fixture in
            let words = "buy now at evil.example"
            _ = try fixture.accounts.signUp(
                .password, AccountsFixture.evidence("ann@example.org", "s3cret-passphrase"), profile: Profile(displayName: words),
                device: words, from: AccountsFixture.home)
            fixture.mailer.fail(1)
            _ = try fixture.accounts.requestReset(email: "ann@example.org", from: AccountsFixture.home)
            fixture.accounts.mails.drain()
            let texts = fixture.mailer.all.flatMap { [$0.subject, $0.text] } + fixture.reports.lines
            #expect(!texts.contains { $0.contains("s3cret") || $0.contains(words) })
            #expect(!fixture.reports.lines.isEmpty)
            #expect(!fixture.reports.lines.contains { $0.contains("ann") })
        }
    }
}
