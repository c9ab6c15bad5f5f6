internal import Primitives

/// A request of a manager, before its body is encoded.
struct AuthRequest: Hashable, Sendable {
    var method: ServiceRequest.Method
    /// The path, percent-encoded and with a leading slash.
    var path: String
    var body: JSONObject?
    /// The token for `Authorization: Bearer`; nil for an unauthenticated request.
    var accessToken: String?

    init(_ method: ServiceRequest.Method, _ path: String, body: JSONObject? = nil, accessToken: String? = nil) {
        (self.method, self.path, self.body, self.accessToken) = (method, path, body, accessToken)
    }

    /// Returns the request to send.
    ///
    /// - Throws: ``TransportError/notSent(_:)`` if the body contains a number that JSON cannot represent.
    func encoded() throws(TransportError) -> ServiceRequest {
        var request = ServiceRequest(method, path, headers: ["Accept": "application/json"])
        if let body {
            guard let bytes = try? JSONText.encode(.object(body)) else {
                throw .notSent("the request contains a number that JSON cannot represent (NaN or infinity)")
            }
            request.body = bytes
            request.headers["Content-Type"] = "application/json"
        }
        if let accessToken { request.headers["Authorization"] = "Bearer " + accessToken }
        return request
    }
}

extension AuthRequest: CustomStringConvertible {
    /// Does not contain the secrets.
    var description: String { "\(method.rawValue) \(path)" }
}
