internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions

/// One request with its arguments, its caller and its store.
struct Call: Sendable {
    let service: MunimentService
    let request: HTTPRequest
    let route: Route
    /// The segments of the path's parameters, decoded, in order.
    let parameters: [String]
    /// The caller; nil for public routes.
    let caller: Caller?
    /// The store of the route; the default store for routes without a store name.
    let hosted: HostedStore?
    /// The id of the request in the log, and in its commits.
    let requestID: String?
    /// The address of the client, also if it uses a trusted proxy.
    let client: String
    /// The state of the request in the service.
    let exchange: Exchange

    /// The store of the route.
    var store: Store {
        get throws(Problem) {
            guard let hosted else { throw Problem(.notFound, "there is no such store") }
            return hosted.store
        }
    }

    /// Returns the segment of a parameter in the path.
    func parameter(_ name: String) -> String {
        route.path.parameters.firstIndex(of: name).map { parameters[$0] } ?? ""
    }

    var query: QueryParameters { get throws(Problem) { try QueryParameters(request.query) } }

    /// Returns the body as JSON.
    func json() throws -> JSONValue {
        guard isJSON else {
            throw Problem(.unsupportedMediaType, "the body must be JSON: send it with `Content-Type: application/json`")
        }
        return try decodedBody()
    }

    /// Returns the body as JSON, whatever its media type.
    func decodedBody() throws(JSONError) -> JSONValue {
        try JSONText.decode(request.body, limit: max(route.bodyLimitBytes, 1), valueLimit: Limits.valuesPerRequest)
    }

    /// Whether the media type of the body is JSON.
    var isJSON: Bool {
        guard let type = request.header("Content-Type") else { return false }
        if type == "application/json" { return true }
        let essence = type.prefix { $0 != ";" }
        return essence.lowercased().filter { $0 != " " && $0 != "\t" } == "application/json"
    }

    /// Responds with a JSON object.
    func answer(_ members: JSONObject, status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
        var writer = JSONWriter()
        writer.write(.object(members))
        return answer(json: writer.written, status: status, headers: headers)
    }

    /// Responds with encoded JSON.
    func answer(json bytes: [UInt8], status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers.isEmpty ? Call.jsonHeaders : Call.jsonHeaders + headers, body: .bytes(bytes))
    }

    static let jsonHeaders = [HTTPHeader("Content-Type", "application/json"), HTTPHeader("Cache-Control", "no-store")]
}
