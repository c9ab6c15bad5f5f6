internal import Dispatch
public import Events
public import HTTPServer
internal import Muniment
internal import Synchronization
internal import Work

extension MunimentService {
    /// Returns the problem to send for an error, and reports faults of the service in its log.
    func problem(for error: any Error, _ request: HTTPRequest) -> Problem {
        let (problem, exchange) = (Problem(error), request.context as? RequestState)
        // A request is not a fault of the service if its time is over or its client has left.
        if problem.kind.status >= 500, !(error is Problem), !(error is Cancellation.StoppedError) {
            operations.faults.report("\(error)", request: exchange?.requestID)
        }
        let store = exchange?.hosted?.store
        if [.failed, .unavailable].contains(problem.kind), store?.isInPlace == false {
            return Problem(
                .unavailable,
                "the files of this store were removed or replaced while the service had them open, so it takes no changes: put the "
                    + "folder back or restore it, then start the service again")
        }
        if problem.kind == .insufficientResources, store?.lackOfDiskSpace != nil {
            return Problem(
                .insufficientResources, "the service's disk has too little free space. Nothing was changed. Try again later.",
                retryAfterSeconds: 5)
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

    public func refusal(of request: HTTPRequest?, status: Int, detail: String) -> HTTPResponse {
        let response = Problem(status: status, detail: detail).response
        guard let request else { return response }
        if request.context == nil {
            request.context = RequestState(
                route: nil, requestID: operations.requestID(of: request), client: client(of: request))
        }
        return finished(response, request)
    }

    /// Returns whether a `Host` is an address of this service: the address that it listens on, or any port of this machine's loopback
    /// address, because only clients on this machine connect to it.
    func isOwnHost(_ host: String) -> Bool {
        let bare = host.split(separator: ":", maxSplits: 1).first.map(String.init) ?? ""
        let name = host.hasPrefix("[::1]") ? "[::1]" : bare
        let port = host.utf8.dropFirst(name.utf8.count)
        if ["localhost", "127.0.0.1", "[::1]"].contains(name), port.isEmpty || port.first == UInt8(ascii: ":"),
            port.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        {
            return true
        }
        return listener.withLock { $0.hosts.contains(host) }
    }

    public func clientLeft(_ request: HTTPRequest) -> Bool {
        guard let exchange = request.context as? RequestState, let index = exchange.route else { return true }
        exchange.endWork()
        if exchange.unverified != nil {
            verification.dropObsolete(of: exchange.origin)
            return true
        }
        let route = router.routes[index]
        switch route.handler {
        // The request is a change. It is soon complete or refused, and must not be dropped.
        case .asynchronous: return false
        case .ofAccounts: accounts?.dropObsolete(of: exchange.origin)
        case .immediate, .immediateUpTo, .queued:
            for queue in [work] + bodies.all { queue.dropObsolete(of: exchange.origin) }
        }
        return true
    }

    public func ended(_ request: HTTPRequest, status: Int, bytesSent: UInt64, nanoseconds: UInt64) {
        (request.context as? RequestState)?.endWork()
        operations.ended(request, request.context as? RequestState, status: status, bytes: bytesSent, nanoseconds: nanoseconds)
    }

    /// Adds the headers that every response has.
    func finished(_ response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
        guard let exchange = request.context as? RequestState else { return response }
        var response = response
        operations.addHeaders(to: &response, requestID: exchange.requestID, limit: exchange.limit)
        crossOrigin.addHeaders(to: &response, for: request)
        if let lag = exchange.hosted?.lagSeconds {
            let text = lag.isFinite ? String((lag * 1000).rounded() / 1000) : "unknown"
            response.headers.append(HTTPHeader("Muniment-Lag", text))
        }
        return response
    }
}

extension MunimentService {
    /// Writes a line about each open store to the log.
    func noteStores() throws {
        for hosted in data.open {
            let (store, revision) = ("the store `\(hosted.name)`", try hosted.store.head.revision)
            if try hosted.store.read({ try $0.isOpenToEveryone }) {
                settings.note(
                    .warning,
                    "\(store) is open, revision \(revision): every user may change its permissions. Lock it with `muniment lock`.")
            } else {
                settings.note(.info, "\(store) is locked, revision \(revision)")
            }
            guard let opening = hosted.store.opening else { continue }
            var facts = opening.wasClosed ? [] : ["it was not closed before"]
            if opening.isRebuilt {
                facts.append("its index was rebuilt from the log")
            } else if opening.foldedCommits > 0 {
                facts.append("\(opening.foldedCommits) commits were folded into its index")
            }
            if !facts.isEmpty { settings.note(.info, "\(store): " + facts.joined(separator: ", and ")) }
        }
    }

    /// Runs a request of the tool in this process with all access, for when no service is running.
    ///
    /// - Parameters:
    ///   - method: the method of the request.
    ///   - target: its path, percent-encoded, with the query.
    /// - Returns: the status of the response and its body; null if that is empty or not JSON.
    public func execute(_ method: String, _ target: String) -> (status: Int, body: JSONValue) {
        let answered = DispatchSemaphore(value: 0)
        let response = Mutex<HTTPResponse?>(nil)
        let request = HTTPRequest(
            method: method, target: target, headers: [HTTPHeader("Authorization", "Bearer " + secretOfTool)], body: []
        ) { answer in
            response.withLock { $0 = answer }
            answered.signal()
        }
        switch admit(request) {
        case .refused(let refusal): request.respond(refusal)
        case .body: if case .now(let answer) = answer(request) { request.respond(answer) }
        }
        answered.wait()
        guard let response = response.withLock({ $0 }), case .bytes(let bytes) = response.body else { return (500, .null) }
        return (response.status, (try? JSONText.decode(bytes)) ?? .null)
    }
}

/// Queues for requests with large bodies. Handling a request needs up to 20 times the memory of its body.
struct BodyQueues: Sendable {
    /// The largest body that needs no queue, in bytes.
    private static let smallBytes = 64 << 10
    private static let mediumBytes = 512 << 10

    private let medium = WorkQueue(WorkLimits(running: 8, waiting: 1_024, runningOfCaller: 4, waitingOfCaller: 512))
    private let large = WorkQueue(WorkLimits(running: 2, waiting: 256, runningOfCaller: 1, waitingOfCaller: 64))

    var all: [WorkQueue] { [medium, large] }

    /// Returns the queue for a request.
    ///
    /// - Parameter bytes: the length of its body.
    /// - Returns: nil if the body is small.
    func queue(forBodyOf bytes: Int) -> WorkQueue? {
        if bytes <= Self.smallBytes { return nil }
        return bytes <= Self.mediumBytes ? medium : large
    }
}
