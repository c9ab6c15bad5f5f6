internal import Credentials
internal import Dispatch
internal import EventLog
public import Events
internal import Files
internal import Foundation
public import HTTPServer
internal import Hashing
internal import Muniment
internal import Permissions
internal import Synchronization
internal import Work

/// The service: the stores of a data directory over HTTP.
public final class MunimentService: HTTPApplication {
    let settings: ServiceSettings
    let data: DataDirectory
    let authenticator: Authenticator
    let router: Router
    let operations: Operations
    /// The path of the public address, which ends the path of the metadata; empty without one.
    private let metadataPrefix: String
    /// The server that serves this service, once it is announced.
    let listener: Mutex<Listener>
    /// The queue of long queries. A caller can use a quarter of the threads, and a store three quarters.
    let work = WorkQueue(
        WorkLimits(
            running: threads, waiting: 4_096, runningOfCaller: threads / 4, waitingOfCaller: 256, runningOfStore: threads * 3 / 4))
    /// The queue of JWTs that wait for the issuer's keys. It is separate, so that a slow issuer does not delay other requests.
    let verification = WorkQueue(WorkLimits(running: 1, waiting: 1_024, waitingOfCaller: 256))
    let liveFeeds: LiveFeedRegistry
    let tickets = FeedTickets()
    let browserSessions: BrowserSessions
    let crossOrigin: CrossOrigin
    /// The queue of requests with large bodies.
    let bodies = BodyQueues()
    let readiness: Readiness
    let serviceLock: ServiceLock
    let tokens: TokenRegistry
    let cursorKey: CursorKey
    /// The accounts; nil if the service has none.
    let accounts: AccountService?
    /// Long responses to slow clients: at most ``streamLimit`` at once, and a quarter of them for each caller. None is queued.
    let streams = WorkQueue(WorkLimits(running: streamLimit, waiting: 0, runningOfCaller: streamLimit / 4))
    /// Number of threads for queries: two for each processor, and at least eight.
    private static let threads = max(8, ProcessInfo.processInfo.activeProcessorCount * 2)
    static let streamLimit = 32
    let runningKeys = RunningIdempotencyKeys()
    let runningCommits: RunningCommits
    /// The tasks that make responses.
    private let tasks = DispatchGroup()

    /// Opens every store of the data directory for writing. The first start creates the store `default`.
    ///
    /// A store with damaged or inaccessible files is not served; the others are. Its requests get the status 503.
    ///
    /// - Throws: ``Muniment/StoreError`` for a store that cannot be opened for another reason,
    ///   ``Credentials/ServiceLockError`` if another process uses the directory, or an error of the file system.
    public init(_ settings: ServiceSettings) throws {
        var settings = settings
        let (faults, report) = (FaultLog(settings.report), settings.report)
        settings.report = { faults.report($0) }
        self.settings = settings
        crossOrigin = CrossOrigin(settings.allowedOrigins)
        listener = Mutex(Listener(settings))
        data = try DataDirectory(settings)
        for line in try data.closeToOtherUsers() { settings.note(.warning, line) }
        browserSessions = BrowserSessions(in: data.ownFolder)
        serviceLock = try ServiceLock(dataDirectory: settings.dataDirectory)
        tokens = TokenRegistry(
            dataDirectory: settings.dataDirectory, shared: settings.sharedLogs?.log(of: SharedLogNames.tokens),
            report: settings.report, note: { [note = settings.note] in note(.info, $0) })
        runningCommits = RunningCommits()
        do {
            cursorKey = try CursorKey(in: data.ownFolder, sharedTokens: settings.sharedLogs == nil ? nil : tokens)
            accounts = try settings.accounts.map { [data, tokens, runningCommits] in
                try AccountService($0, settings, data, tokens, runningCommits)
            }
        } catch {
            serviceLock.end()
            throw error
        }
        var callers = settings.callers
        // A request waits for the issuer's keys at most until its own deadline.
        callers.issuer?.fetchSeconds = settings.deadlines.wholeSeconds(upTo: 10)
        authenticator = Authenticator(
            callers, tokens: tokens, localSecret: serviceLock.secret, accounts: accounts, clock: settings.clock,
            report: settings.report)
        router = Router(RouteTable.routes)
        metadataPrefix = settings.publicAddress.map { AuthZENMetadata.prefix(of: $0) } ?? ""
        operations = Operations(settings, faults, routes: RouteTable.routes)
        liveFeeds = LiveFeedRegistry(LiveFeedLimits(), counts: operations.counts)
        readiness = Readiness(data, accounts, settings, faults, report) { [tokens] in
            do { _ = try tokens.list() } catch { return error }
            return nil
        }
        do {
            try tokens.followSharedLog()
            // An unreadable token file is reported at the start, before the first request.
            _ = try tokens.list()
            try openStores()
            // After the stores are open, so that their obstacles are in the log before those of the accounts.
            readiness.check()
            try noteStores()
            try registerAccounts()
            restoreBrowserSessions()
        } catch {
            readiness.stop()
            accounts?.close()
            try? data.close()
            serviceLock.end()
            throw error
        }
    }

    /// The current time by the clock of the settings.
    public var now: Instant { settings.clock() }

    /// Counts a fault that is in the log already.
    public func countFault() { operations.faults.count.add() }

    /// The secret that the command line tool on this machine uses in place of a token.
    var secretOfTool: String { serviceLock.secret }

    /// Closes the stores after all running reads and writes have ended. Queued work is dropped, because the server has already stopped and
    /// cannot send its responses. Later calls do nothing. The server must have stopped before.
    public func close() throws {
        defer {
            serviceLock.end()
            operations.flush()
        }
        defer { operations.faults.flush() }
        readiness.stop()
        // Each queue can pass work to the queues after it.
        for queue in [verification, work, streams] + bodies.all { queue.close() }
        tasks.wait()
        liveFeeds.end()
        try? browserSessions.save()
        accounts?.close()
        tokens.stop()
        defer { settings.sharedLogs?.close() }
        try data.close()
    }

    /// Announces that the service is about to stop, so that load balancers send no new requests: `/readyz` returns 503 from now on.
    public func beginStopping() { operations.isStopping = true }

    // MARK: Requests

    public func admit(_ request: HTTPRequest) -> HTTPAdmission {
        let requestID = operations.requestID(of: request)
        if let problem = foreignHost(of: request) { return refuse(request, requestID, problem.response) }
        let path = metadataPrefix.isEmpty ? request.path : AuthZENMetadata.path(request.path, under: metadataPrefix)
        switch router.match(request.method, path) {
        case .nothing:
            if let page = ConsolePages.response(to: request) { return refuse(request, requestID, page) }
            return refuse(request, requestID, Problem(.notFound, "the path `\(request.path)` does not exist").response)
        case .malformed:
            return refuse(request, requestID, Problem(.malformed, "the path is not percent-encoded UTF-8: encode it").response)
        case .otherMethods(let methods):
            if let response = crossOrigin.preflight(request, methods: methods) { return refuse(request, requestID, response) }
            let list = methods.joined(separator: ", ")
            let problem = Problem(
                .methodNotAllowed, "`\(request.method)` is not allowed here: use \(list)",
                headers: [HTTPHeader("Allow", list)])
            return refuse(request, requestID, problem.response)
        case .route(let index, let parameters):
            let (exchange, problem) = admit(request, requestID, index, parameters)
            request.context = exchange
            request.memoryOwner = exchange.origin.caller
            request.changesNothing = router.routes[index].changesNothing
            if let problem { return .refused(finished(problem.response, request)) }
            return .body(limitBytes: router.routes[index].bodyLimitBytes)
        }
    }

    /// Authenticates a request by its head and applies the limits. Returns the reason if the request is refused.
    private func admit(
        _ request: HTTPRequest, _ requestID: String, _ index: Int, _ parameters: [String]
    ) -> (RequestState, Problem?) {
        let route = router.routes[index]
        let client = client(of: request)
        var storeName: String?
        if let place = route.storePlace { storeName = place == -1 ? StoreName.default.text : parameters[place] }
        var (finding, limit): (Authenticator.Finding?, RateLimiter.Outcome?)
        var problem: Problem?
        if route.isOfAccounts, accounts == nil {
            problem = .withoutAccounts
        } else if route.isOfAccounts, route.need == .nothing {
            // A request without an authenticated caller is counted by its address.
            do throws(Problem) { limit = try operations.admit(nil, from: client) } catch { problem = error }
        } else if route.need != .nothing {
            do throws(Problem) {
                let found = Result { () throws(Problem) in
                    try self.finding(for: request, route, from: client, in: storeName)
                }
                // A request with invalid credentials is counted by its address.
                limit = try operations.admit((try? found.get())?.caller, from: client)
                finding = try found.get()
                try finding?.caller?.require(route.need, in: storeName)
            } catch { problem = error }
        }
        let exchange = RequestState(
            route: index, parameters: parameters, finding: finding, requestID: requestID, client: client,
            hosted: storeName.flatMap(data.openStore), storeName: storeName, limit: limit)
        return (exchange, problem)
    }

    func client(of request: HTTPRequest) -> String {
        ClientAddress.client(
            peer: request.peer, forwarded: request.headers("X-Forwarded-For"), proxies: settings.trustedProxies)
    }

    /// Answers a request without a route.
    private func refuse(_ request: HTTPRequest, _ requestID: String, _ response: HTTPResponse) -> HTTPAdmission {
        request.context = RequestState(route: nil, requestID: requestID, client: client(of: request))
        return .refused(finished(response, request))
    }

    public func answer(_ request: HTTPRequest) -> HTTPHandling {
        guard let exchange = request.context as? RequestState, let index = exchange.route else {
            return .now(Problem(.failed, "the request was not admitted").response)
        }
        let route = router.routes[index]
        if let jwt = exchange.unverified { return verify(jwt, request, exchange, route) }
        // The body may have arrived minutes after the head. The caller may have signed out, or the token may be revoked, by now.
        if route.bodyLimitBytes > 0, let credential = exchange.credential {
            do throws(Problem) { try authenticator.requireStillValid(credential) } catch {
                return .now(finished(error.response, request))
            }
        }
        if let name = exchange.storeName, exchange.hosted == nil {
            return later(request, exchange) { _ in
                self.go(
                    RequestContext(service: self, request: request, route: route, exchange: exchange, hosted: try self.open(name)))
            }
        }
        let call = RequestContext(service: self, request: request, route: route, exchange: exchange, hosted: exchange.hosted)
        do throws(Problem) {
            guard try call.isLinearizable else { return go(call) }
        } catch { return .now(finished(error.response, request)) }
        guard let store = exchange.hosted?.store, store.sharedLogStatus != nil else { return go(call) }
        return later(request, exchange) { _ in
            try store.catchUp()
            return self.go(call)
        }
    }

    /// Authenticates a caller with a JWT as soon as the issuer's keys are known, and then handles the request.
    private func verify(_ jwt: String, _ request: HTTPRequest, _ exchange: RequestState, _ route: Route) -> HTTPHandling {
        let cancellation = exchange.beginWork(within: route.hasDeadline ? settings.deadlines.limit(of: route.name) : nil)
        let admission = verification.add(exchange.origin) {
            cancellation.reason == .cancelled
        } _: {
            do throws(Problem) {
                if case .deadlinePassed? = cancellation.reason { throw .issuerIsSlow }
                let credential = try self.authenticator.credential(verifying: jwt, from: exchange.client)
                // A request is not handled after its client closed the connection.
                if case .cancelled? = cancellation.reason { return }
                try credential.caller.require(route.need, in: exchange.storeName)
                exchange.identify(credential)
                request.memoryOwner = exchange.origin.caller
            } catch {
                return request.respond(self.finished(error.response, request))
            }
            if case .now(let response) = self.answer(request) { request.respond(response) }
        }
        return later(admission, request)
    }

    private func open(_ name: String) throws -> HostedStore {
        guard let name = StoreName(name), let hosted = try data.store(name) else {
            throw Problem(.notFound, "the store `\(name)` does not exist")
        }
        return hosted
    }

    /// Runs the handler of a route, on the route's queue.
    private func go(_ call: RequestContext) -> HTTPHandling {
        do { try call.requireNoUnconfirmedAdministrator() } catch {
            return .now(finished(problem(for: error, call.request).response, call.request))
        }
        switch call.route.handler {
        case .immediate(let handle): return now(call, handle)
        case .immediateUpTo(let limitBytes, let handle):
            return call.request.body.count <= limitBytes ? now(call, handle) : queued(call, handle)
        case .queued(let handle): return queued(call, handle)
        case .ofAccounts(let cost, let handle):
            guard let accounts else { return .now(finished(Problem.withoutAccounts.response, call.request)) }
            let arguments: Arguments
            do { arguments = try call.accountArguments() } catch { return now(call) { _ in throw error } }
            call.exchange.count(for: AccountService.shareKey(arguments) ?? Caller.shareKey(call.caller, from: call.client))
            return later(call.request, call.exchange, on: accounts.queue(cost, arguments)) { _ in
                .now(self.finished(try handle(call, accounts.accounts, arguments), call.request))
            }
        case .asynchronous(let handle):
            guard let queue = bodies.queue(forBodyOf: call.request.body.count) else {
                perform(call, handle) {}
                return .later
            }
            let admission = queue.add(call.exchange.origin) {
                let isDone = DispatchSemaphore(value: 0)
                self.perform(call, handle) { isDone.signal() }
                isDone.wait()
            }
            return later(admission, call.request)
        }
    }

    /// Runs the handler of a route in a task.
    private func perform(
        _ call: RequestContext, _ handle: @escaping @Sendable (RequestContext) async throws -> HTTPResponse,
        then end: @escaping @Sendable () -> Void
    ) {
        tasks.enter()
        Task(executorPreference: ApplicationThreads.shared) { [tasks] in
            defer {
                end()
                tasks.leave()
            }
            let response: HTTPResponse
            do { response = try await handle(call) } catch { response = self.problem(for: error, call.request).response }
            call.request.respond(self.finished(response, call.request))
        }
    }

    private func now(_ call: RequestContext, _ handle: @escaping @Sendable (RequestContext) throws -> HTTPResponse) -> HTTPHandling
    {
        do { return .now(finished(try handle(call), call.request)) } catch let problem as Problem
            where problem.kind == .revisionNotReached && call.hosted?.store.sharedLogStatus != nil
        {
            // The revision may be on its way to this node. A thread of the queue can wait for it.
            return queued(call, handle)
        } catch {
            return .now(finished(problem(for: error, call.request).response, call.request))
        }
    }

    private func queued(_ call: RequestContext, _ handle: @escaping @Sendable (RequestContext) throws -> HTTPResponse)
        -> HTTPHandling
    {
        var waiting = call
        waiting.canWait = true
        let queue = bodies.queue(forBodyOf: call.request.body.count)
        return later(call.request, call.exchange, on: queue, within: settings.deadlines.limit(of: call.route.name)) {
            [waiting] cancellation in
            .now(self.finished(try cancellation.perform { try handle(waiting) }, call.request))
        }
    }

    /// Runs work on a queue, and responds with its result.
    ///
    /// Queued work is dropped when its client closes the connection.
    private func later(
        _ request: HTTPRequest, _ exchange: RequestState, on queue: WorkQueue? = nil, within limit: Duration? = nil,
        _ body: @escaping @Sendable (Cancellation) throws -> HTTPHandling
    ) -> HTTPHandling {
        let cancellation = exchange.beginWork(within: limit)
        let admission = (queue ?? work).add(exchange.origin) {
            cancellation.reason == .cancelled
        } _: {
            let answer: HTTPHandling
            do { answer = try body(cancellation) } catch {
                answer = .now(self.finished(self.problem(for: error, request).response, request))
            }
            if case .now(let response) = answer { request.respond(response) }
        }
        return later(admission, request)
    }

    private func later(_ admission: WorkQueue.Admission, _ request: HTTPRequest) -> HTTPHandling {
        switch admission {
        case .accepted: .later
        case .callerLimit: .now(finished(Problem.tooMuchOfCaller.response, request))
        case .full: .now(finished(Problem.tooMuchWaits.response, request))
        }
    }
}
