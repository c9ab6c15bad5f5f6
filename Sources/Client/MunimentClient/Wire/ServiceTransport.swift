internal import Foundation
internal import NetworkClient
internal import Primitives

/// Sends requests over HTTP with libcurl, which blocks, on separate threads.
struct ServiceTransport: AuthTransport {
    /// Without a trailing slash.
    private let service: String
    private let timeoutSeconds: Int
    private let queue: OperationQueue

    /// The maximum number of concurrent requests; others wait.
    private static let width = 8
    private static let limitBytes = 16 << 20

    /// - Parameters:
    ///   - service: the address of the service.
    ///   - timeoutSeconds: the timeout of a request in seconds.
    init(_ service: ServiceAddress, timeoutSeconds: Int) {
        self.service = service.text
        self.timeoutSeconds = timeoutSeconds
        queue = OperationQueue()
        queue.name = "muniment.client"
        queue.maxConcurrentOperationCount = ServiceTransport.width
    }

    func send(_ request: AuthRequest) async throws(AuthTransportError) -> AuthResponse {
        let outcome: Result<AuthResponse, AuthTransportError> = await withCheckedContinuation { continuation in
            queue.addOperation {
                continuation.resume(returning: Result { () throws(AuthTransportError) in try exchange(request) })
            }
        }
        return try outcome.get()
    }

    /// Blocks until the response arrives.
    private func exchange(_ request: AuthRequest) throws(AuthTransportError) -> AuthResponse {
        guard let address = HTTPAddress(service + request.path) else { throw .notSent("`\(request.path)` is not a path") }
        var sent = HTTPClientRequest(address)
        sent.method = HTTPClientMethod(rawValue: request.method.rawValue)
        sent.timeoutSeconds = timeoutSeconds
        sent.limitBytes = ServiceTransport.limitBytes
        // Otherwise libcurl would wait for `100 Continue` before it sends the body, which servers may not send.
        sent.headers = [("Accept", "application/json"), ("Expect", "")]
        if let body = request.body {
            guard let bytes = try? JSONText.encode(.object(body)) else {
                throw .notSent("the request contains a number that JSON cannot represent (NaN or infinity)")
            }
            sent.body = bytes
            sent.headers.append(("Content-Type", "application/json"))
        }
        if let token = request.accessToken { sent.headers.append(("Authorization", "Bearer " + token)) }
        do throws(HTTPClientError) {
            let response = try HTTPClient.send(sent)
            let retryAfter = response.header("Retry-After").flatMap { Int($0) }
            return AuthResponse(status: response.status, body: response.body, retryAfterSeconds: retryAfter.map { max($0, 0) })
        } catch {
            switch error {
            case .unreachable, .malformedHeader: throw .notSent("\(error)")
            case .timedOut, .tooLong, .failed: throw .noAnswer("\(error)")
            }
        }
    }
}

/// The address of a service: `https://host[:port]`, or `http://` on this machine only, because requests contain secrets.
public struct ServiceAddress: Hashable, Sendable, CustomStringConvertible {
    /// Without a trailing slash.
    public let text: String

    /// - Parameter text: the address, with or without a trailing slash.
    /// - Throws: ``AuthError/malformed(_:)`` if the address is invalid.
    public init(_ text: String) throws(AuthError) {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let address = HTTPAddress(trimmed), !trimmed.contains("?"), !trimmed.contains("#") else {
            throw .malformed("`\(text.prefix(80))` is not the address of a service; write one like https://accounts.example.com")
        }
        guard address.isSecure || address.isLoopback else {
            throw .malformed("`\(text.prefix(80))` is not encrypted, but passwords are sent there; write https://")
        }
        self.text = trimmed
    }

    public var description: String { text }
}
