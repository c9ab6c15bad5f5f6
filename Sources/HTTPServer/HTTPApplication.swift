/// What answers the requests of a server.
public protocol HTTPApplication: AnyObject, Sendable {
    /// Looks at the head of a request before its body is read. On a thread of the server: must not block.
    func admit(_ request: HTTPRequest) -> HTTPAdmission

    /// Answers a request that is there as a whole. On a thread of the server: must not block.
    func answer(_ request: HTTPRequest) -> HTTPAnswer

    /// What to say where the server itself refuses a request: malformed framing, limits, time.
    func refusal(status: Int, detail: String) -> HTTPResponse

    /// Told that the client of a request has left before its answer was whole. On a thread of the server: must not block.
    ///
    /// - Returns: whether the answer is given up, which closes the connection.
    func clientLeft(_ request: HTTPRequest) -> Bool

    /// Told of every request that is over, however it ended: for logs and metrics.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - status: the status that it was answered with; 0 where the connection was gone before.
    ///   - bytesSent: the bytes of the body that were handed to the connection.
    ///   - nanoseconds: from the head of the request to the end of the answer.
    func ended(_ request: HTTPRequest, status: Int, bytesSent: UInt64, nanoseconds: UInt64)
}

extension HTTPApplication {
    public func clientLeft(_ request: HTTPRequest) -> Bool { true }
}

/// What becomes of a request once its head was looked at.
public enum HTTPAdmission: Sendable {
    /// Its body is read, up to a limit; more is answered 413.
    case body(limitBytes: Int)
    /// It is answered without its body.
    case refused(HTTPResponse)
}

/// How a request is answered.
public enum HTTPAnswer: Sendable {
    case now(HTTPResponse)
    /// By ``HTTPRequest/respond(_:)``, from another thread.
    case later
}
