internal import Primitives

/// Sends the requests of a manager as JSON over HTTP.
struct ServiceTransport: AuthTransport {
    private let transport: any HTTPTransport

    /// - Parameters:
    ///   - service: the address of the service.
    ///   - timeoutSeconds: the timeout of a request in seconds.
    init(_ service: ServiceAddress, timeoutSeconds: Int) {
        transport = URLSessionTransport(service, timeoutSeconds: timeoutSeconds)
    }

    func send(_ request: AuthRequest) async throws(TransportError) -> AuthResponse {
        var sent = ServiceRequest(request.method, request.path, headers: ["Accept": "application/json"])
        if let body = request.body {
            guard let bytes = try? JSONText.encode(.object(body)) else {
                throw .notSent("the request contains a number that JSON cannot represent (NaN or infinity)")
            }
            sent.body = bytes
            sent.headers["Content-Type"] = "application/json"
        }
        if let token = request.accessToken { sent.headers["Authorization"] = "Bearer " + token }
        let response = try await transport.send(sent)
        return AuthResponse(status: response.status, body: response.body, retryAfterSeconds: response.retryAfterSeconds)
    }
}
