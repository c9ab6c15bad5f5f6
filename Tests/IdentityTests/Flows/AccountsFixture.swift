import Events
import Permissions
import Secrets
import Synchronization
import TestSupport
import Testing
import Work

@testable import Identity

/// Accounts on disk that record mails, store users and operator reports, with a manual clock.
final class AccountsFixture: Sendable {
    static let home = "192.0.2.1"
    static let password = "correct horse battery"
    static let badge = AccountDatabaseFixture.provider("badge")
    static let number = AccountDatabaseFixture.provider("number")

    let clock = ManualClock()
    let mailer = KeptMails()
    let stores = KeptUsers()
    let numbers = NumberProvider(id: AccountsFixture.number)
    let reports = Reports()
    let accounts: Accounts

    /// Hashing is cheap, and mails and changes have no delays.
    static var settings: AccountSettings {
        var settings = AccountSettings()
        settings.passwordHash = PasswordHash.Settings(memoryKiB: 8, passes: 1)
        settings.limits.mails.free = 100
        settings.limits.mailSource.free = 1_000
        settings.limits.changes.free = 1_000
        return settings
    }

    init(folder: String, settings: AccountSettings) throws {
        let (clock, reports) = (clock, reports)
        accounts = try Accounts(
            folder: folder, providers: [BadgeProvider(id: Self.badge), numbers],
            mails: MailQueue(mailer, pausesSeconds: [], report: reports.add), directory: stores, settings: settings,
            clock: { clock.now }, report: reports.add)
    }

    /// Opens the accounts of a folder, and closes them afterwards. If no folder is given, uses a new one.
    static func with(
        folder: String? = nil, settings: AccountSettings = settings, _ body: (AccountsFixture) throws -> Void
    ) throws {
        guard let folder else { return try withTemporaryFolder { try with(folder: $0, settings: settings, body) } }
        let fixture = try AccountsFixture(folder: folder, settings: settings)
        defer { fixture.accounts.close() }
        try body(fixture)
    }

    // MARK: Actions of users

    static func evidence(_ email: String, _ password: String = password) -> JSONObject {
        ["email": .string(email), "password": .string(password)]
    }

    /// Starts a sign-up with a password, up to the mail.
    func begin(_ email: String, _ password: String = password, from source: String = home) throws -> String {
        let outcome = try accounts.signUp(
            .password, Self.evidence(email, password), profile: Profile(), device: nil, from: source)
        guard case .verificationSent(let attempt, _) = outcome else { throw Unexpected("signed in without a code") }
        return attempt
    }

    /// Signs up with a password and the code from the mail.
    @discardableResult
    func member(_ email: String, _ password: String = password, device: String? = nil) throws -> SignedIn {
        let attempt = try begin(email, password)
        return try accounts.verify(attempt: attempt, code: code(email), device: device, from: Self.home)
    }

    @discardableResult
    func signIn(
        _ email: String, _ password: String = password, device: String? = nil, link: String? = nil, from source: String = home
    ) throws(AccountError) -> SignedIn {
        try accounts.signIn(.password, Self.evidence(email, password), device: device, link: link, from: source)
    }

    /// Returns the evidence of a badge.
    static func badge(
        _ who: String, email: String? = nil, isVouched: Bool = true, secondsAgo: Int64 = 0
    ) -> JSONObject {
        var evidence: JSONObject = ["badge": .string(who), "secondsAgo": .integer(secondsAgo)]
        if let email { (evidence["email"], evidence["vouched"]) = (.string(email), .bool(isVouched)) }
        return evidence
    }

    /// Signs up with a badge.
    @discardableResult
    func badged(_ who: String, email: String? = nil, isVouched: Bool = true) throws(AccountError) -> SignUpOutcome {
        try accounts.signUp(
            Self.badge, Self.badge(who, email: email, isVouched: isVouched), profile: Profile(), device: nil, from: Self.home)
    }

    /// Signs up with a badge, and returns the session.
    @discardableResult
    func badgeMember(_ who: String, email: String? = nil, isVouched: Bool = true) throws -> SignedIn {
        guard case .signedIn(let signedIn) = try badged(who, email: email, isVouched: isVouched) else {
            throw Unexpected("a code was sent")
        }
        return signedIn
    }

    /// Signs up with a name and a number, and returns the session.
    @discardableResult
    func numberMember(_ name: String, _ text: String = "1") throws -> SignedIn {
        let outcome = try accounts.signUp(
            Self.number, Self.number(name, text), profile: Profile(), device: nil, from: Self.home)
        guard case .signedIn(let signedIn) = outcome else { throw Unexpected("a code was sent") }
        return signedIn
    }

    /// Returns the evidence of a name and a number.
    static func number(_ name: String, _ text: String = "1") -> JSONObject { ["name": .string(name), "number": .string(text)] }

    /// Returns the last code that was sent to an address. Notices of earlier changes may follow it.
    func code(_ email: String) throws -> String {
        accounts.mails.drain()
        for mail in mailer.sent(to: email).reversed() {
            if let start = mail.text.firstRange(of: "The code is:  ") { return String(mail.text[start.upperBound...].prefix(9)) }
        }
        throw Unexpected("no code was sent to \(email)")
    }

    func lastMail(_ email: String) throws -> MailMessage? {
        accounts.mails.drain()
        return mailer.sent(to: email).last
    }

    // MARK: State

    func isSignedIn(_ signedIn: SignedIn) -> Bool { accounts.session(access: signedIn.tokens.access) != nil }

    func account(_ email: String) throws -> Account? { try accounts.find(email: email) }

    struct Unexpected: Error {
        let what: String
        init(_ what: String) { self.what = what }
    }
}

/// Returns the account problem that the body throws, or nil.
func problem<R>(_ body: () throws -> R) -> AccountError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? AccountError
    }
}
