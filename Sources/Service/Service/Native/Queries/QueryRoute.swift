internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// Finds objects by their properties.
enum QueryRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/query", "query", need: .store, bodyLimitBytes: 262_144,
        RouteDescription("the objects of a class that a subject may read and query, by their properties", group: "Questions")
            .withNote(
                "The class must name the properties of the condition and the order. A cursor continues at the revision of the first "
                    + "page. With JSON Lines the response has all objects, without pages. If a caller without access gets an empty list, "
                    + "`note` has the reason, and the grant that would help."
            )
            .withResponse(
                "a page",
                Schema.object(
                    ["class": Schema.text, "objects": Schema.names, "revision": Schema.revision],
                    optional: JSONObject.next.with(["note": Schema.named("ListNote")])),
                lines: Schema.object(["object": Schema.name])
            )
            .withProblems(.refused),
        .queued(.page(.objects, cursor: Schema.text), .text("class"), condition, .texts("order"), .reader) {
            call, request, className, condition, order, reader in
            let query = Query(
                className, where: condition,
                // A property with a dash before it sorts in descending order.
                order: order.map { $0.hasPrefix("-") ? .descending(String($0.dropFirst())) : .ascending($0) }, limit: request.limit)
            try call.requireVisible(request.point.atLeast)
            let store = try call.store
            let audience = try call.audience
            let page =
                try request.position { try QueryCursor($0) }.map { try store.page(of: query, as: reader, after: $0, for: audience) }
                ?? store.page(of: query, as: reader, at: request.point.moment, for: audience)
            guard let lineType = call.lineType else {
                let isEmpty = page.objects.isEmpty && request.cursor == nil
                let note = isEmpty ? try store.note(onEmpty: query, as: reader, at: request.point.moment, for: audience) : nil
                let members = QueryMembers(className: query.className).answer(page).with(JSONObject(note: note))
                return call.answer(call.page(members, next: page.next), at: page.revision)
            }
            return try call.lines(lineType, at: page.revision) { writer in
                var page = page
                while true {
                    for name in page.objects { try writer.write(["object": .string(name)]) }
                    guard let next = page.next else { return }
                    page = try store.page(of: query, as: reader, after: next, for: audience)
                }
            }
        })

    private static let condition = Argument<Condition?>("where", "", Schema.named("Condition")) { arguments in
        try arguments.value("where").map { try Condition(filter: $0) }
    }
}
