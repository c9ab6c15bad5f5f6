public import Events
internal import Permissions
internal import Secrets
internal import Synchronization

/// The accounts of a data directory: signing up and in, ways in, sessions, and the end of it all (CONFORMANCE I2 to I9).
///
/// Every function may block: on hashing a password, on a provider, on the disk. ``session(access:)`` does not.
///
/// `source` is the address that a request came from, in the form in which addresses are to be counted for the limits.
public final class Accounts: Sendable {
    let book: AccountBook
    let sessions: Sessions
    let waysIn: [ProviderID: any IdentityProvider]
    /// The ways of signing in, in order of priority.
    public let providers: [(id: ProviderID, priority: Int)]
    let passwords: PasswordProvider
    let directory: any PermissionDirectory
    let settings: AccountSettings
    let clock: @Sendable () -> Instant
    let report: @Sendable (String) -> Void
    let mails: MailQueue
    let limiter: AttemptLimiter
    let steps = PendingSteps()
    let links = PendingTable<PendingLink>(prefix: "munl_")
    let leaving = Mutex<Set<AccountID>>([])
    /// When sessions whose time is over are looked for again.
    let nextSweep = Mutex(Instant.distantPast)

    /// Opens the accounts of a data directory, or begins with none.
    ///
    /// - Parameters:
    ///   - folder: where they are kept: `.muniment` of the data directory.
    ///   - providers: ways of signing in beside email and password, which is always there.
    ///   - mailer: what brings codes to people.
    ///   - directory: the stores whose users the accounts are.
    ///   - settings: how long things last and how much is let through.
    ///   - clock: what time it is.
    ///   - report: is told what an operator has to know; never of a secret or an address.
    /// - Throws: ``AccountBookError`` where they cannot be opened; ``AccountProblem/unknownProvider(_:)`` for a provider that is
    ///   there twice.
    public convenience init(
        folder: String, providers: [any IdentityProvider], mailer: any Mailer, directory: any PermissionDirectory,
        settings: AccountSettings, clock: @escaping @Sendable () -> Instant, report: @escaping @Sendable (String) -> Void
    ) throws {
        try self.init(
            folder: folder, providers: providers, mails: MailQueue(mailer, report: report), directory: directory,
            settings: settings, clock: clock, report: report)
    }

    init(
        folder: String, providers: [any IdentityProvider], mails: MailQueue, directory: any PermissionDirectory,
        settings: AccountSettings, clock: @escaping @Sendable () -> Instant, report: @escaping @Sendable (String) -> Void
    ) throws {
        let threads = BackgroundThreads(count: settings.hashesAtOnce, backlogLimit: settings.hashBacklog)
        passwords = try PasswordProvider(settings.passwordHash, on: threads)
        var waysIn: [ProviderID: any IdentityProvider] = [.password: passwords]
        for provider in providers {
            guard waysIn.updateValue(provider, forKey: provider.id) == nil else {
                throw AccountProblem.unknownProvider("\(provider.id) is there twice: give one of them another id")
            }
        }
        self.waysIn = waysIn
        self.providers = waysIn.values.map { ($0.id, $0.priority) }.sorted { ($0.priority, $0.id) < ($1.priority, $1.id) }
        self.mails = mails
        self.directory = directory
        self.settings = settings
        self.clock = clock
        self.report = report
        limiter = AttemptLimiter(settings.limits)
        book = try AccountBook(folder: folder)
        sessions = Sessions(book: book, settings: settings)
    }

    /// Sends what mails are waiting, as far as that takes seconds and not minutes, and closes the accounts. Nothing can be asked of them
    /// any more.
    public func close() {
        mails.drain()
        book.close()
    }

    /// Why no account can be changed; nil while they can.
    public var obstacleToChanges: String? { book.failure }

    /// Goes through the log and the keys again, and compares what they lead to with what is in memory. Changes wait meanwhile.
    ///
    /// - Returns: how many records, accounts and sessions there are.
    /// - Throws: ``AccountBookError`` with what is wrong.
    public func verify() throws -> AccountVerification { try book.verify() }

    /// How many passwords were hashed since the start, to be kept or to be compared. Each takes a processor for a moment.
    public var passwordHashCount: Int { passwords.hashCount }

    /// Does what has to be done with a provider before there is anything to prove (``IdentityProvider/begin(_:at:)``).
    public func begin(
        _ provider: ProviderID, _ request: JSONObject, from source: String
    ) throws(AccountProblem) -> JSONObject {
        let way = try way(provider)
        try limiter.take([.beginnings(source)], at: clock())
        do {
            if let answer = try way.begin(request, at: clock()) { return answer }
        } catch {
            throw problem(error, of: provider)
        }
        throw .malformed("there is nothing to begin with `\(provider)`: sign up or in at once")
    }
}

/// Somebody who is signed in now, with what their client needs for it.
public struct SignedIn: Hashable, Sendable {
    public let session: Session
    public let account: Account
    public let tokens: SessionTokens
    /// Whether the account was made just now.
    public let isNew: Bool

    public init(session: Session, account: Account, tokens: SessionTokens, isNew: Bool) {
        self.session = session
        self.account = account
        self.tokens = tokens
        self.isNew = isNew
    }
}

/// What came of signing up.
public enum SignUpOutcome: Hashable, Sendable {
    case signedIn(SignedIn)
    /// A code is on its way to the address, whether that has an account or not. Whoever has it goes on with the attempt, which is
    /// secret.
    case verificationSent(attempt: String, ends: Instant)
}
