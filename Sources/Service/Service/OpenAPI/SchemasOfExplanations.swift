internal import Events
internal import Muniment

/// The schemas of an explanation: its levels, their paths, and the steps of each path.
enum SchemasOfExplanations {
    private static let paths = Schema.list(Schema.named("ExplainedPath"))

    static let all: JSONObject = [
        "ExplainQuestion": ArgumentList(.explainQuestion).schema,
        "Explanation": Schema.object(
            JSONObject([
                "subject": Schema.name, "privileges": Schema.privileges, "object": Schema.name, "allowed": Schema.flag,
                "complete": Schema.flag, "outcomes": Schema.list(Schema.named("PrivilegeOutcome")),
            ]).with(.when),
            optional: [
                "appointment": Schema.named("ExplainedStep"), "levels": Schema.list(Schema.named("ExplainedLevel")),
                "proposals": Schema.list(Schema.list(Schema.named("Change"))), "proposalsComplete": Schema.flag,
                "obstacle": Schema.orNull(Schema.text),
            ]),
        "PrivilegeOutcome": Schema.object([
            "privilege": Schema.text, "allowed": Schema.flag, "decidedBy": Schema.text, "failing": Schema.list(Schema.text),
        ]),
        "ExplainedLevel": Schema.object(["level": Schema.text, "missing": Schema.privileges, "paths": paths]),
        "ExplainedPath": Schema.object(
            ["privileges": Schema.privileges, "steps": Schema.list(Schema.named("ExplainedStep"))],
            optional: [
                "as": Schema.name, "permanent": Schema.flag, "through": Schema.list(Schema.named("ExplainedObject")),
            ]),
        "ExplainedObject": Schema.object(["object": Schema.name, "classLevel": paths, "objectPart": paths]),
        // A fact of any kind, which `fact` names, and the event that caused it.
        "ExplainedStep": Schema.object(
            [
                "fact": Schema.text, "revision": Schema.revision, "event": Schema.number, "kind": Schema.text, "time": Schema.time,
                "actor": Schema.orNull(Schema.name),
            ],
            optional: JSONObject([
                "object": Schema.name, "class": Schema.name, "parent": Schema.name, "objectACL": Schema.text,
                "composition": Schema.text, "inherits": SchemasOfHistories.inherits, "member": Schema.name,
                "role": Schema.name, "subject": Schema.name, "privileges": Schema.privileges,
                "until": Schema.orNull(Schema.time), "permission": Schema.name, "from": Schema.name, "to": Schema.name,
                "principal": Schema.name,
            ]).with(SchemasOfHistories.origin)),
    ]
}
