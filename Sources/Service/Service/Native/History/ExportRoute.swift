internal import Events
internal import HTTPServer
internal import Histories
internal import Muniment
internal import Wire

/// Exports the log as a history.
enum ExportRoute {
    /// The number of revisions to read from the log at once, so that no reader waits for a client.
    private static let pieceRevisions: UInt64 = 256
    /// The media types of the response. Generated clients know only the last one.
    private static let types = RequestContext.lineTypes + ["application/octet-stream"]

    static let route = Route(
        "GET", "/v1/stores/{store}/export", "export", need: .store,
        RouteDescription("the log as a history (`Docs/Scenarios.md`); importing it creates an equal store", group: "History")
            .withResponse("the header, and a line for each commit", nil, lines: Schema.named("HistoryLine"))
            .withResponse(
                "the same lines, as a file", .object(["type": .string("string"), "format": .string("binary")]),
                as: "application/octet-stream", headers: []
            ),
        .queued(
            .optionalRevision("from", "the first revision (default: 1)"),
            .optionalRevision("to", "the last revision (default: the newest)"), .atLeast
        ) { call, from, to, atLeast in
            let from = from ?? Revision(1)
            try call.requirePermissionToQueryAllSubjects()
            try call.requireVisible(atLeast)
            let store = try call.store
            let head = try store.head.revision
            let last = to ?? head
            for asked in [to, from == Revision(1) ? nil : from] {
                if let asked, asked > head { throw StoreError.noSuchRevision(asked, head: head) }
            }
            guard from <= last || to == nil else { throw Problem(.malformed, SpanError(from: from, to: last).description) }
            return try call.lines(call.acceptedType(of: types) ?? types[0], at: last) { writer in
                let exporter = HistoryExporter(store)
                var lines: [String] = []
                var next = from
                var isFirst = true
                repeat {
                    let end = min(Revision(next.rawValue + pieceRevisions - 1), last)
                    lines.removeAll(keepingCapacity: true)
                    try exporter.export(from: next, to: end) { lines.append($0) }
                    // Every piece begins with the header, which is written only once.
                    for line in lines.dropFirst(isFirst ? 0 : 1) { try writer.write(line: line.utf8) }
                    isFirst = false
                    next = end.next
                } while next <= last
            }
        })
}
