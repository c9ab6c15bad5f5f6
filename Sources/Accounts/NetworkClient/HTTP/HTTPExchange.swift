/// A client request, with the limits on its response.
public struct HTTPClientRequest: Sendable {
    public var address: HTTPAddress
    /// The method; nil for GET without a body, and for POST with one.
    public var method: HTTPClientMethod?
    /// The body; nil for none.
    public var body: [UInt8]?
    /// Additional headers.
    public var headers: [(name: String, value: String)]
    /// The connection timeout in seconds.
    public var connectSeconds: Int
    /// The timeout of the whole exchange in seconds.
    public var timeoutSeconds: Int
    /// The maximum bytes of the response body.
    public var limitBytes: Int
    /// The SHA-256 of the peer's public key, checked instead of a CA-signed certificate; nil to check the certificate.
    public var pinnedKeyDigest: [UInt8]?

    /// Creates a GET with a timeout of ten seconds and a limit of 1 MiB.
    public init(_ address: HTTPAddress) {
        self.address = address
        method = nil
        body = nil
        headers = []
        connectSeconds = 5
        timeoutSeconds = 10
        limitBytes = 1 << 20
        pinnedKeyDigest = nil
    }
}

/// The HTTP method (RFC 9110, section 9; RFC 5789).
public enum HTTPClientMethod: String, Hashable, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

/// The response of a server.
public struct HTTPClientResponse: Sendable {
    public let status: Int
    /// The header lines in order, together at most ``headLimitBytes`` bytes.
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]

    public static let headLimitBytes = 65_536

    /// Returns the first header with a name, ignoring case; nil if it does not exist.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}

/// A request without a response.
public enum HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing was sent: connection refused, unknown host, connection timeout, or an untrusted certificate.
    case unreachable(address: String, why: String)
    /// The request was sent, at least in part, and the response did not arrive in time.
    case timedOut(address: String, seconds: Int)
    case tooLong(address: String, limitBytes: Int)
    /// A header value contains a line end.
    case malformedHeader(name: String)
    /// The request was sent, at least in part.
    case failed(address: String, why: String)

    public var description: String {
        switch self {
        case .unreachable(let address, let why): "`\(address)` cannot be reached: \(why); check that it is up, and its certificate"
        case .timedOut(let address, let seconds):
            "`\(address)` did not respond within \(seconds) s; try again, or check that server"
        case .tooLong(let address, let limit): "`\(address)` returned more than \(limit) bytes, the limit; check the address"
        case .malformedHeader(let name): "the value of the header `\(name)` contains a line end; remove it"
        case .failed(let address, let why): "the request to `\(address)` failed: \(why)"
        }
    }
}
