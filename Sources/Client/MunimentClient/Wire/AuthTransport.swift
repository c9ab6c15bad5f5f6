public import Primitives

/// A request to the service.
public struct AuthRequest: Hashable, Sendable {
    public var method: Method
    /// The path, percent-encoded and with a leading slash.
    public var path: String
    /// The body; nil for a request without one.
    public var body: JSONObject?
    /// The token for `Authorization: Bearer`; nil for an unauthenticated request.
    public var accessToken: String?

    public typealias Method = ServiceRequest.Method

    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - path: the path, percent-encoded and with a leading slash.
    ///   - body: the body; nil for none.
    ///   - accessToken: the access token of the session.
    public init(_ method: Method, _ path: String, body: JSONObject? = nil, accessToken: String? = nil) {
        self.method = method
        self.path = path
        self.body = body
        self.accessToken = accessToken
    }
}

extension AuthRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// Does not contain the secrets.
    public var description: String { "\(method.rawValue) \(path)" }
    public var debugDescription: String { description }
}

/// A response of the service.
public struct AuthResponse: Hashable, Sendable {
    public var status: Int
    public var body: [UInt8]
    /// The value of `Retry-After` in seconds; nil if it does not exist.
    public var retryAfterSeconds: Int?

    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - body: the unchanged body.
    ///   - retryAfterSeconds: the value of `Retry-After` in seconds.
    public init(status: Int, body: [UInt8], retryAfterSeconds: Int? = nil) {
        self.status = status
        self.body = body
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// Sends requests to the service.
public protocol AuthTransport: Sendable {
    /// Sends a request, and returns the response with any status.
    func send(_ request: AuthRequest) async throws(TransportError) -> AuthResponse
}
