public import Events

/// One request to the service.
public struct AuthRequest: Hashable, Sendable {
    public var method: Method
    /// Percent-encoded, with a slash in front.
    public var path: String
    /// nil for a request without a body.
    public var body: JSONObject?
    /// What stands behind `Authorization: Bearer`; nil for nobody in particular.
    public var accessToken: String?

    /// What the service is asked to do (RFC 9110, section 9; RFC 5789).
    public enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// - Parameters:
    ///   - method: what the service is asked to do with it.
    ///   - path: percent-encoded, with a slash in front.
    ///   - body: nil for none.
    ///   - accessToken: of the session in whose name it is sent.
    public init(_ method: Method, _ path: String, body: JSONObject? = nil, accessToken: String? = nil) {
        self.method = method
        self.path = path
        self.body = body
        self.accessToken = accessToken
    }
}

extension AuthRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// Without what is secret in it.
    public var description: String { "\(method.rawValue) \(path)" }
    public var debugDescription: String { description }
}

/// What the service answered.
public struct AuthAnswer: Hashable, Sendable {
    public var status: Int
    public var body: [UInt8]
    /// What the head says about when to come again; nil where it says nothing.
    public var retryAfterSeconds: Int?

    /// - Parameters:
    ///   - status: of HTTP.
    ///   - body: as it came.
    ///   - retryAfterSeconds: what the head says about when to come again.
    public init(status: Int, body: [UInt8], retryAfterSeconds: Int? = nil) {
        self.status = status
        self.body = body
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// Why there is no answer, told apart by whether something can have been done.
public enum AuthTransportFailure: Error, Hashable, Sendable {
    /// Nothing was sent.
    case notSent(String)
    /// It was sent, or part of it.
    case noAnswer(String)
}

/// The way to the service.
public protocol AuthTransport: Sendable {
    /// Sends a request, and gives the answer whatever its status.
    func send(_ request: AuthRequest) async throws(AuthTransportFailure) -> AuthAnswer
}
