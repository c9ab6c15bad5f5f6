internal import Events

/// The API description of AuthZEN: the formats of requests and responses, as JSON Schema.
extension RouteDescription {
    static let evaluation = authZEN(
        "checks if a subject may perform an action on a resource", body: .evaluation,
        answer: .object(of: ["decision": .type("boolean"), "context": .type("object")], required: ["decision"]))

    static let evaluations = authZEN(
        "checks up to 10,000 evaluations in one request", body: .evaluations,
        answer: .object(of: [
            "evaluations": .list(of: .type("object")), "decision": .type("boolean"), "context": .type("object"),
        ]))

    static let subjectSearch = search("the subjects that may perform an action on a resource", .subjectSearch, result: .entity)
    static let resourceSearch = search("the resources where a subject may perform an action", .resourceSearch, result: .entity)
    static let actionSearch = search(
        "the actions that a subject may perform on a resource", .actionSearch,
        result: .object(of: ["name": .type("string")], required: ["name"]))

    private static func authZEN(_ summary: String, body: JSONValue, answer: JSONValue) -> RouteDescription {
        var description = RouteDescription(summary, group: "AuthZEN")
        description.text =
            "AuthZEN 1.0. The `context` of a request may have `at`, a revision or a time, and `reason`. A denial has status 200."
        description.body = body
        description.answers = [AnswerDescription(status: 200, text: "the response of the decision point", schema: answer)]
        return description
    }

    private static func search(_ summary: String, _ body: JSONValue, result: JSONValue) -> RouteDescription {
        let page = JSONValue.object(
            of: ["next_token": .type("string"), "count": .type("integer"), "total": .type("integer")], required: ["next_token"])
        return authZEN(
            summary, body: body,
            answer: .object(
                of: ["page": page, "context": .type("object"), "results": .list(of: result)], required: ["page", "results"]))
    }
}

/// Schemas.
extension JSONValue {
    fileprivate static func type(_ name: String) -> JSONValue { .object(["type": .string(name)]) }

    fileprivate static func list(of element: JSONValue) -> JSONValue { .object(["type": .string("array"), "items": element]) }

    /// Other members are allowed and ignored.
    fileprivate static func object(of members: JSONObject, required: [String] = []) -> JSONValue {
        .object([
            "type": .string("object"), "properties": .object(members), "required": .array(required.map(JSONValue.string)),
        ])
    }

    private static let word: JSONValue = .object(["type": .string("string"), "minLength": .integer(1)])
    fileprivate static let entity = entity(required: ["type", "id"])

    private static func entity(required: [String]) -> JSONValue {
        // A search ignores the id of the entity type it searches for.
        object(
            of: ["type": word, "id": required.contains("id") ? word : type("string"), "properties": type("object")],
            required: required)
    }

    private static let action = object(of: ["name": word, "properties": type("object")], required: ["name"])
    private static let page = object(of: [
        "token": type("string"), "limit": .object(["type": .string("integer"), "minimum": .integer(0)]),
        "properties": type("object"),
    ])
    private static let moment = JSONValue.object([
        "description": .string("a revision, or a time"),
        "anyOf": .array([
            .object(["type": .string("integer"), "minimum": .integer(0)]),
            .object(["type": .string("string"), "format": .string("date-time")]),
        ]),
    ])
    private static let context = object(of: ["at": moment])

    private static func request(_ members: JSONObject) -> JSONValue {
        var all = members
        all["context"] = context
        return object(of: all, required: members.keys.filter { $0 != "page" })
    }

    fileprivate static let evaluation = request(["subject": entity, "action": action, "resource": entity])
    fileprivate static let evaluations = object(of: [
        "subject": type("object"), "action": type("object"), "resource": type("object"), "context": context,
        "evaluations": .object(["type": .string("array"), "maxItems": .integer(Int64(AuthZEN.evaluationsPerRequest))]),
        "options": object(of: [
            "evaluations_semantic": .object([
                "enum": .array(["execute_all", "deny_on_first_deny", "permit_on_first_permit"].map(JSONValue.string))
            ])
        ]),
    ])
    fileprivate static let subjectSearch = request(
        ["subject": entity(required: ["type"]), "action": action, "resource": entity, "page": page])
    fileprivate static let resourceSearch = request(
        ["subject": entity, "action": action, "resource": entity(required: ["type"]), "page": page])
    fileprivate static let actionSearch = request(["subject": entity, "resource": entity, "page": page])
}
