internal import Credentials
internal import Events
internal import HTTPServer
internal import Permissions
internal import Synchronization
internal import Work

/// Operates the service: counts its requests, writes its log, and limits request rates.
final class Operations: Sendable {
    let counts: ServiceCounts
    /// Nil without a rate limit.
    let limiter: RateLimiter?
    let faults: FaultLog
    private let names: [String]
    private let clock: @Sendable () -> Instant
    private let format: LogFormat
    private let usesTLS: Bool
    private let lines: LineQueue
    private let stopping = Atomic(false)
    /// The number of request ids that were generated.
    private let generatedIDs = Atomic(0)

    /// Bytes of lines that may wait to be written.
    private static let logQueueBytes = 4 << 20

    init(_ settings: ServiceSettings, _ faults: FaultLog, routes: [Route]) {
        self.faults = faults
        counts = ServiceCounts(routeCount: routes.count)
        names = routes.map(\.name)
        limiter = settings.requestsPerSecond.map { RateLimiter(perSecond: $0) }
        clock = settings.clock
        format = settings.logFormat
        usesTLS = settings.usesTLS
        lines = LineQueue(label: "muniment.log", limitBytes: Operations.logQueueBytes, write: settings.writeLog)
    }

    /// Whether the service is stopping.
    var isStopping: Bool {
        get { stopping.load(ordering: .relaxed) }
        set { stopping.store(newValue, ordering: .relaxed) }
    }

    /// Returns the id of a request: the client's, or else one that tells nothing about the number of requests: the hash of this number,
    /// with the random key of the process. Another random number would take a system call.
    func requestID(of request: HTTPRequest) -> String {
        if let given = RequestID.given(in: request) { return given }
        var hasher = Hasher()
        hasher.combine(generatedIDs.wrappingAdd(1, ordering: .relaxed).newValue)
        return String(UInt64(bitPattern: Int64(hasher.finalize())) | 1 << 63, radix: 16)
    }

    /// Counts a request of a caller by its token or, without one, by its address. For IPv6, by the first 64 bits.
    ///
    /// - Returns: the rest of the caller's limit; nil without a limit.
    /// - Throws: ``Problem`` if the caller exceeds the limit.
    func admit(_ caller: Caller?, from client: String) throws(Problem) -> RateLimiter.Outcome? {
        guard let limiter else { return nil }
        let outcome = limiter.take(Caller.shareKey(caller, from: client), at: Operations.now)
        guard outcome.isAllowed else {
            counts.overLimit.add()
            throw limiter.problem(outcome)
        }
        return outcome
    }

    /// The browser then uses only HTTPS for this host, for a year (RFC 6797).
    private static let transportSecurity = HTTPHeader("Strict-Transport-Security", "max-age=31536000")

    /// Adds the headers of every response: the request id, the rest of the caller's limit, and with TLS the order to use only HTTPS.
    func addHeaders(to response: inout HTTPResponse, requestID: String?, limit: RateLimiter.Outcome?) {
        if let requestID { response.headers.append(HTTPHeader("X-Request-ID", requestID)) }
        if let limiter, let limit { response.headers += limiter.headers(limit) }
        if usesTLS { response.headers.append(Self.transportSecurity) }
    }

    /// Counts a finished request, and writes its line of the log.
    func ended(_ request: HTTPRequest, _ exchange: RequestState?, status: Int, bytes: UInt64, nanoseconds: UInt64) {
        counts.counts(ofRoute: exchange?.route).ended(status: status, nanoseconds: nanoseconds)
        guard format != .none else { return }
        let line = RequestLine(
            time: clock(), requestID: exchange?.requestID, method: request.method,
            route: exchange?.route.map { names[$0] },
            path: request.path, status: status, nanoseconds: nanoseconds, credential: exchange?.caller?.id,
            store: exchange?.storeName,
            bytes: bytes, peer: exchange?.client ?? request.peer)
        if let text = line.text(format), !lines.offer(text) { counts.linesDropped.add() }
    }

    /// Waits until the log is written.
    func flush() { lines.flush() }

    private static let start = ContinuousClock.now
    /// The time of a monotonic clock.
    private static var now: Instant { Instant(microseconds: Int64((ContinuousClock.now - start) / .microseconds(1))) }
}

/// The id that the client gives a request.
enum RequestID {
    /// Returns the `X-Request-ID` of a request; nil if it is missing, not a valid value of a header in UTF-8, or too long for a commit.
    static func given(in request: HTTPRequest) -> String? {
        guard let text = request.header("X-Request-ID"), !text.isEmpty, text.utf8.count <= Limits.originBytes,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return nil }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        return request.headerBytes("X-Request-ID").flatMap { String(validating: $0, as: UTF8.self) } == nil ? nil : text
    }
}
