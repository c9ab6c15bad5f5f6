internal import Events
internal import Muniment

/// Builders for the request and response descriptions of routes.
extension RouteDescription {
    func withParameters(_ parameters: ParameterDescription...) -> RouteDescription { with { $0.parameters += parameters } }

    func withParameters(body: JSONValue, as mediaTypes: [String] = ["application/json"]) -> RouteDescription {
        with { ($0.body, $0.bodyTypes) = (body, mediaTypes) }
    }

    /// Adds a response with one body, a response of JSON Lines if a schema of a line is given, and a response of CSV.
    func withResponse(
        _ text: String, _ schema: JSONValue?, as mediaType: String = "application/json", lines: JSONValue? = nil,
        hasTable: Bool = false, status: Int = 200, headers: [String] = ["Muniment-Revision"]
    ) -> RouteDescription {
        var answers = [ResponseDescription(status: status, text: text, mediaType: mediaType, schema: schema, headers: headers)]
        if let lines {
            answers += RequestContext.lineTypes.map {
                ResponseDescription(status: status, text: text, mediaType: $0, schema: lines)
            }
        }
        if hasTable {
            answers.append(
                ResponseDescription(status: status, text: text, mediaType: RequestContext.tableType, schema: Schema.text))
        }
        return with { $0.answers += answers }
    }

    /// Adds problems of this route to those that every route of its kind can have.
    func withProblems(_ problems: Problem.Kind...) -> RouteDescription { with { $0.problems += problems } }

    func withNote(_ text: String) -> RouteDescription { with { $0.text = text } }

    private func with(_ change: (inout RouteDescription) -> Void) -> RouteDescription {
        var copy = self
        change(&copy)
        return copy
    }

    /// Whether a parameter or a member of the body has this name.
    func takes(_ name: String) -> Bool { parameters.contains { $0.name == name } || body?["properties"]?[name] != nil }
}

extension ParameterDescription {
    static func query(_ name: String, _ text: String, _ schema: JSONValue = Schema.text, isRequired: Bool = false)
        -> ParameterDescription
    {
        ParameterDescription(name: name, place: .query, text: text, schema: schema, isRequired: isRequired)
    }

    static func header(_ name: String, _ text: String, _ schema: JSONValue = Schema.text) -> ParameterDescription {
        ParameterDescription(name: name, place: .header, text: text, schema: schema)
    }

    static let ticket = query(
        "ticket", "for a live feed: a ticket of `createTicket`, in place of the header `Authorization`", Schema.text)
    static let ifMatch = header("If-Match", "the ETag of the object to change, or `*` for any existing object")
    static let ifNoneMatch = header("If-None-Match", "`*` to create the object")
    static let idempotencyKey = header(
        "Idempotency-Key", "a repeated request with the same key returns the first result",
        .object(["type": .string("string"), "minLength": .integer(1), "maxLength": .integer(1024)]))
}

extension JSONObject {
    /// The members of every response about one moment.
    static let when: JSONObject = ["revision": Schema.revision, "time": Schema.time]
}
