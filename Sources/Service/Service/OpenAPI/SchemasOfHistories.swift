internal import Events
internal import Muniment
internal import Permissions

/// The schemas of commits, notices and audit records.
enum SchemasOfHistories {
    /// The optional members of everything that was committed.
    static let origin: JSONObject = [
        "id": Schema.text, "idempotencyKey": Schema.text, "comment": Schema.text, "importLine": Schema.number,
        "credential": Schema.text,
    ]
    /// The inherited privileges: all, none, or these.
    static let inherits = Schema.anyOf(Schema.flag, Schema.privileges)

    static let all: JSONObject = [
        "Event": event, "ClassOptions": classOptions, "AuditRecord": auditRecord,
        "HistoryLine": Schema.openObject("the header of a history or one of its transactions, as in `Docs/Scenarios.md`"),
        "RefusedCommand": Schema.openObject("the refused change, with its `op`"),
        "Commit": Schema.object(
            [
                "revision": Schema.revision, "time": Schema.time, "actor": Schema.orNull(Schema.name),
                "events": Schema.list(Schema.named("Event")),
            ], optional: origin.with(["hash": Schema.text])),
        "Notice": Schema.object(
            [
                "revision": Schema.revision, "time": Schema.time, "kind": Schema.text, "object": Schema.name,
                "wasAccessible": Schema.flag, "completesRevision": Schema.flag,
            ], optional: ["gained": Schema.privileges, "lost": Schema.privileges]),
        "AccessTransition": Schema.object(
            [
                "actor": Schema.orNull(Schema.name), "events": Schema.list(Schema.named("AuditRecord")), "gained": Schema.flag,
                "revision": Schema.orNull(Schema.revision), "time": Schema.time,
            ], optional: origin),
    ]

    /// An event of any kind: each kind has some of the members.
    private static let event = Schema.object(
        ["kind": Schema.text],
        optional: [
            "preset": Schema.text, "class": Schema.name, "options": Schema.named("ClassOptions"), "principal": Schema.name,
            "role": Schema.name, "member": Schema.name, "object": Schema.name, "owner": Schema.name,
            "parent": Schema.orNull(Schema.name), "value": Schema.anything, "subject": Schema.name,
            "privileges": Schema.privileges, "cause": Schema.text, "until": Schema.time, "permission": Schema.name,
        ])

    private static let classOptions = Schema.object(
        [
            "objectACL": Schema.text, "composition": Schema.text, "inherits": inherits, "creatorPrivileges": Schema.privileges,
            "creatorPermanent": Schema.flag, "readThroughLinks": Schema.flag, "privileges": Schema.privileges,
            "properties": Schema.list(Schema.text),
        ], optional: ["aliases": Schema.named("Aliases")])

    /// What was done has `event`, what was refused has `code`. A record that its reader may not see has only its time.
    private static let auditRecord = Schema.object(
        ["time": Schema.time],
        optional: JSONObject([
            "outcome": Schema.text, "actor": Schema.name, "revision": Schema.revision, "index": Schema.number,
            "event": Schema.named("Event"), "caller": Schema.text, "code": Schema.text, "message": Schema.text,
            "number": Schema.number, "head": Schema.revision, "change": Schema.orNull(Schema.number), "changes": Schema.number,
            "hash": Schema.text, "tried": Schema.orNull(Schema.named("RefusedCommand")), "triedBeginning": Schema.text,
            "triedBytes": Schema.number, "triedSHA256": Schema.text,
        ]).with(origin))
}
