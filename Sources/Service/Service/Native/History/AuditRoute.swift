internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// Returns the audit: successful and refused actions with actor and time.
enum AuditRoute {
    /// The number of records to read at once if all are requested.
    private static let pieceRecords = 500

    static let route = Route(
        "GET", "/v1/stores/{store}/audit", "audit", need: .store,
        RouteDescription("the audit log: who did what and when, with refused commands", group: "Audit")
            .withNote(
                "Oldest first, the request of the last page finds later records, too. With JSON Lines the response has all records, "
                    + "without pages."
            )
            .withResponse(
                "a page",
                Schema.object(
                    ["records": Schema.list(Schema.named("AuditRecord")), "revision": Schema.revision], optional: .next),
                lines: Schema.named("AuditRecord")
            ),
        .queued(filter, .atLeast, .page(.records, at: nil)) { call, filter, atLeast, request in
            var filter = filter
            try call.requirePermissionToQueryAllSubjects()
            try call.requireVisible(atLeast)
            let cursor = try request.position { try AuditCursor($0) }
            let store = try call.store
            let head = try store.head.revision
            guard let lineType = call.lineType else {
                let page = try store.audit(filter, after: cursor, limit: request.limit)
                let members: JSONObject = ["records": .array(page.records.map(\.json)), "revision": .revision(head)]
                return call.answer(members.page(next: page.isLast ? nil : page.cursor), at: head)
            }
            // Without an end, new records could extend a long response forever.
            if filter.to == nil, cursor == nil { filter.to = .revision(head) }
            let first = try store.audit(filter, after: cursor, limit: pieceRecords)
            return try call.lines(lineType, at: head) { [filter] writer in
                var page = first
                while true {
                    for record in page.records { try writer.write(record.json) }
                    if page.isLast { return }
                    page = try store.audit(filter, after: page.cursor, limit: pieceRecords)
                }
            }
        })

    private static let kinds = Argument<[String]>(
        "kind", "only these kinds: of events such as AccessGranted, of refused commands such as grant"
    ) { arguments in
        let kinds = try arguments.optionalTexts("kind")
        if kinds?.isEmpty ?? false {
            throw arguments.wrong("kind", "contains no kind", "write one, or several like AccessGranted,grant")
        }
        return kinds ?? []
    }

    private static let filter = Argument<AuditFilter>(
        .optionalName("actor", "only actions and attempts of this caller; `store` for the store itself"),
        .optionalName("object", "only records about this object, class, role or principal"),
        .optionalName("subject", "only records that changed the access of this subject"), kinds,
        .optionalText("request", "only records with this request id"), .from, .to,
        .choice("outcome", text: "done, refused or any", [("done", .done), ("refused", .refused), ("any", .any)], default: .any),
        .choice(
            "order", text: "the order of the records", [("oldest", .oldestFirst), ("newest", .newestFirst)], default: .oldestFirst)
    ) {
        AuditFilter(
            actor: $0, object: $1, subject: $2, kinds: $3, requestID: $4, from: $5, to: $6, outcome: $7, order: $8)
    }
}
