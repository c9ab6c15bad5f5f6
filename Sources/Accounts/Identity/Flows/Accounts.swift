public import Primitives
public import Secrets
internal import Synchronization
internal import Work

/// The accounts of a data directory: sign-up, sign-in, identities, sessions and deletion (CONFORMANCE I2 to I9).
///
/// Every function may block: on a password hash, a provider or the disk. ``session(access:)`` does not block.
///
/// `source` is the source address of a request, in the form that the limits count.
public final class Accounts: Sendable {
    let book: AccountDatabase
    let sessions: SessionManager
    let signInMethods: [ProviderID: any IdentityProvider]
    /// The providers in order of priority.
    public let providers: [(id: ProviderID, priority: Int)]
    let passwords: PasswordProvider
    let directory: any AccountStores
    let settings: AccountSettings
    let clock: @Sendable () -> Instant
    let report: @Sendable (String) -> Void
    let mails: MailQueue
    let limiter: AttemptLimiter<LimitCharge>
    let steps = PendingStepTable()
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
    /// - Throws: ``AccountDatabaseError`` if they cannot be opened; ``AccountError/unknownProvider(_:)`` for a duplicate provider.
    public convenience init(
        folder: String, providers: [any IdentityProvider], mailer: any Mailer, directory: any AccountStores,
        settings: AccountSettings, clock: @escaping @Sendable () -> Instant, report: @escaping @Sendable (String) -> Void
    ) throws {
        try self.init(
            folder: folder, providers: providers, mails: MailQueue(mailer, report: report), directory: directory,
            settings: settings, clock: clock, report: report)
    }

    init(
        folder: String, providers: [any IdentityProvider], mails: MailQueue, directory: any AccountStores,
        settings: AccountSettings, clock: @escaping @Sendable () -> Instant, report: @escaping @Sendable (String) -> Void
    ) throws {
        let threads = BackgroundThreads(count: settings.hashesAtOnce, backlogLimit: settings.hashBacklog)
        passwords = try PasswordProvider(settings.passwordHash, on: threads)
        var signInMethods: [ProviderID: any IdentityProvider] = [.password: passwords]
        for provider in providers {
            guard signInMethods.updateValue(provider, forKey: provider.id) == nil else {
                throw AccountError.unknownProvider("the provider \(provider.id) appears twice: give one of them another id")
            }
        }
        self.signInMethods = signInMethods
        self.providers = signInMethods.values.map { ($0.id, $0.priority) }.sorted { ($0.priority, $0.id) < ($1.priority, $1.id) }
        self.mails = mails
        self.directory = directory
        self.settings = settings
        self.clock = clock
        self.report = report
        limiter = AttemptLimiter(settings.limits)
        book = try AccountDatabase(folder: folder)
        sessions = SessionManager(book: book, settings: settings)
    }

    /// Sends the waiting mails, for a few seconds at most, and closes the accounts. They cannot be used afterwards.
    public func close() {
        mails.drain()
        book.close()
    }

    /// The reason why accounts cannot be changed; nil while they can.
    public var obstacleToChanges: String? { book.failure }

    /// Checks the pages of the log, reads it and the keys again, and compares the result with the state in memory. Changes wait meanwhile.
    ///
    /// - Returns: the number of records, accounts, sessions and bytes.
    /// - Throws: ``AccountDatabaseError`` with the problem.
    public func verify() throws -> AccountVerification { try book.verify() }

    /// The number of password hashes since the start, for storage or comparison. Each one uses a processor for a moment.
    public var passwordHashCount: Int { passwords.hashCount }

    /// Starts the flow of a provider (``IdentityProvider/begin(_:at:)``).
    public func begin(
        _ provider: ProviderID, _ request: JSONObject, from source: String
    ) throws(AccountError) -> JSONObject {
        let way = try way(provider)
        try limiter.charge([.beginnings(source)], at: clock())
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
}

/// The result of a sign-up.
public enum SignUpOutcome: Hashable, Sendable {
    case signedIn(SignedIn)
    /// A code was sent to the address, whether or not it has an account. The attempt is secret; pass it back with the code.
    case verificationSent(attempt: String, ends: Instant)
}

/// The stores that accounts are users of (CONFORMANCE I9).
public protocol AccountStores: Sendable {
    /// Makes principals users of every store with accounts. Idempotent.
    ///
    /// - Parameter principals: at most as many as fit into one transaction of a store.
    func enroll(_ principals: [Name]) throws(DirectoryError)

    /// Removes a principal from all stores: its grants, memberships and administered objects. Idempotent, so that a failed deletion
    /// can be repeated.
    func withdraw(_ principal: Name) throws(DirectoryError)
}

/// An operation that a store rejected.
public struct DirectoryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, the store, and the remedy.
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// Lifetimes and limits of accounts.
public struct AccountSettings: Hashable, Sendable {
    /// The lifetime of an access token in seconds.
    public var accessSeconds: Int64 = 600
    /// The time in seconds after which a session without a refresh expires.
    public var idleSeconds: Int64 = 30 * 86_400
    /// The maximum lifetime of a session in seconds.
    public var sessionSeconds: Int64 = 180 * 86_400
    /// The maximum age in seconds of a sign-in for a sensitive change (CONFORMANCE I7).
    public var recentSignInSeconds: Int64 = 300
    /// The lifetime of a mailed code in seconds.
    public var codeSeconds: Int64 = 600
    /// The name of the service in mails.
    public var serviceName = "Muniment"
    /// The cost of a password hash. A weaker hash is replaced at the next sign-in.
    public var passwordHash = PasswordHash.Settings()
    /// The maximum number of concurrent password hashes. They run at low priority.
    public var hashesAtOnce = 2
    /// The maximum number of passwords that wait to be hashed. Further requests get ``AccountError/unavailable(_:)``.
    public var hashBacklog = 32
    /// The limits on attempts.
    public var limits = AccountLimits()

    public init() {}
}
