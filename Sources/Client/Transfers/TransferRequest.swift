/// An HTTP request, and the limits of its transfer.
public struct TransferRequest: Sendable {
    /// Such as `GET`.
    public var method: String
    /// The address, with the scheme `https` or `http`.
    public var url: String
    /// The headers. Names and values contain no line end.
    public var headers: [(name: String, value: String)]
    /// The body; nil for a request without one.
    public var body: [UInt8]?
    /// Whether the response may stay open for a long time. Such a transfer does not take the place of another one.
    public var isStream: Bool
    /// The time without data from the server after which the transfer fails. Time in which the reader is slow does not count.
    public var silenceMilliseconds: Int
    /// The bytes that are kept for a slow reader, before the transfer is paused.
    public var bufferBytes: Int

    /// The host of the address, and its port if it is given.
    var host: Substring { url.split(separator: "/").dropFirst().first ?? "" }

    public init(
        method: String, url: String, headers: [(name: String, value: String)], body: [UInt8]?, isStream: Bool,
        silenceMilliseconds: Int, bufferBytes: Int
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isStream = isStream
        self.silenceMilliseconds = silenceMilliseconds
        self.bufferBytes = bufferBytes
    }
}

/// The status and the headers of a response.
public struct TransferHead: Sendable {
    public let status: Int
    /// The headers, with names in lowercase. Values of the same name are joined with a comma.
    public let headers: [String: String]
}

/// The reason why a response is missing or incomplete.
public struct TransferError: Error, Sendable {
    /// Whether a part of the request was sent.
    public let isSent: Bool
    public let reason: String

    public init(isSent: Bool, reason: String) {
        self.isSent = isSent
        self.reason = reason
    }
}
