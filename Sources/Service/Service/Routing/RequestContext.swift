internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions

/// A request with its route's parameters, its caller and its store.
struct RequestContext: Sendable {
    let service: MunimentService
    let request: HTTPRequest
    let route: Route
    /// The service's data about the request.
    let exchange: RequestState
    /// The store of the route; the default store if the route names none.
    let hosted: HostedStore?
    /// Whether the handler may block its thread until a revision arrives from another node.
    var canWait = false
    /// Whether the response must include every commit that was acknowledged before the request, by any node.
    var isLinearizable: Bool {
        get throws(Problem) {
            guard let consistency = request.header("Muniment-Consistency") else { return false }
            guard consistency.lowercased() == "linearizable" else {
                throw Problem(
                    .malformed, "`Muniment-Consistency` is `\(Name(consistency).excerpt)`: send `linearizable` or no such header")
            }
            return true
        }
    }
    /// The caller; nil for a route that needs no token.
    var caller: Caller? { exchange.caller }
    /// The request id that the log and the commits of this request contain.
    var requestID: String? { exchange.requestID }
    /// The client's address. If the request came through a trusted proxy, this is the address of the client and not of the proxy.
    var client: String { exchange.client }

    /// The store of the route.
    var store: Store {
        get throws(Problem) {
            guard let hosted else { throw Problem(.notFound, "the store does not exist") }
            return hosted.store
        }
    }

    /// Returns the value of a path parameter.
    func parameter(_ name: String) -> String {
        route.path.parameters.firstIndex(of: name).map { exchange.parameters[$0] } ?? ""
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

    /// Whether the content type of the body is JSON.
    var isJSON: Bool {
        if request.header("Content-Type", equals: "application/json") { return true }
        guard let type = request.header("Content-Type") else { return false }
        let essence = type.prefix { $0 != ";" }
        return essence.lowercased().filter { $0 != " " && $0 != "\t" } == "application/json"
    }

    /// Returns a response with a JSON object.
    func answer(_ members: JSONObject, status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
        var writer = JSONWriter()
        writer.write(.object(members))
        return answer(json: writer.written, status: status, headers: headers)
    }

    /// Returns a response with JSON that is already encoded.
    func answer(json bytes: [UInt8], status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: headers.isEmpty ? RequestContext.jsonHeaders : RequestContext.jsonHeaders + headers,
            body: .bytes(bytes))
    }

    static let jsonHeaders = [HTTPHeader("Content-Type", "application/json"), HTTPHeader("Cache-Control", "no-store")]
}
