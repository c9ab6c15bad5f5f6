/// A request to the service.
public struct ServiceRequest: Hashable, Sendable {
    public var method: Method
    /// The path and the query, percent-encoded and with a leading slash.
    public var path: String
    /// The headers. Names are compared without regard to case, and occur once.
    public var headers: [String: String]
    /// The body; nil for a request without one.
    public var body: [UInt8]?

    /// The HTTP method (RFC 9110, section 9; RFC 5789).
    public enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - path: the path and the query, percent-encoded and with a leading slash.
    ///   - headers: the headers.
    ///   - body: the body; nil for none.
    public init(_ method: Method, _ path: String, headers: [String: String] = [:], body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }
}

extension ServiceRequest: CustomStringConvertible {
    /// Method and path, without headers and body, which contain secrets.
    public var description: String { "\(method.rawValue) \(path)" }
}

extension ServiceRequest {
    func checkHeaders() throws(TransportError) {
        // A line end would start another header.
        for (name, value) in headers where !(name + value).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            throw .notSent("the value of the header `\(name)` contains a line end; remove it")
        }
    }
}

/// The limits of every transport.
enum TransportLimits {
    /// The maximum bytes of the body of a response that is not a stream.
    static let responseBytes = 16 << 20
}

/// A response of the service.
public struct ServiceResponse: Hashable, Sendable {
    public var status: Int
    /// The headers, with names in lowercase.
    public var headers: [String: String]
    public var body: [UInt8]

    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - headers: the headers, with names in lowercase.
    ///   - body: the unchanged body.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of `Retry-After` in seconds; nil if it is absent or not a number of seconds.
    public var retryAfterSeconds: Int? { headers["retry-after"].flatMap { Int($0) }.map { max($0, 0) } }
}

/// The reason why a response is missing. The cases differ in whether the service can have processed the request.
public enum TransportError: Error, Hashable, Sendable {
    /// The request was not sent.
    case notSent(String)
    /// The request was sent, at least in part.
    case noAnswer(String)
}

/// Sends requests to the service.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and returns the response with any status. A redirect is returned, not followed.
    ///
    /// - Parameter request: the request.
    /// - Throws: ``TransportError``, also if the task is cancelled.
    func send(_ request: ServiceRequest) async throws(TransportError) -> ServiceResponse

    /// Sends a request, and returns when the head of the response has arrived, with any status.
    ///
    /// - Parameter request: the request.
    /// - Throws: ``TransportError``, also if the task is cancelled.
    func open(_ request: ServiceRequest) async throws(TransportError) -> any ResponseStream
}

/// A response with a body that is read while it arrives. Releasing it closes the connection.
public protocol ResponseStream: AnyObject, Sendable {
    var status: Int { get }
    /// The headers, with names in lowercase.
    var headers: [String: String] { get }

    /// Returns the next bytes of the body, and nil after the last ones. Only one task at a time may call this.
    ///
    /// If the reader is slow, a stream keeps a limited number of bytes. On Linux, it then reads no further, so that the service waits. On
    /// Apple's systems, it closes the connection, returns what it has kept, and then nil.
    ///
    /// - Throws: ``TransportError/noAnswer(_:)`` if the connection is lost, or the task is cancelled.
    func next() async throws(TransportError) -> [UInt8]?

    /// Whether the connection was closed because the reader was too slow.
    var isCut: Bool { get }

    /// Closes the connection.
    func cancel()
}
