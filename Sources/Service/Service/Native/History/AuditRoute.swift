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
            .withParameters(
                .query("actor", "only actions and attempts of this caller; `store` for the store itself", Schema.name),
                .query("object", "only records about this object, class, role or principal", Schema.name),
                .query("subject", "only records that changed the access of this subject", Schema.name),
                .query("kind", "only these kinds: of events such as AccessGranted, of refused commands such as grant"),
                .query("request", "only records with this request id"), .from, .to,
                .query("outcome", "done, refused or any", Schema.words("done", "refused", "any")),
                .query("order", "the order of the records", Schema.words("oldest", "newest")), .atLeast
            )
            .paged(.records)
            .withResponse(
                "a page",
                Schema.object(
                    ["records": Schema.list(Schema.named("AuditRecord")), "revision": Schema.revision], optional: .next),
                lines: Schema.named("AuditRecord")
            ),
        .queued { call in
            var (filter, request, atLeast) = try call.arguments {
                (try $0.auditFilter(), try $0.page(.records, momentIn: nil), try $0.optionalRevision("atLeast"))
            }
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
}

extension Arguments {
    fileprivate mutating func auditFilter() throws(Problem) -> AuditFilter {
        let kinds = try optionalTexts("kind")
        if kinds?.isEmpty ?? false { throw wrong("kind", "contains no kind", "write one, or several like AccessGranted,grant") }
        var filter = AuditFilter(
            actor: try optionalName("actor"), object: try optionalName("object"), subject: try optionalName("subject"),
            kinds: kinds ?? [], requestID: try optionalText("request"), from: try optionalMoment("from"),
            to: try optionalMoment("to"),
            order: try choice("order", [("oldest", .oldestFirst), ("newest", .newestFirst)]) ?? .oldestFirst)
        let outcomes = AuditFilter.Outcome.allCases.map { (word: $0.rawValue, value: $0) }
        if let outcome = try choice("outcome", outcomes) { filter.outcome = outcome }
        return filter
    }
}
