import Dispatch
import Permissions
import Synchronization
import TestSupport
import Testing
import Work

@testable import Identity

@Suite("Many changes of one account", .timeLimit(.minutes(60)))
struct ManyChangesTests {
    @Test(
        "I3 A user who makes many changes must wait, and the refused changes hash and mail nothing")
    func limited() throws {
        var settings = AccountsFixture.settings
        settings.limits.changes = LimitRule(free: 4, firstDelaySeconds: 30, longestDelaySeconds: 60, forgottenSeconds: 3_600)
        try AccountsFixture.with(settings: settings) { fixture in
            let (accounts, access) = (fixture.accounts, try fixture.member("eve@example.org").tokens.access)
            let changePassword = { try accounts.changePassword(access, "one of many passwords") }
            let changes: [() throws -> Void] = [
                { _ = try changePassword() },
                {
                    _ = try accounts.link(
                        access, AccountsFixture.badge, AccountsFixture.badge("e"), from: AccountsFixture.home)
                },
                { _ = try accounts.unlink(access, AccountsFixture.badge) },
                { _ = try accounts.requestEmailChange(access, "other@example.org", from: AccountsFixture.home) },
            ]
            for change in changes { try change() }
            accounts.mails.drain()
            let (hashed, sent) = (accounts.passwordHashCount, fixture.mailer.all.count)
            for change in changes { #expect(problem(change) == .tooManyAttempts(retryAfterSeconds: 30)) }
            accounts.mails.drain()
            #expect(accounts.passwordHashCount == hashed)
            #expect(fixture.mailer.all.count == sent)
            // Other users are not affected.
            let ann = try fixture.member("ann@example.org")
            _ = try accounts.changePassword(ann.tokens.access, "one of many passwords")
            fixture.clock.advance(seconds: 30)
            _ = try changePassword()
        }
    }

    @Test("I3 Unsent notices always leave room for codes, and codes are sent before notices")
    func roomForCodes() throws {
        let (mailer, reports) = (HeldMails(), Reports())
        let queue = MailQueue(mailer, limit: 3, pausesSeconds: [], report: reports.add)
        let eve = try #require(EmailAddress("eve@example.org"))
        let ann = try #require(EmailAddress("ann@example.org"))
        let mail = { (to: EmailAddress) in MailMessage(to: to, subject: "", text: "") }
        for _ in 0..<5 { queue.send(mail(eve), as: .notice) }
        #expect(queue.hasRoom)
        #expect(reports.lines.count == 2)
        mailer.waitForFirst()
        for _ in 0..<3 { queue.send(mail(ann), as: .code) }
        #expect(!queue.hasRoom)
        mailer.letGo()
        queue.drain()
        #expect(mailer.sent == [eve, ann, ann, ann, eve, eve])
        #expect(queue.hasRoom)
    }

    @Test("I3 A sign-up succeeds while a thousand notices wait for a slow mail server")
    func signingUp() throws {
        try withTemporaryFolder { folder in
            let mailer = HeldMails()
            let accounts = try Accounts(
                folder: folder, providers: [], mails: MailQueue(mailer, pausesSeconds: [], report: { _ in }),
                directory: KeptUsers(),
                settings: AccountsFixture.settings, clock: { .newYear }, report: { _ in })
            defer { accounts.close() }
            defer { mailer.letGo() }
            let eve = Account(
                id: AccountID(9), principal: "user:eve", createdAt: .newYear, email: EmailAddress("eve@example.org"),
                profile: Profile(), identities: [])
            for _ in 0..<1_100 { accounts.signInMethodsChanged(eve, .passwordSet) }
            _ = try accounts.signUp(
                .password, AccountsFixture.evidence("ann@example.org"), profile: Profile(), device: nil, from: AccountsFixture.home)
        }
    }
}

/// A mailer that accepts mails, and finishes the first one on request.
private final class HeldMails: Mailer {
    private let kept = Mutex<[EmailAddress]>([])
    private let isAsked = DispatchSemaphore(value: 0)
    private let isFree = DispatchSemaphore(value: 0)

    func send(_ message: MailMessage) throws(MailError) {
        let isFirst = kept.withLock { kept in
            kept.append(message.to)
            return kept.count == 1
        }
        guard isFirst else { return }
        isAsked.signal()
        _ = isFree.wait(timeout: .now() + 1_200)
    }

    /// Waits until the first mail is being sent.
    func waitForFirst() { _ = isAsked.wait(timeout: .now() + 1_200) }

    func letGo() { isFree.signal() }

    var sent: [EmailAddress] { kept.withLock { $0 } }
}
