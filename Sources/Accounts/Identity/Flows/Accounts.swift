public import Primitives
internal import Secrets
internal import Synchronization

/// The accounts of a data directory: sign-up, sign-in, identities, sessions and deletion (CONFORMANCE I2 to I9).
///
/// Every function may block: on a password hash, a provider or the disk. ``session(access:)`` does not block.
///
/// `source` is the source address of a request, in the form that the limits count.
public final class Accounts: Sendable {
    let book: AccountBook
    let sessions: Sessions
    let waysIn: [ProviderID: any IdentityProvider]
    /// The providers in order of priority.
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
    /// The time of the next sweep of expired sessions.
    let nextSweep = Mutex(Instant.distantPast)

    /// Opens the accounts of a data directory, or creates an empty set.
    ///
    /// - Parameters:
    ///   - folder: the folder `.muniment` of the data directory.
    ///   - providers: the providers in addition to email and password, which is always included.
    ///   - mailer: sends the mails.
    ///   - directory: the stores that the accounts are users of.
    ///   - settings: the lifetimes and limits.
    ///   - clock: returns the current time.
    ///   - report: called with messages for the operator; they contain no secrets or addresses.
    /// - Throws: ``AccountBookError`` if they cannot be opened; ``AccountProblem/unknownProvider(_:)`` for a duplicate provider.
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
                throw AccountProblem.unknownProvider("the provider \(provider.id) appears twice: give one of them another id")
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

    /// Sends the waiting mails, for a few seconds at most, and closes the accounts. They cannot be used afterwards.
    public func close() {
        mails.drain()
        book.close()
    }

    /// The reason why accounts cannot be changed; nil while they can.
    public var obstacleToChanges: String? { book.failure }

    /// Reads the log and the keys again, and compares the result with the state in memory. Changes wait meanwhile.
    ///
    /// - Returns: the number of records, accounts and sessions.
    /// - Throws: ``AccountBookError`` with the problem.
    public func verify() throws -> AccountVerification { try book.verify() }

    /// The number of password hashes since the start, for storage or comparison. Each one uses a processor for a moment.
    public var passwordHashCount: Int { passwords.hashCount }

    /// Starts the flow of a provider (``IdentityProvider/begin(_:at:)``).
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
        throw .malformed("`\(provider)` needs no first step: sign up or sign in directly")
    }
}

/// A new sign-in, with the tokens for the client.
public struct SignedIn: Hashable, Sendable {
    public let session: Session
    public let account: Account
    public let tokens: SessionTokens
    /// Whether the account was created by this request.
    public let isNew: Bool

    public init(session: Session, account: Account, tokens: SessionTokens, isNew: Bool) {
        self.session = session
        self.account = account
        self.tokens = tokens
        self.isNew = isNew
    }
}

/// The result of a sign-up.
public enum SignUpOutcome: Hashable, Sendable {
    case signedIn(SignedIn)
    /// A code was sent to the address, whether or not it has an account. The attempt is secret; pass it back with the code.
    case verificationSent(attempt: String, ends: Instant)
}
