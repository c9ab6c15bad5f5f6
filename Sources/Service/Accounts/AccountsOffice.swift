internal import Credentials
internal import Events
internal import Identity
internal import Permissions

/// What the service has to do with accounts: the accounts themselves, who calls with a session, and where work about them is done.
final class AccountsOffice: Sendable {
    let accounts: Accounts
    /// What sessions reach.
    private let stores: StoreScope
    /// Apart from the rest, so that any number of sign-ins hold up no permission check; and apart from each other, so that they hold
    /// up nobody either who is signed in already.
    ///
    /// Few may wait: the last of them still gets its answer before it gives up, at some ten hashes a second.
    private let hashing = WorkQueue(WorkLimits(running: 16, waiting: 32))
    /// For each provider but the password a queue of its own: one that does not answer holds up those who come by it, and nobody else.
    private let issuers: [ProviderID: WorkQueue]
    private let brisk = WorkQueue(WorkLimits(running: 8, waiting: 1_024, waitingOfCaller: 256))

    init(
        _ options: AccountsOptions, _ settings: ServiceSettings, _ data: DataDirectory, _ tokens: TokenRegistry,
        _ runningCommits: RunningCommits
    ) throws {
        stores = .named(options.stores.map(\.text))
        issuers = Dictionary(
            options.providers.map { ($0.id, WorkQueue(WorkLimits(running: 8, waiting: 32))) },
            uniquingKeysWith: { first, _ in first })
        accounts = try Accounts(
            folder: data.ownFolder, providers: options.providers, mailer: options.mailer,
            directory: StoreDirectory(
                data: data, stores: options.stores, tokens: tokens, runningCommits: runningCommits, clock: settings.clock,
                report: settings.report),
            settings: options.settings, clock: settings.clock, report: settings.report)
    }

    /// Makes everybody a user of the stores who is not yet one of some: of a store that accounts belong to only since this start.
    func enrollAll() throws { try accounts.enrollAll() }

    /// Who calls with an access token: a hash and a look into a table. Nil for one that is unknown, or good no more.
    func caller(access: String) -> Caller? {
        guard let (session, account) = accounts.session(access: access) else { return nil }
        return Caller(
            id: account.principal.text, stores: stores, right: .act(as: account.principal),
            credential: "session \(session.id.number)", session: session.id)
    }

    /// Whether what a caller has open may stay open: its session is good, though its account may be about to go.
    func isOpen(_ caller: Caller, access: String) -> Bool {
        guard let session = caller.session else { return false }
        return accounts.isOpen(session, access: access)
    }

    /// Why no account can be changed; nil while they can.
    var obstacleToChanges: String? { accounts.obstacleToChanges }

    /// Where a request waits for its turn.
    func queue(_ pace: AccountsPace, for call: Call) -> WorkQueue {
        switch pace {
        case .brisk: return brisk
        case .hashing: return hashing
        case .proving:
            // A body that names no provider is refused as soon as it is looked at.
            guard case .string(let name)? = (try? call.json())?["provider"], let provider = ProviderID(name) else { return brisk }
            return issuers[provider] ?? hashing
        }
    }

    /// Drops the waiting work of a caller whose clients have left.
    func dropObsolete(of origin: WorkOrigin) {
        for queue in [hashing, brisk] + issuers.values { queue.dropObsolete(of: origin) }
    }

    /// Closes the accounts, once what is being done with them is done; what waits for its turn is dropped.
    func close() {
        hashing.close()
        for queue in issuers.values { queue.close() }
        brisk.close()
        accounts.close()
    }
}

/// The form of an access token.
enum AccessToken {
    private static let prefix = "muna_"

    static func isWellFormed(_ text: String) -> Bool { text.utf8.starts(with: prefix.utf8) }
}
