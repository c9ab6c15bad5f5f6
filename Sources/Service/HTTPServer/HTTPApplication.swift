/// The application that answers the requests of a server.
public protocol HTTPApplication: AnyObject, Sendable {
    /// Decides on the head of a request before its body is read. Called on a server thread: must not block.
    func admit(_ request: HTTPRequest) -> HTTPAdmission

    /// Answers a complete request. Called on a server thread: must not block.
    func answer(_ request: HTTPRequest) -> HTTPHandling

    /// Returns the response if the server itself rejects a request: invalid framing, limits, timeouts.
    ///
    /// The request may not have been admitted; it is nil if its head has not arrived.
    func refusal(of request: HTTPRequest?, status: Int, detail: String) -> HTTPResponse

    /// Called if the client of a request has disconnected before its response was complete. Called on a server thread: must not
    /// block.
    ///
    /// - Returns: whether to abort the response, which closes the connection.
    func clientLeft(_ request: HTTPRequest) -> Bool

    /// Called for every request that has ended, for logs and metrics.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - status: the status of the response; 0 if the connection was lost before.
    ///   - bytesSent: the bytes of the body that were passed to the connection.
    ///   - nanoseconds: from the head of the request to the end of the response.
    func ended(_ request: HTTPRequest, status: Int, bytesSent: UInt64, nanoseconds: UInt64)
}

extension HTTPApplication {
    public func clientLeft(_ request: HTTPRequest) -> Bool { true }
}

/// The decision on a request after its head was read.
public enum HTTPAdmission: Sendable {
    /// Reads its body, up to a limit; a larger body gets a response with status 413.
    case body(limitBytes: Int)
    /// Responds without its body.
    case refused(HTTPResponse)
}

/// How a request is answered.
public enum HTTPHandling: Sendable {
    case now(HTTPResponse)
    /// With ``HTTPRequest/respond(_:)``, from another thread.
    case later
}

/// The response to a request.
public struct HTTPResponse: Sendable {
    public var status: Int
    public var headers: [HTTPHeader]
    public var body: HTTPBody

    public init(status: Int, headers: [HTTPHeader] = [], body: HTTPBody = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// One header of a response.
public struct HTTPHeader: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Returns the first of some headers with a name, ignoring its letter case.
    static func first(_ name: StaticString, in headers: [HTTPHeader]) -> HTTPHeader? {
        headers.first { $0.name.lowercased() == name.description.lowercased() }
    }
}

/// The body of a response.
public enum HTTPBody: Sendable {
    /// The whole body, with its length in the head.
    case bytes([UInt8])
    /// A body that is sent in chunks while it is written.
    case stream(HTTPStream)
}
