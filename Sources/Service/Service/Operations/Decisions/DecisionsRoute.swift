internal import Events
internal import HTTPServer
internal import Muniment

/// Returns the decision log of a store, if it has one.
enum DecisionsRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/decisions", "decisions", need: .administering, description,
        .queued(filter, .page(.records, at: nil)) { call, filter, request in
            guard let hosted = call.hosted else { throw Problem(.notFound, "the store does not exist") }
            let search = DecisionSearch(of: hosted.name.text, in: call.service.settings.dataDirectory)
            guard search.exists else {
                throw Problem(
                    .notFound, "the decisions of this store are not logged: start the service with `--decision-log \(hosted.name)`")
            }
            hosted.decisionLog?.flush()
            let page = try search.page(filter, after: request.position { UInt64($0) }, limit: request.limit)
            var answer = call.page(["decisions": .array(page.decisions.map { .object($0.json) })], next: page.next)
            if page.dropped > 0 { answer["dropped"] = .count(page.dropped) }
            return call.answer(answer)
        })

    private static let filter = Argument<DecisionFilter>(
        .optionalText("credential", "only decisions requested with this token id"),
        .optionalText("subject", "only about this subject"), .optionalText("action", "only about this privilege or action"),
        .optionalText("resource", "only about this object"),
        .optionalText("request", "only decisions of the request with this id"),
        Argument<Bool?>("allowed", "only allowed, or only denied decisions", Schema.flag) { arguments in
            try arguments.has("allowed") ? arguments.flag("allowed", default: true) : nil
        },
        time("from", "the first time"), time("to", "the last time"), .flag("newest", "true: newest first", default: false)
    ) {
        var filter = DecisionFilter()
        (filter.credential, filter.subject, filter.action, filter.resource, filter.requestID) = ($0, $1, $2, $3, $4)
        (filter.isAllowed, filter.from, filter.to, filter.newestFirst) = ($5, $6, $7, $8)
        return filter
    }

    private static func time(_ name: String, _ text: String) -> Argument<Instant?> {
        Argument(name, text, Schema.time) { arguments in
            guard let text = try arguments.optionalText(name) else { return nil }
            do { return try Instant(text) } catch {
                throw arguments.wrong(name, "is not a time", "write one like 2026-01-31T10:00:00Z")
            }
        }
    }

    private static let description =
        RouteDescription("the logged decisions of a store", group: "The past")
        .withResponse(
            "a page of decisions, which may be empty even if it is not the last page",
            Schema.object(
                ["decisions": Schema.list(Schema.named("Decision"))], optional: JSONObject.next.with(["dropped": Schema.number])),
            headers: [])
}
