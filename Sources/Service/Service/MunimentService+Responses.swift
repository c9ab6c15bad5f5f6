internal import HTTPServer
internal import Muniment

extension MunimentService {
    /// Returns the problem to send for an error, and reports faults of the service in its log.
    func problem(for error: any Error, _ request: HTTPRequest) -> Problem {
        let (problem, exchange) = (Problem(error), request.context as? Exchange)
        if problem.kind.status >= 500, !(error is Problem) {
            settings.report("request \(exchange?.requestID ?? "-"): \(error)")
        }
        let store = exchange?.hosted?.store
        if [.failed, .unavailable].contains(problem.kind), store?.isInPlace == false {
            return Problem(
                .unavailable,
                "the files of this store were removed or replaced while the service had them open, so it takes no changes: put the "
                    + "folder back or restore it, then start the service again")
        }
        guard problem.kind == .failed else { return problem }
        if let route = exchange?.route, router.routes[route].isOfAccounts, accounts?.obstacleToChanges != nil {
            return Problem(.unavailable, "accounts cannot be changed; the service's log has the reason")
        }
        if store?.obstacleToWriting != nil {
            return Problem(
                .unavailable,
                "the store takes no changes, because a write failed. The operator repairs the cause and restarts the service; the "
                    + "service's log has the reason.")
        }
        return problem
    }

    /// Adds the headers that every response has.
    func finished(_ response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
        guard let exchange = request.context as? Exchange else { return response }
        var response = response
        response.headers += operations.headers(requestID: exchange.requestID, limit: exchange.limit)
        return response
    }
}
