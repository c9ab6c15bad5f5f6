internal import Events
internal import HTTPServer
internal import Muniment

/// Routes for the status of the service.
enum OperationsRoutes {
    static let all: [Route] = [health, readiness, metrics, DecisionsRoute.route]

    static let health = Route(
        "GET", "/healthz", "health", need: .nothing,
        RouteDescription("checks if the process is alive").withResponse("the process is alive", status("ok"), headers: []),
        .immediate { call in call.answer(["status": .string("ok")]) })

    static let readiness = Route(
        "GET", "/readyz", "readiness", need: .nothing,
        RouteDescription("checks if the service accepts requests and changes").withResponse(
            "the service accepts requests and changes", status("ready"), headers: []),
        .immediate { call in
            if call.service.operations.isStopping { throw Problem(.unavailable, "the service is stopping") }
            // This route is public. Only the log and the metrics contain the store and the reason.
            let blocked = try call.service.data.open.map(\.store).count {
                try $0.obstacleToWriting != nil || $0.clockProblem != nil
            }
            guard call.service.data.unserved.isEmpty else {
                throw Problem(.unavailable, "a store is not served; the service's log has the reason")
            }
            guard blocked == 0 else { throw Problem(.unavailable, "a store takes no writes; the service's log has the reason") }
            guard call.service.data.open.allSatisfy({ $0.isCurrent(within: call.service.settings.lagLimit) }) else {
                throw Problem(.unavailable, "this node has no news from the shared log; the service's log has the reason")
            }
            guard call.service.accounts?.obstacleToChanges == nil else {
                throw Problem(.unavailable, "accounts cannot be changed; the service's log has the reason")
            }
            guard !call.service.data.open.contains(where: { $0.store.lacksDiskSpace }) else {
                throw Problem(.unavailable, "changes are refused: the disk has too little free space")
            }
            guard call.service.canReadTokens else {
                throw Problem(.unavailable, "the token file cannot be read; the service's log has the reason")
            }
            return call.answer(["status": .string("ready")])
        })

    static let metrics = Route(
        "GET", "/metrics", "metrics", need: .asking,
        RouteDescription("metrics of the service, and of the stores that the caller's token can access").withResponse(
            "the text format of Prometheus, version 0.0.4", Schema.text, as: "text/plain", headers: []),
        .queued { call in
            HTTPResponse(
                status: 200,
                headers: [HTTPHeader("Content-Type", MetricsText.mediaType), HTTPHeader("Cache-Control", "no-store")],
                body: .bytes(Array(ServiceMetrics(of: call.service, for: call.caller).text.utf8)))
        })

    private static func status(_ word: String) -> JSONValue { Schema.object(["status": Schema.words(word)]) }
}
