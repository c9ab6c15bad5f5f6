internal import Credentials
internal import Events
public import Identity
internal import Permissions
internal import Work

/// The service's part of account handling: the accounts, the callers with sessions, and the queues for account work.
final class AccountService: Sendable {
    let accounts: Accounts
    /// The stores that sessions reach.
    private let stores: StoreScope
    /// A separate queue, so that sign-ins delay neither permission checks nor signed-in users.
    ///
    /// Few requests may wait, so that the last one is answered before its client gives up, at about ten hashes a second.
    private let hashing = WorkQueue(AccountService.limits)
    /// A separate queue for each provider except the password, so that a provider that does not respond delays only its own users.
    private let issuers: [ProviderID: WorkQueue]
    /// A quarter for each address, and for each account, which takes the place of the store: neither one address nor a run on one
    /// account keeps others from signing in.
    private static let limits = WorkLimits(
        running: 16, waiting: 32, runningOfCaller: 4, waitingOfCaller: 8, runningOfStore: 4, waitingOfStore: 8)
    private let fast = WorkQueue(WorkLimits(running: 8, waiting: 1_024, waitingOfCaller: 256))

    init(
        _ options: AccountServiceSettings, _ settings: ServiceSettings, _ data: DataDirectory, _ tokens: TokenRegistry,
        _ runningCommits: RunningCommits
    ) throws {
        stores = .named(options.stores.map(\.text))
        issuers = Dictionary(
            options.providers.map { ($0.id, WorkQueue(AccountService.limits)) },
            uniquingKeysWith: { first, _ in first })
        accounts = try Accounts(
            folder: data.ownFolder, providers: options.providers, mailer: options.mailer,
            directory: ServiceAccountStores(
                data: data, stores: options.stores, tokens: tokens, runningCommits: runningCommits, clock: settings.clock,
                report: settings.report),
            settings: options.settings, clock: settings.clock, report: settings.report)
    }

    /// Registers every account in each of its stores, for stores that were added at this start.
    func enrollAll() throws { try accounts.enrollAll() }

    /// Returns the caller of an access token: one hash and one table lookup. Nil for an unknown, expired or revoked token.
    func caller(access: String) -> Caller? {
        guard let (session, account) = accounts.session(access: access) else { return nil }
        return caller(session, account)
    }

    private func caller(_ session: Session, _ account: Account) -> Caller {
        Caller(
            id: account.principal.text, stores: stores, right: .act(as: account.principal),
            credential: "session \(session.id.number)", session: session.id)
    }

    /// Returns a credential that lasts as long as a user's session, and not as an access token; nil if the session has ended, or began
    /// after a time.
    func credential(of id: SessionID, begunBy time: Instant) -> Credential? {
        guard let (session, account) = accounts.session(id), session.createdAt <= time else { return nil }
        return Credential(caller(session, account)) { [accounts] in accounts.session(id) != nil }
    }

    /// Returns whether a caller's open streams may stay open: its session is valid, even if its account is being deleted.
    func isOpen(_ caller: Caller, access: String) -> Bool {
        guard let session = caller.session else { return false }
        return accounts.isOpen(session, access: access)
    }

    /// Why accounts cannot be changed; nil if they can.
    var obstacleToChanges: String? { accounts.obstacleToChanges }

    /// Returns the queue of a request with a cost.
    func queue(_ cost: AccountCost, _ arguments: Arguments) -> WorkQueue {
        switch cost {
        case .fast: return fast
        case .hashing: return hashing
        case .provider:
            // Arguments without a valid provider are refused quickly.
            var arguments = arguments
            guard let provider = try? arguments.provider() else { return fast }
            return issuers[provider] ?? hashing
        }
    }

    /// Returns the key that requests are counted by: the email that a request names, or else the secret of its attempt. Nil if it
    /// has neither.
    static func shareKey(_ arguments: Arguments) -> String? {
        let members = arguments.rest
        let texts = [members["evidence"]?["email"], members["email"], members["attempt"], members["evidence"]?["attempt"]]
        for case .string(let text)? in texts { return "account " + text.prefix(EmailAddress.limitBytes).lowercased() }
        return nil
    }

    /// Drops the waiting work of a caller after its clients have disconnected.
    func dropObsolete(of origin: WorkOrigin) {
        for queue in [hashing, fast] + issuers.values { queue.dropObsolete(of: origin) }
    }

    /// Closes the accounts after running work has ended. Waiting work is dropped.
    func close() {
        for queue in [hashing, fast] + issuers.values { queue.close() }
        accounts.close()
    }
}

/// The options of a service with accounts.
public struct AccountServiceSettings: Sendable {
    /// The stores that register every account, and that sessions reach.
    public var stores: [StoreName]
    /// Sign-in methods besides a password.
    public var providers: [any IdentityProvider]
    public var mailer: any Mailer
    public var settings: AccountSettings

    public init(
        stores: [StoreName] = [.default], providers: [any IdentityProvider] = [], mailer: any Mailer,
        settings: AccountSettings = AccountSettings()
    ) {
        self.stores = stores
        self.providers = providers
        self.mailer = mailer
        self.settings = settings
    }
}

/// A store configured for accounts does not exist.
public struct AccountStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public let store: StoreName
    public let dataDirectory: String

    public var description: String {
        "the store `\(store)` in the settings of accounts does not exist in `\(dataDirectory)`; create it first (`muniment init --store "
            + "\(dataDirectory)/\(store)`), or remove it from `stores`"
    }
}
