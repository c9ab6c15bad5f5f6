/// A request to a server, with its timeouts and the limit of its response.
public struct HTTPClientRequest: Sendable {
    public var address: HTTPAddress
    /// The method; nil for GET without a body, and for POST with one.
    public var method: HTTPClientMethod?
    public var body: [UInt8]?
    /// Additional headers.
    public var headers: [(name: String, value: String)] = []
    /// The connection timeout in seconds.
    public var connectSeconds = 5
    /// The timeout of the whole exchange in seconds.
    public var timeoutSeconds = 10
    /// The maximum bytes of the response body.
    public var limitBytes = 1 << 20
    /// The SHA-256 of the peer's public key, checked instead of a CA-signed certificate; nil to check the certificate.
    public var pinnedKeyDigest: [UInt8]?
    /// Whether a host with an address of this machine or of a private network is refused, also after the lookup of its name.
    public var refusesPrivateAddresses = false

    /// Creates a GET request with timeouts of 5 seconds for the connection and 10 seconds in total, and a limit of 1 MiB.
    public init(_ address: HTTPAddress) { self.address = address }
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
    /// The headers, in order.
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]
    /// Whether the server, or a proxy before it, has an address of this machine or of a private network.
    public let isFromPrivateAddress: Bool

    /// The maximum total bytes of the headers. A longer response is rejected with ``HTTPClientError/tooLong(address:limitBytes:)``.
    public static let headLimitBytes = 65_536

    /// Returns the first header with a name, ignoring case; nil if it does not exist.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}

/// The reason why a request was not sent, or why there is no complete response.
public enum HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The request was not sent: connection refused, unknown host, connection timeout, untrusted certificate, or no memory.
    case unreachable(address: String, reason: String)
    /// The request was not sent: the host has an address of this machine or of a private network.
    case privateAddress(address: String)
    /// The request was sent, at least in part, and the response did not arrive in time.
    case timedOut(address: String, seconds: Int)
    /// The body or the headers of the response exceed their limit.
    case tooLong(address: String, limitBytes: Int)
    /// The name or the value of a request header contains a control character, or the name contains a colon. Nothing was sent.
    case malformedHeader(name: String)
    /// The request was sent, at least in part, and then the exchange failed.
    case failed(address: String, reason: String)

    public var description: String {
        switch self {
        case .unreachable(let address, let reason):
            "`\(address)` cannot be reached: \(reason); check the server and its certificate"
        case .privateAddress(let address):
            "`\(address)` was not called: its host has an address of this machine or of a private network; correct the address"
        case .timedOut(let address, let seconds):
            "`\(address)` did not respond within \(seconds) s; try again, or check the server"
        case .tooLong(let address, let limit): "the response of `\(address)` exceeds the limit of \(limit) bytes; check the address"
        case .malformedHeader(let name):
            "the header `\(name)` contains a control character, or a colon in its name; remove that character"
        case .failed(let address, let reason): "the request to `\(address)` failed: \(reason)"
        }
    }
}
