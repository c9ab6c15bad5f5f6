internal import Credentials
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
        RouteDescription("checks if the service accepts requests and changes")
            .withNote("With a token that may observe, or administer, the problem names the store and the reason.")
            .withResponse("the service accepts requests and changes", status("ready"), headers: []),
        .immediate { call in
            if call.service.operations.isStopping { throw Problem(.unavailable, "the service is stopping") }
            // This route is public. Only callers who may observe the store learn its name and the reason.
            if let obstacle = call.service.readiness.check() {
                throw Problem(.unavailable, call.mayObserve(obstacle) ? obstacle.text : obstacle.kind.answer)
            }
            return call.answer(["status": .string("ready")])
        })

    static let metrics = Route(
        "GET", "/metrics", "metrics", need: .observing,
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

extension RequestContext {
    /// Returns whether the credential in the header, if any, gives the right to observe. An invalid one counts as none.
    fileprivate func mayObserve(_ obstacle: Obstacle) -> Bool {
        guard request.header("Authorization") != nil,
            let caller = (try? service.authenticator.finding(for: request, from: client, in: nil))?.caller
        else { return false }
        return caller.reaches(.observing, in: obstacle.store?.text) && (obstacle.store != nil || caller.stores == .all)
    }
}
