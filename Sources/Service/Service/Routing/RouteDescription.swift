internal import Events

/// The API description of a route.
struct RouteDescription: Sendable {
    /// The purpose, as a phrase.
    let summary: String
    /// More about it, in sentences.
    var text = ""
    /// The group of the route.
    var group = "Service"
    var parameters: [ParameterDescription] = []
    /// The JSON Schema of the body; nil without a body.
    var body: JSONValue?
    /// The statuses of the responses and their meaning, except for problems.
    var answers: [AnswerDescription] = []
    /// The media types of the body.
    var bodyTypes = ["application/json"]
    /// Problems besides those that every route of its kind can have.
    var problems: [Problem.Kind] = []

    init(_ summary: String, group: String = "Service") {
        self.summary = summary
        self.group = group
    }
}

/// A parameter of a route, in its address or in its head.
struct ParameterDescription: Sendable {
    enum Place: String, Sendable { case path, query, header }
    let name: String
    let place: Place
    let text: String
    var schema: JSONValue = .object(["type": .string("string")])
    var isRequired = false
}

/// One possible response of a route.
struct AnswerDescription: Sendable {
    let status: Int
    let text: String
    var mediaType = "application/json"
    /// The JSON Schema of the body; nil without a body.
    var schema: JSONValue?
    /// Its headers, by their names in ``OpenAPI``.
    var headers: [String] = []
}
