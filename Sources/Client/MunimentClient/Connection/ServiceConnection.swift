internal import Primitives

/// What a second execution of a request would do, which decides when a request is repeated.
public enum RequestEffect: Hashable, Sendable {
    /// The request changes nothing.
    case question
    /// A change with an `Idempotency-Key`, which the service makes only once.
    case changeWithKey
    /// Any other change.
    case change
}

/// A connection to the service: its address, the caller's tokens, and how failed requests are repeated. Usable from any task.
public struct ServiceConnection: Sendable {
    /// How failed requests are repeated.
    public var retries: RetryPolicy
    let transport: any HTTPTransport
    private let tokens: any TokenSource
    /// Waits for the given time. Returns early if the task is cancelled.
    var pause: @Sendable (_ milliseconds: Int64) async -> Void

    /// - Parameters:
    ///   - address: the address of the service.
    ///   - tokens: the tokens of requests: a ``FixedToken``, or the ``AuthManager`` of the signed-in user.
    ///   - retries: how failed requests are repeated.
    public init(_ address: ServiceAddress, tokens: any TokenSource, retries: RetryPolicy = RetryPolicy()) {
        self.init(SystemTransport(address), tokens: tokens, retries: retries)
    }

    /// - Parameters:
    ///   - transport: sends the requests.
    ///   - tokens: the tokens of requests.
    ///   - retries: how failed requests are repeated.
    public init(_ transport: any HTTPTransport, tokens: any TokenSource, retries: RetryPolicy = RetryPolicy()) {
        self.transport = transport
        self.tokens = tokens
        self.retries = retries
        // Up to a quarter longer, so that clients that have lost the service at once do not come back at once.
        pause = { milliseconds in
            try? await Task.sleep(for: .milliseconds(milliseconds + Int64.random(in: 0...max(milliseconds / 4, 0))))
        }
    }

    /// Sends a request with the caller's token, and returns the response if it is a success (2xx).
    ///
    /// The request is repeated if the service cannot have executed it: it was not reached, it asked to wait (429), or its token had to
    /// be renewed. Any request except ``RequestEffect/change`` is also repeated if its response was lost, or if the service was unable for
    /// now (502, 503, 504).
    ///
    /// - Parameters:
    ///   - request: the request, without `Authorization`.
    ///   - effect: what a second execution would do.
    public func send(_ request: ServiceRequest, effect: RequestEffect) async throws(ServiceError) -> ServiceResponse {
        try await attempt(request, effect) { request throws(TransportError) in
            let response = try await transport.send(request)
            return (200..<300).contains(response.status) ? .success(response) : .failure(ServiceProblem(response))
        }
    }

    /// Opens a stream of server-sent events with the caller's token. One connection: it is not renewed if it is lost.
    ///
    /// - Parameters:
    ///   - request: the request, without `Authorization` and `Accept`.
    ///   - lastEventID: the `id` of the last event that the caller has; nil to begin where the request says.
    /// - Throws: ``ServiceError``, if the service did not open the stream after all attempts.
    public func openEvents(
        _ request: ServiceRequest, after lastEventID: String? = nil
    ) async throws(ServiceError) -> EventStream {
        var request = request
        request.headers["Accept"] = "text/event-stream"
        if let lastEventID { request.headers["Last-Event-ID"] = lastEventID }
        return try await attempt(request, .question) { request throws(TransportError) in
            let response = try await transport.open(request)
            if response.status == 200 { return .success(EventStream(response, after: lastEventID)) }
            var refused = ServiceResponse(status: response.status, headers: response.headers)
            while refused.body.count <= ServiceProblem.limitBytes, let bytes = try await response.next() { refused.body += bytes }
            return .failure(ServiceProblem(refused))
        }
    }

    private enum Outcome<Value> {
        case success(Value)
        case failure(ServiceProblem)
    }

    /// Sends a request until it succeeds, fails for good, or has been sent as many times as the policy allows.
    private func attempt<Value>(
        _ request: ServiceRequest, _ effect: RequestEffect,
        _ send: (ServiceRequest) async throws(TransportError) -> Outcome<Value>
    ) async throws(ServiceError) -> Value {
        var token: String?
        do { token = try await tokens.token() } catch { throw .signIn(error) }
        var isRenewed = false
        var sent = 0
        // A change may have been made since this response was lost, whatever happens to the repetitions.
        var loss: ServiceError?
        while true {
            if Task.isCancelled { throw loss ?? .cancelled }
            var authorized = request
            if let token { authorized.headers["Authorization"] = "Bearer " + token }
            sent += 1
            let outcome: Result<Outcome<Value>, TransportError>
            do throws(TransportError) { outcome = .success(try await send(authorized)) } catch { outcome = .failure(error) }
            let failure: ServiceError
            var (isTemporary, delay) = (false, retries.milliseconds(after: sent))
            switch outcome {
            case .success(.success(let value)): return value
            case .success(.failure(let problem)):
                failure = .problem(problem)
                if problem.isAboutToken, !isRenewed, let rejected = token {
                    do { token = try await tokens.token(replacing: rejected) } catch { throw loss ?? .signIn(error) }
                    guard token != nil else { throw loss ?? failure }
                    isRenewed = true
                    continue
                }
                let asked = Int64(problem.retryAfterSeconds ?? 0) * 1_000
                isTemporary = problem.isTemporary(effect) && asked <= retries.longestMilliseconds
                delay = max(delay, asked)
                if problem.isFinal { loss = nil }
            case .failure(.notSent(let why)): (failure, isTemporary) = (.unreachable(why), true)
            case .failure(.noAnswer(let why)):
                (failure, isTemporary) = (.outcomeUnknown(why), effect != .change)
                if effect != .question { loss = failure }
            }
            if Task.isCancelled { throw loss ?? .cancelled }
            guard isTemporary, sent < retries.attempts else { throw loss ?? failure }
            await pause(delay)
        }
    }
}

extension ServiceProblem {
    /// Whether the request may succeed if it is repeated.
    func isTemporary(_ effect: RequestEffect) -> Bool {
        if kind == .tooManyRequests { return true }
        return effect != .change && ([502, 503, 504].contains(status) || kind == .keyInUse)
    }

    /// Whether the service has judged the request itself, with its idempotency key: no earlier attempt was executed.
    var isFinal: Bool { code != nil || [400, 404, 412, 413, 415, 422, 428].contains(status) }
}
