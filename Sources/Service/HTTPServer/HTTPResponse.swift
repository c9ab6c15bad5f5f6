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
}

/// The body of a response.
public enum HTTPBody: Sendable {
    /// The whole body, with its length in the head.
    case bytes([UInt8])
    /// A body that is sent in chunks while it is written.
    case stream(HTTPStream)
}
