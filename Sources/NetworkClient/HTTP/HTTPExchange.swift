/// One request of a client, and the limits that its answer has to keep.
public struct HTTPClientRequest: Sendable {
    public var address: HTTPAddress
    /// nil for GET where there is no body, and for POST where there is one.
    public var method: HTTPClientMethod?
    /// nil for none.
    public var body: [UInt8]?
    /// Names and values of further lines of the head.
    public var headers: [(name: String, value: String)]
    /// Seconds until there has to be a connection.
    public var connectSeconds: Int
    /// Seconds until everything has to be there.
    public var timeoutSeconds: Int
    /// Bytes that the body of the answer may have.
    public var limitBytes: Int
    /// The SHA-256 of the key that the other side has to have, in place of a certificate that somebody vouches for; nil for that.
    public var pinnedKeyDigest: [UInt8]?

    /// A GET within ten seconds, for at most 1 MiB.
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

/// What a request asks a server to do (RFC 9110, section 9; RFC 5789).
public enum HTTPClientMethod: String, Hashable, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

/// What a server answered.
public struct HTTPClientResponse: Sendable {
    public let status: Int
    /// The lines of its head, in order, together at most ``headLimitBytes`` bytes.
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]

    public static let headLimitBytes = 65_536

    /// The first line of the head with a name, whatever its case; nil where there is none.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}

/// A request that got no answer.
public enum HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing was sent: nobody listens there, no such host, no connection in time, or a certificate that nobody vouches for.
    case unreachable(address: String, why: String)
    /// The request was sent, or part of it, and there is no answer.
    case timedOut(address: String, seconds: Int)
    case tooLong(address: String, limitBytes: Int)
    /// A value of the head that would end its line.
    case malformedHeader(name: String)
    /// The request was sent, or part of it.
    case failed(address: String, why: String)

    public var description: String {
        switch self {
        case .unreachable(let address, let why): "`\(address)` cannot be reached: \(why); check that it is up, and its certificate"
        case .timedOut(let address, let seconds): "`\(address)` did not answer within \(seconds) s; try again, or look there"
        case .tooLong(let address, let limit): "`\(address)` answers with more than \(limit) bytes, which is not read"
        case .malformedHeader(let name): "the value of the header `\(name)` has a character that ends its line; leave it out"
        case .failed(let address, let why): "the request to `\(address)` failed: \(why)"
        }
    }
}
