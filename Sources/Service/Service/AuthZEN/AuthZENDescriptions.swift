internal import Events
internal import Muniment

/// The API description of AuthZEN: the formats of requests and responses, as JSON Schema.
extension RouteDescription {
    static let evaluation = authZEN(
        "checks if a subject may perform an action on a resource", body: .evaluation,
        answer: Schema.object(["decision": Schema.flag], optional: ["context": Schema.openObject], isOpen: true))

    static let evaluations = authZEN(
        "checks up to 10,000 evaluations in one request", body: .evaluations,
        answer: Schema.object(
            [:],
            optional: ["evaluations": Schema.list(Schema.openObject), "decision": Schema.flag, "context": Schema.openObject],
            isOpen: true))

    static let subjectSearch = search("the subjects that may perform an action on a resource", .subjectSearch, result: .entity)
    static let resourceSearch = search("the resources where a subject may perform an action", .resourceSearch, result: .entity)
    static let actionSearch = search(
        "the actions that a subject may perform on a resource", .actionSearch,
        result: Schema.object(["name": Schema.text], isOpen: true))

    private static func authZEN(_ summary: String, body: JSONValue, answer: JSONValue) -> RouteDescription {
        var description = RouteDescription(summary, group: "AuthZEN")
        description.text =
            "AuthZEN 1.0. The `context` of a request may have `at`, a revision or a time, and `reason`. A denial has status 200."
        description.body = body
        description.answers = [ResponseDescription(status: 200, text: "the response of the decision point", schema: answer)]
        return description
    }

    private static func search(_ summary: String, _ body: JSONValue, result: JSONValue) -> RouteDescription {
        let page = Schema.object(
            ["next_token": Schema.text], optional: ["count": Schema.number, "total": Schema.number], isOpen: true)
        return authZEN(
            summary, body: body,
            answer: Schema.object(
                ["page": page, "results": Schema.list(result)], optional: ["context": Schema.openObject], isOpen: true))
    }
}

/// Schemas. Other members are allowed and ignored.
extension JSONValue {
    private static let word: JSONValue = .object(["type": .string("string"), "minLength": .integer(1)])
    fileprivate static let entity = Schema.object(
        ["type": word, "id": word], optional: ["properties": Schema.openObject], isOpen: true)
    /// An entity of the type that a search looks for. Its id is ignored.
    private static let searched = Schema.object(
        ["type": word], optional: ["id": Schema.text, "properties": Schema.openObject], isOpen: true)
    private static let action = Schema.object(["name": word], optional: ["properties": Schema.openObject], isOpen: true)
    private static let page = Schema.object(
        [:], optional: ["token": Schema.text, "limit": Schema.number, "properties": Schema.openObject], isOpen: true)
    private static let moment = JSONValue.object([
        "description": .string("a revision, or a time"),
        "anyOf": .array([Schema.number, .object(["type": .string("string"), "format": .string("date-time")])]),
    ])
    private static let context = Schema.object([:], optional: ["at": moment], isOpen: true)

    private static func request(_ members: JSONObject, optional: JSONObject = [:]) -> JSONValue {
        Schema.object(members, optional: optional.with(["context": context]), isOpen: true)
    }

    fileprivate static let evaluation = request(["subject": entity, "action": action, "resource": entity])
    fileprivate static let evaluations = Schema.object(
        [:],
        optional: [
            "subject": Schema.openObject, "action": Schema.openObject, "resource": Schema.openObject, "context": context,
            "evaluations": .object(["type": .string("array"), "maxItems": .integer(Int64(AuthZEN.evaluationsPerRequest))]),
            "options": Schema.object(
                [:],
                optional: ["evaluations_semantic": Schema.words("execute_all", "deny_on_first_deny", "permit_on_first_permit")],
                isOpen: true),
        ], isOpen: true)
    fileprivate static let subjectSearch = request(
        ["subject": searched, "action": action, "resource": entity], optional: ["page": page])
    fileprivate static let resourceSearch = request(
        ["subject": entity, "action": action, "resource": searched], optional: ["page": page])
    fileprivate static let actionSearch = request(["subject": entity, "resource": entity], optional: ["page": page])
}
