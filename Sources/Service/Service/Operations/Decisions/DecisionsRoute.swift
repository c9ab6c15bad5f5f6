internal import Events
internal import HTTPServer
internal import Muniment

/// Returns the decision log of a store, if it has one.
enum DecisionsRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/decisions", "decisions", need: .administering, description,
        .queued { call in
            guard let hosted = call.hosted else { throw Problem(.notFound, "the store does not exist") }
            let (filter, request) = try call.arguments { (try DecisionsRoute.filter(&$0), try $0.page(.records, momentIn: nil)) }
            let search = DecisionSearch(of: hosted.name.text, in: call.service.settings.dataDirectory)
            guard search.exists else {
                throw Problem(
                    .notFound, "the decisions of this store are not logged: start the service with `--decision-log \(hosted.name)`")
            }
            hosted.decisionLog?.flush()
            let page = try search.page(filter, after: request.position { UInt64($0) }, limit: request.limit)
            var answer = JSONObject(["decisions": .array(page.decisions.map { .object($0.json) })]).page(next: page.next)
            if page.dropped > 0 { answer["dropped"] = .count(page.dropped) }
            return call.answer(answer)
        })

    private static func filter(_ arguments: inout Arguments) throws -> DecisionFilter {
        var filter = DecisionFilter()
        filter.credential = try arguments.optionalText("credential")
        filter.subject = try arguments.optionalText("subject")
        filter.action = try arguments.optionalText("action")
        filter.resource = try arguments.optionalText("resource")
        filter.requestID = try arguments.optionalText("request")
        filter.isAllowed = try arguments.has("allowed") ? arguments.flag("allowed", default: true) : nil
        filter.newestFirst = try arguments.flag("newest", default: false)
        filter.from = try arguments.time("from")
        filter.to = try arguments.time("to")
        return filter
    }

    private static let description =
        RouteDescription("the logged decisions of a store", group: "The past")
        .withParameters(
            .query("credential", "only decisions requested with this token id"),
            .query("subject", "only about this subject"), .query("action", "only about this privilege or action"),
            .query("resource", "only about this object"), .query("request", "only decisions of the request with this id"),
            .query("allowed", "only allowed, or only denied decisions", Schema.flag),
            .query("from", "the first time", Schema.time), .query("to", "the last time", Schema.time),
            .query("newest", "true: newest first", Schema.flag)
        )
        .paged(.records)
        .withResponse(
            "a page of decisions, which may be empty even if it is not the last page",
            Schema.object(
                ["decisions": Schema.list(Schema.named("Decision"))], optional: JSONObject.next.with(["dropped": Schema.number])),
            headers: [])
}

extension Arguments {
    fileprivate mutating func time(_ name: String) throws -> Instant? {
        guard let text = try optionalText(name) else { return nil }
        do { return try Instant(text) } catch { throw wrong(name, "is not a time", "write one like 2026-01-31T10:00:00Z") }
    }
}
