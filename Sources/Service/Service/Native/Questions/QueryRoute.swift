internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// Finds objects by their properties.
enum QueryRoute {
    /// The largest number of objects on a page.
    static let pageLimit = 10_000
    private static let standardLimit = 100

    static let route = Route(
        "POST", "/v1/stores/{store}/query", "query", need: .store, bodyLimitBytes: 262_144,
        RouteDescription("the objects of a class that a subject may read and query, by their properties", group: "Questions")
            .saying(
                "The class must name the properties of the condition and the order. A cursor continues at the revision of the first "
                    + "page. With JSON Lines the response has all objects, without pages."
            )
            .taking(
                body: Schema.object(
                    ["class": Schema.text],
                    optional: JSONObject([
                        "where": Schema.openObject, "order": Schema.list(Schema.text), "as": Schema.name,
                        "limit": Schema.count(upTo: pageLimit, default: standardLimit), "cursor": Schema.text,
                    ]).with(.point))
            )
            .answering(
                "a page, and the cursor of the next one",
                Schema.object([
                    "class": Schema.text, "objects": Schema.names, "revision": Schema.revision, "next": Schema.orNull(Schema.text),
                ]), lines: Schema.object(["object": Schema.name])
            )
            .refusing(.refused, .notYetVisible),
        .queued { call in
            var arguments = try call.arguments()
            let query = try arguments.query()
            let (reader, point) = (try call.reader(named: try arguments.optionalName("as")), try arguments.point())
            let (cursor, isNow) = (try arguments.optionalText("cursor"), !arguments.has("at"))
            try arguments.finish()
            guard cursor == nil || isNow else {
                throw arguments.wrong("at", "cannot be used with `cursor`", "omit it, the cursor contains the revision")
            }
            try call.requireVisible(point.atLeast)
            let store = try call.store
            let audience = try call.audience
            let page =
                try cursor.map { try store.page(of: query, as: reader, after: try QueryCursor($0), for: audience) }
                ?? store.page(of: query, as: reader, at: point.moment, for: audience)
            guard let lineType = call.lineType else {
                return call.answer(Asked(className: query.className).answer(page), at: page.revision)
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
}

extension Arguments {
    /// Reads `class`, `where`, `order` and `limit`. A property with a dash before it sorts in descending order.
    fileprivate mutating func query() throws -> Query {
        let className = try text("class")
        let condition = try value("where").map { try Condition(filter: $0) }
        let order = try optionalTexts("order") ?? []
        let limit = try count("limit", upTo: QueryRoute.pageLimit, default: 100)
        return Query(
            className, where: condition,
            order: order.map { $0.hasPrefix("-") ? .descending(String($0.dropFirst())) : .ascending($0) }, limit: limit)
    }
}
