/// What a request is answered with.
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

/// One line of a response's head.
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
    /// All of it, with its length in the head.
    case bytes([UInt8])
    /// What a producer writes, as it comes; chunked.
    case stream(HTTPStream)
}
