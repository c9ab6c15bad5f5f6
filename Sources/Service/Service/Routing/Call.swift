internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions

/// One request on its way: what was asked for, by whom, in which store.
struct Call: Sendable {
    let service: MunimentService
    let request: HTTPRequest
    let route: Route
    /// The segments that the path's parameters took, decoded, in order.
    let parameters: [String]
    /// Who calls; nil for routes that anybody may ask.
    let caller: Caller?
    /// The store that the route is about; the default store for routes that name none.
    let hosted: HostedStore?
    /// What the request is called in the log, and in what it commits.
    let requestID: String?
    /// The address that the request comes from, behind a trusted proxy too.
    let client: String
    /// What the service keeps of the request.
    let exchange: Exchange

    /// The store that the route is about.
    var store: Store {
        get throws(Problem) {
            guard let hosted else { throw Problem(.notFound, "the store does not exist") }
            return hosted.store
        }
    }

    /// The segment that a parameter of the path took.
    func parameter(_ name: String) -> String {
        route.path.parameters.firstIndex(of: name).map { parameters[$0] } ?? ""
    }

    var query: QueryParameters { get throws(Problem) { try QueryParameters(request.query) } }

    /// The body as JSON.
    func json() throws -> JSONValue {
        guard isJSON else {
            throw Problem(.unsupportedMediaType, "the body must be JSON: send it with `Content-Type: application/json`")
        }
        return try decodedBody()
    }

    /// The body as JSON, whatever its media type.
    func decodedBody() throws(JSONError) -> JSONValue {
        try JSONText.decode(request.body, limit: max(route.bodyLimitBytes, 1), valueLimit: Limits.valuesPerRequest)
    }

    /// Whether the body is said to be JSON.
    var isJSON: Bool {
        guard let type = request.header("Content-Type") else { return false }
        if type == "application/json" { return true }
        let essence = type.prefix { $0 != ";" }
        return essence.lowercased().filter { $0 != " " && $0 != "\t" } == "application/json"
    }

    /// Answers with a JSON object.
    func answer(_ members: JSONObject, status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
        var writer = JSONWriter()
        writer.write(.object(members))
        return answer(json: writer.written, status: status, headers: headers)
    }

    /// Answers with JSON that is written already.
    func answer(json bytes: [UInt8], status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers.isEmpty ? Call.jsonHeaders : Call.jsonHeaders + headers, body: .bytes(bytes))
    }

    static let jsonHeaders = [HTTPHeader("Content-Type", "application/json"), HTTPHeader("Cache-Control", "no-store")]
}
