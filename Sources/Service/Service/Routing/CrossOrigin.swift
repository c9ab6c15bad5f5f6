internal import Foundation
internal import HTTPServer

/// An origin of web pages, as browsers send it in the header `Origin`: scheme, host and port.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Parameter text: an origin such as `https://app.example.com` or `http://localhost:3000`, in lowercase letters, without a path
    ///   and without the default port. A name with other letters is in Punycode, as browsers send it.
    /// - Returns: nil for any other text, including `*` and `null`.
    public init?(_ text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme, let host = parts.encodedHost, !host.isEmpty,
            let usualPort = ["http": 80, "https": 443][scheme], parts.port != usualPort
        else { return nil }
        let port = parts.port.map { ":\($0)" } ?? ""
        guard text == "\(scheme)://\(host)\(port)", text == text.lowercased(), !host.contains("*"), !host.contains("%")
        else { return nil }
        description = text
    }
}

/// Permits requests of web pages from other origins (CORS, in the Fetch standard). Cookies are never permitted.
struct CrossOrigin {
    private let origins: Set<String>

    init(_ origins: Set<WebOrigin>) { self.origins = Set(origins.map(\.description)) }

    /// Headers that a page may send besides those that need no permission.
    private static let requestHeaders =
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-ID"
    /// Headers that a page may read besides those that need no permission.
    private static let responseHeaders =
        "ETag, Location, Muniment-Revision, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-ID"

    private func origin(of request: HTTPRequest) -> String? {
        guard !origins.isEmpty, let origin = request.header("Origin"), origins.contains(origin) else { return nil }
        return origin
    }

    /// Returns the response to a browser that asks whether it may send a request; nil for any other request.
    ///
    /// - Parameter methods: the methods of the path.
    func preflight(_ request: HTTPRequest, methods: [String]) -> HTTPResponse? {
        guard request.method == "OPTIONS", request.header("Access-Control-Request-Method") != nil, origin(of: request) != nil else {
            return nil
        }
        return HTTPResponse(
            status: 204,
            headers: [
                HTTPHeader("Access-Control-Allow-Methods", methods.joined(separator: ", ")),
                HTTPHeader("Access-Control-Allow-Headers", Self.requestHeaders), HTTPHeader("Access-Control-Max-Age", "600"),
            ])
    }

    /// Adds the headers that let a page of a permitted origin read a response.
    func addHeaders(to response: inout HTTPResponse, for request: HTTPRequest) {
        guard !origins.isEmpty else { return }
        response.headers.append(HTTPHeader("Vary", "Origin"))
        guard let origin = origin(of: request) else { return }
        response.headers += [
            HTTPHeader("Access-Control-Allow-Origin", origin), HTTPHeader("Access-Control-Expose-Headers", Self.responseHeaders),
        ]
    }
}
