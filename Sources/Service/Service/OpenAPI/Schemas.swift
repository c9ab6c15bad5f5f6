internal import Events
internal import Muniment
internal import Permissions

/// The named schemas of the API description.
enum Schemas {
    static let all: JSONObject = values.with(answers).with(reports).with(SchemasOfHistories.all)
        .with(SchemasOfExplanations.all).with(SchemasOfChanges.all).with(SchemasOfAuthZEN.all).with(SchemasOfAccounts.all)

    /// The pattern of ``Primitives/Name/problem``, without the limits in bytes.
    private static let formOfNames =
        #"^(store|everyone|anonymous|[^:\x00-\x1f\x7f-\x9f]+:[^\x00-\x1f\x7f-\x9f]+)$"#

    private static func text(
        _ description: String, _ example: String, format: String? = nil, pattern: String? = nil
    ) -> JSONValue {
        var schema: JSONObject = [
            "type": .string("string"), "minLength": .integer(1), "description": .string(description),
            "examples": .texts([example]),
        ]
        if let format { schema["format"] = .string(format) }
        if let pattern { schema["pattern"] = .string(pattern) }
        return .object(schema)
    }

    private static let values: JSONObject = [
        "Name": text(
            "`class:id`, `user:x`, `thing:x`, `role:x`, `permission:x`, `class:x`, `everyone`, `anonymous` or `store`", "doc:plan",
            pattern: formOfNames),
        "ChangedName": .object([
            "type": .string("string"),
            "description": .string("a name as in `Name`; the store refuses a change with an invalid name"),
        ]),
        "Privilege": text("a built-in privilege, or a privilege of a class", "read"),
        "Revision": .object([
            "type": .string("integer"), "minimum": .integer(0), "maximum": .count(Int64.max),
            "description": .string("the number of a commit"),
        ]),
        "Time": text("a time in UTC, RFC 3339", "2026-01-31T10:00:00Z", format: "date-time"),
        "Moment": .object([
            "description": .string("a revision, a time, or a day, which means its start"),
            "anyOf": .array([Schema.named("Revision"), text("a time, a day or a revision", "2026-01-31T10:00:00Z")]),
        ]),
        "JSONValue": .object(["description": .string("any JSON value")]),
        "OpenAPIDocument": Schema.openObject("an OpenAPI 3.1 document"),
        "Condition": Schema.openObject("a condition on properties, such as `{\"pages\":{\"<\":10}}`"),
        "Preset": Schema.words("open", "locked"),
        "Problem": .object([
            "type": .string("object"),
            "description": .string("an error (RFC 9457); `type` is the address of its description"),
            "properties": .object([
                "type": Schema.text, "title": Schema.text, "status": Schema.number, "detail": Schema.text,
                "code": .object([
                    "type": .string("string"), "enum": .texts(Refusal.Code.allCases.map(\.rawValue)),
                    "description": .string("the reason of the refusal"),
                ]),
                "change": Schema.number, "head": Schema.revision, "providers": Schema.list(Schema.text), "link": Schema.text,
                "maxAge": Schema.number,
            ]),
            "required": .texts(["type", "title", "status", "detail"]),
        ]),
    ]

    private static let answers: JSONObject = [
        "Receipt": Schema.object(
            [
                "revision": Schema.orNull(Schema.revision), "head": Schema.revision, "time": Schema.time,
                "hash": Schema.orNull(Schema.text),
            ],
            optional: ["notes": Schema.list(Schema.named("ChangeNote"))]),
        "ChangeNote": Schema.object([
            "change": Schema.number, "reason": Schema.words(ChangeNote.Reason.allCases.map(\.rawValue)),
            "message": Schema.text,
        ]),
        "ListNote": Schema.object([
            "reason": Schema.words(ListNote.Reason.allCases.map(\.rawValue)), "message": Schema.text,
        ]),
        "Refused": Schema.object([
            "change": Schema.orNull(Schema.number), "code": Schema.text, "message": Schema.text,
        ]),
        "RefusedChange": Schema.object(["refused": Schema.named("Refused")]),
        "TransactionResult": Schema.anyOf(Schema.named("Receipt"), Schema.named("RefusedChange")),
        "TransactionResults": Schema.object([
            "results": Schema.list(Schema.named("TransactionResult")), "head": Schema.revision,
        ]),
        "DraftTransaction": WhatIfRoute.draft.schema,
        "RefusedTransaction": Schema.object([
            "transaction": Schema.number, "change": Schema.orNull(Schema.number), "code": Schema.text, "message": Schema.text,
        ]),
        "Entry": Schema.object(
            ["subject": Schema.name, "privileges": Schema.privileges],
            optional: ["until": Schema.time, "permanent": Schema.flag, "permission": Schema.text]),
        "RevisionAndTime": Schema.object(["revision": Schema.revision, "time": Schema.time]),
        "Difference": Schema.object([
            "name": Schema.name, "before": Schema.privileges, "after": Schema.privileges, "gained": Schema.privileges,
            "lost": Schema.privileges,
        ]),
        "DraftDifference": Schema.object([
            "subject": Schema.name, "object": Schema.name, "before": Schema.privileges, "after": Schema.privileges,
            "gained": Schema.privileges, "lost": Schema.privileges,
        ]),
        "NameDescription": Schema.object(
            JSONObject(["name": Schema.name, "class": Schema.text, "hasChildren": Schema.flag]).with(.when),
            optional: [
                "created": Schema.revision, "changed": Schema.revision, "parent": Schema.name, "owner": Schema.name,
                "roles": Schema.names, "entries": Schema.names, "members": Schema.names, "options": Schema.named("ClassOptions"),
                "permission": Schema.object(["subject": Schema.name, "privileges": Schema.privileges, "objects": Schema.names]),
            ]),
        "Holding": Schema.object(["name": Schema.name, "privileges": Schema.privileges]),
        "RoleOfSubject": Schema.object(["everyones": Schema.flag, "role": Schema.name, "through": Schema.names]),
        "SubjectAccess": Schema.object(["subject": Schema.name, "spans": Schema.list(Schema.named("Span"))]),
        "Decision": Schema.object(
            [
                "number": Schema.number, "time": Schema.time, "allowed": Schema.flag, "subject": Schema.text, "action": Schema.text,
                "resource": Schema.text, "revision": Schema.revision,
            ], optional: ["credential": Schema.text, "request": Schema.text]),
        "ProblemKind": Schema.object([
            "type": Schema.text, "title": Schema.text, "status": Schema.number, "remedy": Schema.text, "documentation": Schema.text,
        ]),
        "Span": Schema.object(
            ["begin": Schema.revision, "from": Schema.time],
            optional: ["end": Schema.revision, "until": Schema.time, "asAdministrator": Schema.flag, "existedBefore": Schema.flag]),
    ]

    private static let reports: JSONObject = [
        "Verification": Schema.object([
            "sound": Schema.flag, "commits": Schema.number, "events": Schema.number, "refusals": Schema.number,
            "problems": Schema.list(Schema.text), "notes": Schema.list(Schema.text), "revision": Schema.orNull(Schema.revision),
            "hash": Schema.orNull(Schema.text), "refusalHash": Schema.orNull(Schema.text),
        ]),
        "VerificationProgress": Schema.object(["stage": Schema.text, "done": Schema.number, "total": Schema.number]),
        "Statistics": Schema.object(
            [
                "store": Schema.text, "preset": Schema.named("Preset"), "openToEveryone": Schema.flag,
                "revision": Schema.revision, "time": Schema.time, "hash": Schema.text, "events": Schema.number,
                "principals": Schema.number, "roles": Schema.number,
                "classes": Schema.number, "objects": Schema.number, "refusals": Schema.number, "logBytes": Schema.number,
                "indexBytes": Schema.number,
                "tables": Schema.list(Schema.named("TableStatistics")),
            ], optional: ["lastBackup": Schema.time, "lastVerification": Schema.time]),
        "BrowserSession": BrowserSessionRoutes.schema, "Token": TokenRoutes.schema,
        "TableStatistics": Schema.object(["name": Schema.text, "rows": Schema.number, "bytes": Schema.number]),
    ]
}
