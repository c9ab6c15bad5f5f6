internal import Events
internal import Muniment

/// The API description of AuthZEN: the formats of requests and responses, as JSON Schema.
extension RouteDescription {
    static let evaluation = authZEN(
        "checks if a subject may perform an action on a resource",
        body: SchemasOfAuthZEN.request(
            ["subject": Schema.named("Entity"), "action": Schema.named("Action"), "resource": Schema.named("Entity")]),
        answer: Schema.named("EvaluationResponse"))

    static let evaluations = authZEN(
        "checks up to 10,000 evaluations in one request",
        body: Schema.object(
            [:],
            optional: SchemasOfAuthZEN.parts.with([
                "evaluations": Schema.orNull(Schema.list(Schema.named("Evaluation"), maximum: AuthZEN.evaluationsPerRequest)),
                "options": Schema.orNull(Schema.named("EvaluationsOptions")),
            ]), isOpen: true),
        answer: Schema.object(
            [:],
            optional: [
                "evaluations": Schema.list(Schema.named("EvaluationResponse")), "decision": Schema.flag,
                "context": Schema.named("DecisionContext"),
            ], isOpen: true), headers: ["Muniment-Revision"])

    static let subjectSearch = search(
        "the subjects that may perform an action on a resource",
        ["subject": Schema.named("SearchedEntity"), "action": Schema.named("Action"), "resource": Schema.named("Entity")],
        result: "Entity")
    static let resourceSearch = search(
        "the resources where a subject may perform an action",
        ["subject": Schema.named("Entity"), "action": Schema.named("Action"), "resource": Schema.named("SearchedEntity")],
        result: "Entity")
    static let actionSearch = search(
        "the actions that a subject may perform on a resource",
        ["subject": Schema.named("Entity"), "resource": Schema.named("Entity")], result: "FoundAction")

    private static func authZEN(
        _ summary: String, body: JSONValue, answer: JSONValue, headers: [String] = []
    ) -> RouteDescription {
        var description = RouteDescription(summary, group: "AuthZEN")
        description.text =
            "AuthZEN 1.0. The `context` of a request may have `muniment_at`, a revision or a time, and `reason`. A denial has status 200."
        description.body = body
        return description.withResponse("the response of the decision point", answer, headers: headers)
    }

    private static func search(_ summary: String, _ members: JSONObject, result: String) -> RouteDescription {
        authZEN(
            summary, body: SchemasOfAuthZEN.request(members, optional: ["page": Schema.orNull(Schema.named("PageRequest"))]),
            answer: Schema.object(
                ["page": Schema.named("PageResponse"), "results": Schema.list(Schema.named(result))],
                optional: ["context": Schema.named("DecisionContext")], isOpen: true))
    }
}

/// The schemas of AuthZEN. Other members are allowed and ignored.
enum SchemasOfAuthZEN {
    private static let word: JSONValue = .object(["type": .string("string"), "minLength": .integer(1)])
    private static let limit = JSONValue.object(["type": .string("integer"), "minimum": .integer(1)])
    /// Optional members of requests may be null, which is the same as none.
    private static let properties = Schema.orNull(Schema.named("Properties"))
    private static let moment = JSONValue.object([
        "description": .string("a revision, or a time"),
        "anyOf": .array([Schema.number, .object(["type": .string("string"), "format": .string("date-time")])]),
    ])
    /// The parts of an evaluation, where none is required.
    static let parts: JSONObject = [
        "subject": Schema.orNull(Schema.named("Entity")), "action": Schema.orNull(Schema.named("Action")),
        "resource": Schema.orNull(Schema.named("Entity")), "context": Schema.orNull(Schema.named("EvaluationContext")),
    ]

    static func request(_ members: JSONObject, optional: JSONObject = [:]) -> JSONValue {
        Schema.object(members, optional: optional.with(["context": Schema.orNull(Schema.named("EvaluationContext"))]), isOpen: true)
    }

    static let all: JSONObject = [
        "Properties": Schema.openObject("properties, which the service ignores"),
        "Entity": Schema.object(["type": word, "id": word], optional: ["properties": properties], isOpen: true),
        // An entity of the type that a search looks for. Its id is ignored.
        "SearchedEntity": Schema.object(["type": word], optional: ["properties": properties], isOpen: true),
        "Action": Schema.object(["name": word], optional: ["properties": properties], isOpen: true),
        "FoundAction": Schema.object(["name": Schema.text], isOpen: true),
        "EvaluationContext": Schema.object([:], optional: [ContextPart.momentName: Schema.orNull(moment)], isOpen: true),
        "Evaluation": Schema.object([:], optional: parts, isOpen: true),
        "EvaluationsOptions": Schema.object(
            [:],
            optional: [
                "evaluations_semantic": Schema.orNull(Schema.words("execute_all", "deny_on_first_deny", "permit_on_first_permit"))
            ],
            isOpen: true),
        "EvaluationResponse": Schema.object(
            ["decision": Schema.flag], optional: ["context": Schema.named("DecisionContext")], isOpen: true),
        "DecisionContext": Schema.object(
            [:],
            optional: ["revision": Schema.revision, "reason": Schema.text, "error": Schema.named("EvaluationError")], isOpen: true),
        "EvaluationError": Schema.object(["status": Schema.number, "message": Schema.text]),
        "PageRequest": Schema.object(
            [:], optional: ["token": Schema.orNull(Schema.text), "limit": Schema.orNull(limit), "properties": properties],
            isOpen: true),
        "PageResponse": Schema.object(
            ["next_token": Schema.text], optional: ["count": Schema.number, "total": Schema.number], isOpen: true),
        "AuthZENConfiguration": Schema.object([
            "policy_decision_point": Schema.text, "access_evaluation_endpoint": Schema.text,
            "access_evaluations_endpoint": Schema.text, "search_subject_endpoint": Schema.text,
            "search_resource_endpoint": Schema.text, "search_action_endpoint": Schema.text,
        ]),
    ]
}
