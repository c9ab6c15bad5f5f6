internal import CCurl

/// Sends requests over libcurl: a limit on everything, no redirects, no cookies, no scheme but `http` and `https`, certificates
/// checked.
public enum HTTPClient {
    /// Sends a request and waits for its answer, whatever its status. Blocks the calling thread.
    ///
    /// - Throws: ``HTTPClientError`` where there is no answer, or one that is too long.
    public static func send(_ request: HTTPClientRequest) throws(HTTPClientError) -> HTTPClientResponse {
        let address = request.address.text
        for (name, value) in request.headers where !isOneLine(name) || !isOneLine(value) || name.contains(":") {
            throw .malformedHeader(name: name)
        }
        guard let handle = EasyHandle(bodyLimitBytes: request.limitBytes, headLimitBytes: HTTPClientResponse.headLimitBytes) else {
            throw .unreachable(address: address, why: "libcurl has no memory")
        }
        prepare(handle, for: request)
        switch handle.perform() {
        // Whatever a connection or a handshake failed by, the other side has heard of no request.
        case .timedOut where handle.sentOfRequest == 0: throw .unreachable(address: address, why: "it took too long to connect")
        case .failed(_, let why) where handle.sentOfRequest == 0: throw .unreachable(address: address, why: why)
        case .done: return HTTPClientResponse(status: handle.status, headers: handle.headers, body: handle.received)
        case .tooLong(let limit): throw .tooLong(address: address, limitBytes: limit)
        case .timedOut: throw .timedOut(address: address, seconds: request.timeoutSeconds)
        case .unreachable(let why): throw .unreachable(address: address, why: why)
        case .failed(_, let why): throw .failed(address: address, why: why)
        }
    }

    private static func prepare(_ handle: EasyHandle, for request: HTTPClientRequest) {
        handle.set(CURLOPT_URL, request.address.text)
        handle.set(CURLOPT_PROTOCOLS_STR, request.address.isSecure ? "https" : "http")
        handle.set(CURLOPT_FOLLOWLOCATION, 0)
        handle.setTimes(connectSeconds: request.connectSeconds, timeoutSeconds: request.timeoutSeconds)
        // What never leaves the machine does not go by way of a proxy.
        if request.address.isLoopback { handle.set(CURLOPT_NOPROXY, "*") }
        if let digest = request.pinnedKeyDigest { handle.pin(keyDigest: digest) }
        if let body = request.body { handle.post(body) } else { handle.set(CURLOPT_HTTPGET, 1) }
        switch request.method {
        case nil: break
        case .post? where request.body == nil: handle.post([])
        case .head?: handle.set(CURLOPT_NOBODY, 1)
        case let method?: handle.set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        }
        handle.set(CURLOPT_HTTPHEADER, request.headers.map { $0.name + ": " + $0.value })
    }

    /// What ends a line would begin another header.
    private static func isOneLine(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
