internal import Events

/// What the description of the API says of a route.
struct RouteDescription: Sendable {
    /// What it is for, as a phrase.
    let summary: String
    /// More about it, in sentences.
    var text = ""
    /// The group that it stands in.
    var group = "Service"
    var parameters: [ParameterDescription] = []
    /// The JSON Schema of the body; nil where there is none.
    var body: JSONValue?
    /// The statuses that it answers with and what they mean, besides problems.
    var answers: [AnswerDescription] = []
    /// The media types of the body.
    var bodyTypes = ["application/json"]
    /// Problems beside those that every route of its kind can have.
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

/// One way in which a route answers.
struct AnswerDescription: Sendable {
    let status: Int
    let text: String
    var mediaType = "application/json"
    /// The JSON Schema of the body; nil where there is none.
    var schema: JSONValue?
    /// Headers that it has, by the names that they have in ``OpenAPI``.
    var headers: [String] = []
}
