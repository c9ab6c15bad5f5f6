public import Credentials
public import EventLog
public import Events
public import HTTPServer
public import Muniment

/// The settings of a service.
public struct ServiceSettings: Sendable {
    /// The folder of the stores.
    public var dataDirectory: String
    /// The accepted callers besides those with tokens.
    public var callers: CallerSettings
    /// The options of accounts; nil for no accounts.
    public var accounts: AccountServiceSettings?
    /// The logs that the stores share with other nodes; nil for a service on one machine.
    public var sharedLogs: (any SharedLogs)?
    /// How long a node may be without news from the shared logs before `/readyz` fails.
    public var lagLimit: Duration = .seconds(10)
    /// Returns the current time.
    public var clock: @Sendable () -> Instant
    /// The options for opening stores.
    public var storeOptions: StoreOptions
    /// The public address of the service, such as `https://permissions.example.com`, for documents with addresses; nil to use the
    /// address of the request.
    public var publicAddress: String?
    /// Types of subjects in AuthZEN requests that mean another type, such as `identity` for `user`, by the type in a request.
    public var subjectTypes: [String: String] = [:]
    /// The origins of web pages that may send requests to the service from a browser.
    public var allowedOrigins: Set<WebOrigin> = []
    /// Names of the service besides `localhost` and those of the public address and the certificate.
    public var allowedHosts: Set<HostName> = []
    /// Whether the service itself uses TLS.
    public var usesTLS = false
    /// Receives faults, one line each without secrets.
    public var report: @Sendable (String) -> Void
    /// Receives lines about the state of the service, without secrets.
    public var note: @Sendable (LogLevel, String) -> Void = { _, _ in }
    /// Proxies with a trusted `X-Forwarded-For`: a request from one of them counts for the last address in the header that is not a
    /// trusted proxy. The header of other clients is ignored.
    public var trustedProxies: [IPAddressRange] = []
    /// The sustained number of requests per second of one caller, by its token or else its address; nil for no limit.
    public var requestsPerSecond: Int?
    /// The deadlines of queries.
    public var deadlines = RouteDeadlines()
    /// The stores that have a decision log; nil for none.
    public var decisionLogs: StoreScope?
    /// The log format of finished requests.
    public var logFormat = LogFormat.none
    /// The version of the service, and its commit, for the metrics.
    public var build = (version: "unknown", commit: "")
    /// Receives the lines of the log, several at once, one call at a time.
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

/// The callers that a service accepts besides those with its own tokens.
public struct CallerSettings: Sendable {
    /// The trusted issuer of JWTs; nil to reject all JWTs.
    public var issuer: IssuerSettings?
    /// The stores that callers with such a JWT reach.
    public var issuerStores: StoreScope
    /// The stores that accept callers without credentials, as `anonymous`; nil for none.
    public var anonymousStores: StoreScope?

    public init(issuer: IssuerSettings? = nil, issuerStores: StoreScope = .all, anonymousStores: StoreScope? = nil) {
        self.issuer = issuer
        self.issuerStores = issuerStores
        self.anonymousStores = anonymousStores
    }
}

/// How long the service works on a query before it times out.
///
/// The time counts from the moment when the request is complete, so it includes waiting in a queue. Changes have no deadline: they
/// are made at their turn. Responses as JSON Lines have a deadline for their first line. Notices have one for their last line, not
/// counting the time before the first.
public struct RouteDeadlines: Sendable {
    /// The deadline of every route without a separate one.
    public var all: Duration = .seconds(30)
    /// By the name of the route in the description of the API, such as `whatIf`.
    public var byRoute: [String: Duration] = [:]

    public init() {}

    /// The valid names for ``byRoute``.
    public static var routeNames: [String] {
        RouteTable.routes.filter(\.hasDeadline).map(\.name)
    }

    /// Returns the shortest deadline in whole seconds: at least 1, and at most a limit.
    func wholeSeconds(upTo limit: Int) -> Int {
        let shortest = byRoute.values.reduce(all, min)
        return max(1, min(limit, Int(shortest.components.seconds)))
    }

    func limit(of route: String) -> Duration { byRoute[route] ?? all }
}
