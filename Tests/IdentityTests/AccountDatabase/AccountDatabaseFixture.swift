import Events
import Permissions
import TestSupport

@testable import Identity

/// Accounts on disk in a separate folder, with a clock that only a test advances.
struct AccountDatabaseFixture {
    /// The folder that replaces `.muniment` of a data directory.
    let folder: String
    let clock = ManualClock()
    var settings = AccountSettings()

    /// Opens the accounts of a new folder, and closes and removes them afterwards.
    static func with(_ body: (AccountDatabaseFixture, AccountDatabase) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            try fixture.open { try body(fixture, $0) }
        }
    }

    /// Opens the accounts of the folder, and closes them afterwards.
    func open<R>(_ body: (AccountDatabase) throws -> R) throws -> R {
        let book = try AccountDatabase(folder: folder)
        defer { book.close() }
        return try body(book)
    }

    func sessions(_ book: AccountDatabase) -> SessionManager { SessionManager(book: book, settings: settings) }

    /// Opens an account with a password.
    @discardableResult
    func makeAccount(_ name: String, _ book: AccountDatabase) throws -> AccountID {
        try book.change(at: clock.now) { change in Self.makeAccount(name, at: clock.now, in: &change) }
    }

    static func makeAccount(_ name: String, at now: Instant, in change: inout AccountChange) -> AccountID {
        let id = change.state.nextAccount
        let email = Self.email(name)
        change.record(.accountOpened(id, principal: Name("user:\(name)"), profile: Profile(displayName: "The \(name)")))
        change.record(.emailSet(id, email))
        change.record(.identityLinked(id, Self.password(email, at: now)))
        return id
    }

    static func email(_ name: String) -> EmailAddress {
        guard let email = EmailAddress("\(name)@example.com") else { preconditionFailure("`\(name)` makes no email") }
        return email
    }

    static func password(_ email: EmailAddress, at now: Instant, secret: String = "$argon2id$first") -> LinkedIdentity {
        LinkedIdentity(provider: .password, key: IdentityKey(email), label: email.text, secret: secret, linkedAt: now)
    }

    static func provider(_ text: String) -> ProviderID {
        guard let provider = ProviderID(text) else { preconditionFailure("`\(text)` is no provider") }
        return provider
    }

    /// Begins a session of an account.
    func begin(_ account: AccountID, _ book: AccountDatabase, device: String? = "laptop") throws -> (Session, SessionTokens) {
        try sessions(book).begin(account, provider: .password, device: device, authenticatedAt: clock.now, at: clock.now)
    }
}

/// Session operations that are the only change of a record.
extension SessionManager {
    /// Starts a session in a separate change.
    func begin(
        _ account: AccountID, provider: ProviderID, device: String?, authenticatedAt: Instant, at now: Instant
    ) throws -> (Session, SessionTokens) {
        try book.change(at: now) { change in
            guard change.state.account(account) != nil else { throw AccountError.noAccount }
            return begin(account, provider: provider, device: device, authenticatedAt: authenticatedAt, at: now, in: &change)
        }
    }

    /// Reauthenticates in a separate change.
    func reauthenticate(
        _ id: SessionID, provider: ProviderID, authenticatedAt: Instant, at now: Instant
    ) throws -> (Session, SessionTokens) {
        try book.change(at: now) { change in
            try reauthenticate(id, provider: provider, authenticatedAt: authenticatedAt, at: now, in: &change)
        }
    }

    /// Ends a session in a separate change.
    func end(_ id: SessionID, _ why: SessionEndReason, at now: Instant) throws {
        try book.change(at: now) { change in end(id, why, in: &change) }
    }

    /// Ends the sessions of an account in a separate change.
    func endAll(of account: AccountID, except kept: SessionID?, _ why: SessionEndReason, at now: Instant) throws {
        try book.change(at: now) { change in endAll(of: account, except: kept, why, in: &change) }
    }
}
