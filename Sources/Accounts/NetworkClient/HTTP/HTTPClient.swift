internal import CCurl

/// Sends requests with libcurl: with limits on times and sizes, without redirects and cookies, only `http` and `https`, and with
/// certificate checks.
public enum HTTPClient {
    /// Sends a request and returns the response with any status. Blocks the calling thread.
    ///
    /// - Throws: ``HTTPClientError`` if the response is missing or too long.
    public static func send(_ request: HTTPClientRequest) throws(HTTPClientError) -> HTTPClientResponse {
        let address = request.address.text
        for (name, value) in request.headers where !isOneLine(name) || !isOneLine(value) || name.contains(":") {
            throw .malformedHeader(name: name)
        }
        guard let handle = EasyHandle(bodyLimitBytes: request.limitBytes, headLimitBytes: HTTPClientResponse.headLimitBytes) else {
            throw .unreachable(address: address, reason: "libcurl has no memory")
        }
        prepare(handle, for: request)
        switch handle.perform() {
        case .done:
            return HTTPClientResponse(
                status: handle.status, headers: handle.headers, body: handle.received, isFromPrivateAddress: handle.hasPrivatePeer)
        case _ where handle.hasRefusedPrivateAddress && handle.sentOfRequest == 0: throw .privateAddress(address: address)
        // If the connection or the handshake failed for any reason, the peer has received no request.
        case .timedOut where handle.sentOfRequest == 0: throw .unreachable(address: address, reason: "it took too long to connect")
        case .failed(_, let reason) where handle.sentOfRequest == 0: throw .unreachable(address: address, reason: reason)
        case .tooLong(let limit): throw .tooLong(address: address, limitBytes: limit)
        case .timedOut: throw .timedOut(address: address, seconds: request.timeoutSeconds)
        case .unreachable(let reason): throw .unreachable(address: address, reason: reason)
        case .failed(_, let reason): throw .failed(address: address, reason: reason)
        }
    }

    private static func prepare(_ handle: EasyHandle, for request: HTTPClientRequest) {
        handle.set(CURLOPT_URL, request.address.text)
        handle.set(CURLOPT_PROTOCOLS_STR, request.address.isSecure ? "https" : "http")
        handle.set(CURLOPT_FOLLOWLOCATION, 0)
        handle.setTimes(connectSeconds: request.connectSeconds, timeoutSeconds: request.timeoutSeconds)
        // Requests to this machine do not use a proxy.
        if request.address.isLoopback { handle.set(CURLOPT_NOPROXY, "*") }
        if request.refusesPrivateAddresses { handle.refusePrivateAddresses() }
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

    /// A line end would start another header.
    private static func isOneLine(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
