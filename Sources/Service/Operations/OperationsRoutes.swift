internal import Events
internal import HTTPServer
internal import Muniment

/// What tells how the service is.
enum OperationsRoutes {
    static let all: [Route] = [health, readiness, metrics, decisions]

    static let health = Route(
        "GET", "/healthz", "health", need: .nothing, RouteDescription("whether the process lives"),
        .immediate { call in call.answer(["status": .string("ok")]) })

    static let readiness = Route(
        "GET", "/readyz", "readiness", need: .nothing, RouteDescription("whether it can be asked and written to now"),
        .immediate { call in
            if call.service.operations.isStopping { throw Problem(.unavailable, "the service is stopping") }
            // Which store it is, and why, is for the log and for metrics: anybody may ask this.
            let blocked = call.service.data.open.count { $0.store.obstacleToWriting != nil }
            guard blocked == 0 else { throw Problem(.unavailable, "a store takes no writes; why is in the service's log") }
            return call.answer(["status": .string("ready")])
        })

    static let metrics = Route(
        "GET", "/metrics", "metrics", need: .asking,
        RouteDescription("figures of the service, and of the stores that the caller's token reaches"),
        .queued { call in
            HTTPResponse(
                status: 200,
                headers: [HTTPHeader("Content-Type", MetricsText.mediaType), HTTPHeader("Cache-Control", "no-store")],
                body: .bytes(Array(ServiceMetrics(of: call.service, for: call.caller).text.utf8)))
        })

    static let decisions = Route(
        "GET", "/v1/stores/{store}/decisions", "decisions", need: .administering,
        RouteDescription("what was decided, where the service keeps the store's decisions", group: "The past"),
        .queued { call in
            guard let hosted = call.hosted else { throw Problem(.notFound, "there is no such store") }
            let search = DecisionSearch(of: hosted.name.text, in: call.service.settings.dataDirectory)
            guard search.isThere else {
                throw Problem(
                    .notFound, "no decisions of this store are kept: start the service with `--decision-log \(hosted.name)`")
            }
            hosted.decisionLog?.flush()
            let asked = try AskedDecisions(call.query)
            let page = try search.page(asked.filter, after: asked.after, limit: asked.limit)
            var answer: JSONObject = ["decisions": .array(page.decisions.map { .object($0.json) })]
            if let next = page.next { answer["next"] = .string("\(next)") }
            if page.dropped > 0 { answer["dropped"] = .count(page.dropped) }
            return call.answer(answer)
        })
}

/// What a request for decisions asks for.
private struct AskedDecisions {
    var filter = DecisionFilter()
    var after: UInt64?
    var limit = 100

    private static let largestLimit = 1_000

    init(_ query: QueryParameters) throws {
        filter.caller = try query["caller"]
        filter.subject = try query["subject"]
        filter.action = try query["action"]
        filter.resource = try query["resource"]
        filter.requestID = try query["request"]
        filter.isAllowed = try AskedDecisions.flag(query["allowed"], "allowed")
        filter.newestFirst = try AskedDecisions.flag(query["newest"], "newest") ?? false
        filter.from = try AskedDecisions.time(query["from"], "from")
        filter.to = try AskedDecisions.time(query["to"], "to")
        if let text = try query["after"] {
            guard let number = UInt64(text) else {
                throw Problem(.malformed, "`after` is no place in the log: take the `next` of the page before")
            }
            after = number
        }
        if let text = try query["limit"] {
            guard let number = Int(text), (1...AskedDecisions.largestLimit).contains(number) else {
                throw Problem(.malformed, "`limit` is a whole number from 1 to \(AskedDecisions.largestLimit)")
            }
            limit = number
        }
    }

    private static func flag(_ text: String?, _ name: String) throws -> Bool? {
        switch text {
        case nil: return nil
        case "true": return true
        case "false": return false
        default: throw Problem(.malformed, "`\(name)` is `true` or `false`")
        }
    }

    private static func time(_ text: String?, _ name: String) throws -> Instant? {
        guard let text else { return nil }
        do { return try Instant(text) } catch {
            throw Problem(.malformed, "`\(name)` is no time: write one like 2026-01-31T10:00:00Z")
        }
    }
}
