public import Events
public import HTTPServer
public import Muniment

/// What a service is started with.
public struct ServiceSettings: Sendable {
    /// The folder of the stores.
    public var dataDirectory: String
    /// Who may call besides those who have a token.
    public var callers: CallerSettings
    /// What it needs to have accounts; nil for none.
    public var accounts: AccountsOptions?
    /// What time it is.
    public var clock: @Sendable () -> Instant
    /// How stores are opened.
    public var storeOptions: StoreOptions
    /// Where callers reach the service, such as `https://permissions.example.com`, for documents with addresses in them; nil for
    /// what the request itself is sent to.
    public var publicAddress: String?
    /// Whether the service itself is reached by TLS.
    public var usesTLS = false
    /// Told of faults, in a line each without secrets.
    public var report: @Sendable (String) -> Void
    /// Proxies in front whose `X-Forwarded-For` is believed: a request that comes from one of these counts as coming from the last
    /// address there that is none of them. Nobody else's says anything.
    public var trustedProxies: Set<IPAddress> = []
    /// How many requests a second one caller may go on sending, by its token or else its address; nil for any number.
    public var requestsPerSecond: Int?
    /// How long questions may take.
    public var deadlines = RouteDeadlines()
    /// Of which stores every decision is kept.
    public var decisionLogs = DecisionLogChoice.none
    /// How requests are told of that are over.
    public var logFormat = LogFormat.none
    /// Is given the lines of these, several at once, one call at a time.
    public var writeLog: @Sendable ([UInt8]) -> Void = { _ in }

    public init(
        dataDirectory: String, callers: CallerSettings = CallerSettings(),
        clock: @escaping @Sendable () -> Instant = systemClock, storeOptions: StoreOptions = StoreOptions(),
        report: @escaping @Sendable (String) -> Void
    ) {
        self.dataDirectory = dataDirectory
        self.callers = callers
        self.clock = clock
        self.storeOptions = storeOptions
        self.report = report
    }
}
