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
                "Oldest first, the request of the last page finds later records, too. With JSON Lines or CSV the response has all "
                    + "records, without pages. The CSV is that of `muniment audit --format csv`, with times in UTC. With `text`, a "
                    + "page can have fewer records than `limit`, or none, and still a `next`. `count` takes no `text`."
            )
            .withResponse(
                "a page",
                Schema.object(
                    ["records": Schema.list(Schema.named("AuditRecord")), "revision": Schema.revision],
                    optional: JSONObject(["count": Schema.number]).with(.next)),
                lines: Schema.named("AuditRecord"), hasTable: true
            ),
        .queued(filter, text, wantsCount, .atLeast, .page(.records, at: nil)) {
            call, filter, text, wantsCount, atLeast, request in
            var filter = filter
            try call.requirePermissionToQueryAllSubjects()
            try call.requireVisible(atLeast)
            let cursor = try request.position { try AuditCursor($0) }
            let store = try call.store
            let head = try store.head.revision
            guard !wantsCount || text == nil else {
                throw Problem(.malformed, "`count` cannot be used with `text`: omit one of them")
            }
            guard let type = call.acceptedType(of: RequestContext.lineTypes + [RequestContext.tableType]) else {
                let page = try store.audit(filter, after: cursor, limit: request.limit)
                let records = page.records.map(\.json).filter { $0.matches(text) }
                var members: JSONObject = ["records": .array(records), "revision": .revision(head)]
                if wantsCount { members["count"] = .count(try store.auditCount(filter)) }
                return call.answer(call.page(members, next: page.isLast ? nil : page.cursor), at: head)
            }
            // Without an end, new records could extend a long response forever.
            if filter.to == nil, cursor == nil { filter.to = .revision(head) }
            let first = try store.audit(filter, after: cursor, limit: pieceRecords)
            return try call.lines(type, at: head) { [filter] writer in
                let isTable = type == RequestContext.tableType
                if isTable { try writer.write(line: CSVLine(AuditRecord.columns).text.utf8) }
                var page = first
                while true {
                    for record in page.records where text == nil || record.json.matches(text) {
                        if isTable { try writer.write(line: record.csvLine.text.utf8) } else { try writer.write(record.json) }
                    }
                    if page.isLast { return }
                    page = try store.audit(filter, after: page.cursor, limit: pieceRecords)
                }
            }
        })

    private static let text = Argument<String?>.optionalText(
        "text", "only records with this text in a name, a privilege, a comment or a message, in any case")

    private static let wantsCount = Argument<Bool>.flag(
        "count", "whether the page tells in `count` how many records there are on all pages", default: false)

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

extension JSONValue {
    /// Whether a text in an audit record contains a text, in upper or lower case; true without one. Times, hashes and ids do not count.
    fileprivate func matches(_ text: String?) -> Bool {
        guard let text else { return true }
        let parts = ["event", "tried", "actor", "caller", "comment", "message"]
        return parts.contains { self[$0]?.contains(text.lowercased()) ?? false }
    }

    private func contains(_ lowercased: String) -> Bool {
        switch self {
        case .string(let text): text.lowercased().contains(lowercased)
        case .array(let values): values.contains { $0.contains(lowercased) }
        case .object(let members): members.contains { $0.value.contains(lowercased) }
        default: false
        }
    }
}
