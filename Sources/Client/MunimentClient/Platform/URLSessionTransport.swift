internal import Foundation
internal import Synchronization

// Linux has URLSession in a module of its own.
#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends requests with URLSession: without cookies, caches, stored credentials and redirects.
///
/// Use it on Apple's systems. On Linux, URLSession of Swift 6.3 ends the process if a connection is lost after a part of the head of a
/// response, and an open stream uses a whole processor: use ``SystemTransport``.
public final class URLSessionTransport: HTTPTransport {
    private let service: ServiceAddress
    private let timeoutSeconds: Int
    private let silenceSeconds: Int
    private let streamBytes: Int
    /// Streams stay open, and would use up the connections of the requests.
    private let requests: URLSession
    private let streams: URLSession

    /// - Parameters:
    ///   - service: the address of the service.
    ///   - timeoutSeconds: the longest time in seconds without data from the service, before the request fails.
    ///   - silenceSeconds: the same for a stream. The service sends at least a heartbeat every 15 seconds.
    ///   - streamBytes: the maximum bytes that a stream keeps for a slow reader.
    public init(_ service: ServiceAddress, timeoutSeconds: Int = 15, silenceSeconds: Int = 45, streamBytes: Int = 1 << 20) {
        self.service = service
        self.timeoutSeconds = timeoutSeconds
        self.silenceSeconds = silenceSeconds
        self.streamBytes = streamBytes
        requests = URLSessionTransport.session(connections: 8)
        streams = URLSessionTransport.session(connections: 512)
    }

    deinit {
        requests.finishTasksAndInvalidate()
        streams.finishTasksAndInvalidate()
    }

    private static func session(connections: Int) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = connections
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return URLSession(configuration: configuration, delegate: TaskDelegate(), delegateQueue: queue)
    }

    public func send(_ request: ServiceRequest) async throws(TransportError) -> ServiceResponse {
        let limit = TransportLimits.responseBytes
        let exchange = try start(request, in: requests, timeoutSeconds: timeoutSeconds, limitBytes: limit)
        let head = try await exchange.head()
        var body: [UInt8] = []
        while let bytes = try await exchange.next() {
            body += bytes
            if body.count > limit { exchange.cancel() }
        }
        guard !exchange.isCut, body.count <= limit else {
            throw .noAnswer("the response to \(request) has more than \(limit) bytes; request fewer results")
        }
        return ServiceResponse(status: head.status, headers: head.headers, body: body)
    }

    public func open(_ request: ServiceRequest) async throws(TransportError) -> any ResponseStream {
        let exchange = try start(
            request, in: streams, timeoutSeconds: silenceSeconds, limitBytes: streamBytes)
        return HTTPStream(exchange, try await exchange.head())
    }

    private func start(
        _ request: ServiceRequest, in session: URLSession, timeoutSeconds: Int, limitBytes: Int
    ) throws(TransportError) -> HTTPExchange {
        guard request.path.hasPrefix("/"), let address = URL(string: service.text + request.path) else {
            throw .notSent("`\(request.path.prefix(80))` is not a path")
        }
        var sent = URLRequest(url: address)
        sent.httpMethod = request.method.rawValue
        sent.timeoutInterval = TimeInterval(timeoutSeconds)
        sent.httpShouldHandleCookies = false
        try request.checkHeaders()
        for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
        if let body = request.body { sent.httpBody = Data(body) }
        guard let delegate = session.delegate as? TaskDelegate else { throw .notSent("the session is closed") }
        let task = session.dataTask(with: sent)
        let exchange = HTTPExchange(task, hasBody: request.body?.isEmpty == false, limitBytes: limitBytes)
        delegate.add(exchange, task)
        task.resume()
        return exchange
    }
}

/// The stream of an exchange. It cancels the exchange when it has no reader.
private final class HTTPStream: ResponseStream {
    private let exchange: HTTPExchange
    let status: Int
    let headers: [String: String]

    init(_ exchange: HTTPExchange, _ head: HTTPExchange.Head) {
        self.exchange = exchange
        (status, headers) = (head.status, head.headers)
    }

    deinit { exchange.cancel() }

    func next() async throws(TransportError) -> [UInt8]? { try await exchange.next() }
    var isCut: Bool { exchange.isCut }
    func cancel() { exchange.cancel() }
}

/// Passes the events of the tasks of a session to their exchanges.
private final class TaskDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Mutex<[Int: HTTPExchange]>([:])

    func add(_ exchange: HTTPExchange, _ task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(_ task: URLSessionTask) -> HTTPExchange? { exchanges.withLock { $0[task.taskIdentifier] } }

    /// A redirect is a response. Following it would send the token to another server.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        exchange(task)?.received(response)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(task)?.sentBody()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(dataTask)?.received(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.completed(error, task.response)
    }
}
