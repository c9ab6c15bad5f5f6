internal import Credentials
internal import Dispatch
internal import Events
internal import Foundation
public import HTTPServer
internal import Muniment
internal import Permissions

/// The service: stores of a data directory, asked and changed over HTTP.
public final class MunimentService: HTTPApplication {
    let settings: ServiceSettings
    let data: DataDirectory
    let authenticator: Authenticator
    let router: Router
    let operations: Operations
    /// Questions that may take long. A caller has a quarter of the threads at most, and a store three quarters.
    let work = WorkQueue(
        WorkLimits(
            running: threads, waiting: 4_096, runningOfCaller: threads / 4, waitingOfCaller: 256, runningOfStore: threads * 3 / 4))
    /// Where JWTs wait for the issuer's keys: apart from the rest, so that an issuer that is slow holds up nobody else.
    let verification = WorkQueue(WorkLimits(running: 1, waiting: 1_024, waitingOfCaller: 256))
    let liveFeeds: LiveFeeds
    /// Requests with large bodies, which take much memory while they are handled.
    private let bodies = BodyQueues()
    private let presence: ServicePresence
    private let tokens: TokenRegistry
    /// Nil where it has no accounts.
    let accounts: AccountsOffice?
    /// Long answers that wait for their clients: so many at once, of them a quarter for each caller. None waits for its turn.
    let streams = WorkQueue(WorkLimits(running: streamLimit, waiting: 0, runningOfCaller: streamLimit / 4))
    /// Threads for questions: two for each processor, and eight at least.
    private static let threads = max(8, ProcessInfo.processInfo.activeProcessorCount * 2)
    /// Long answers that are given at once.
    static let streamLimit = 32
    let runningKeys = RunningKeys()
    let runningCommits: RunningCommits
    /// Answers that are being made by tasks.
    private let tasks = DispatchGroup()

    /// Opens every store of the data directory for writing. The first start makes the store `default`.
    ///
    /// - Throws: ``Muniment/StoreError`` for a store that cannot be opened,
    ///   ``Credentials/ServiceAlreadyRuns`` where another process has the directory, or what the disk says.
    public init(_ settings: ServiceSettings) throws {
        self.settings = settings
        data = try DataDirectory(
            settings.dataDirectory, options: settings.storeOptions, decisionLogs: DecisionLogs(settings))
        for line in try data.closeToOtherUsers() { settings.report(line) }
        presence = try ServicePresence(dataDirectory: settings.dataDirectory)
        tokens = TokenRegistry(dataDirectory: settings.dataDirectory, report: settings.report)
        runningCommits = RunningCommits()
        do {
            accounts = try settings.accounts.map { [data, tokens, runningCommits] in
                try AccountsOffice($0, settings, data, tokens, runningCommits)
            }
        } catch {
            presence.end()
            throw error
        }
        var callers = settings.callers
        // A request waits for the keys of the issuer no longer than for its answer.
        callers.issuer?.fetchSeconds = settings.deadlines.wholeSeconds(upTo: 10)
        authenticator = Authenticator(
            callers, tokens: tokens, localSecret: presence.secret, accounts: accounts, clock: settings.clock,
            report: settings.report)
        router = Router(RouteTable.routes)
        operations = Operations(settings, routes: RouteTable.routes)
        liveFeeds = LiveFeeds(LiveFeedLimits(), counts: operations.counts)
        do {
            // A file of tokens that cannot be read is said before anybody waits for the service.
            _ = try tokens.list()
            let names = try data.names()
            for name in names {
                // One store that lost commits does not keep the others from being served.
                do { _ = try data.store(name) } catch let error as StoreError where error.isRollback {
                    settings.report("the store `\(name)` is not served: \(error)")
                }
            }
            let missing = try data.missingNames()
            for name in missing {
                settings.report("the store `\(name)` is not served: \(StoreError.missing(path: data.folder(of: name)))")
            }
            if names.isEmpty, missing.isEmpty {
                _ = try data.create(StoreName.default, preset: .locked, administrator: "user:root")
            }
            for name in settings.accounts?.stores ?? [] where try data.store(name) == nil {
                throw NoStoreForAccounts(store: name, dataDirectory: settings.dataDirectory)
            }
            for hosted in data.open where try hosted.store.read({ try $0.isOpenToEveryone }) {
                settings.report(
                    "the store `\(hosted.name)` is open: every user may change its permissions. Lock it with `muniment lock`.")
            }
            try accounts?.enrollAll()
        } catch {
            accounts?.close()
            try? data.close()
            presence.end()
            throw error
        }
    }

    /// What the tool on this machine shows in place of a token.
    var secretOfTool: String { presence.secret }

    /// Tells the tool on this machine where the service listens, so that what it changes goes through the service.
    ///
    /// - Parameters:
    ///   - host: the address that it listens on.
    ///   - port: the port that it listens on.
    ///   - certificatePEM: the certificate that it shows; nil where it does without TLS.
    public func announce(host: String, port: UInt16, certificatePEM: String? = nil) throws {
        try presence.announce(host: host, port: port, certificatePEM: certificatePEM)
    }

    /// Makes a token that may do everything, if no token was ever made and every store is empty, and writes it to a file that only
    /// the owner of the data directory can read. Reports a file that an earlier start has left.
    ///
    /// - Returns: the path of the file; nil if no token was made.
    public func makeFirstToken() throws -> String? {
        let file = FirstTokenFile(folder: data.ownFolder)
        guard try tokens.list().isEmpty, try data.open.allSatisfy({ try $0.store.head.revision == .genesis }) else {
            if let reminder = file.reminder { settings.report(reminder) }
            return nil
        }
        let (secret, _) = try tokens.create(
            stores: .all, right: .administer, comment: "made at the first start", at: settings.clock())
        try file.write(secret)
        return file.path
    }

    /// Whether callers with tokens can be told apart: the file of tokens is sound.
    var canReadTokens: Bool { (try? tokens.list()) != nil }

    /// Closes the stores, once what reads and writes them is done: what only waits for its turn is dropped, since nobody is there
    /// any more to be answered. Later calls do nothing. The server must have stopped before.
    public func close() throws {
        defer {
            presence.end()
            operations.flush()
        }
        // In the order in which one hands on to the next.
        for queue in [verification, work, streams] + bodies.all { queue.close() }
        tasks.wait()
        liveFeeds.end()
        accounts?.close()
        try data.close()
    }

    /// Says that the service is about to stop, so that nobody sends it more than it has: `/readyz` answers 503 from now on.
    public func beginStopping() { operations.isStopping = true }

    // MARK: Requests

    public func admit(_ request: HTTPRequest) -> HTTPAdmission {
        let requestID = operations.requestID(of: request)
        switch router.match(request.method, request.path) {
        case .nothing: return refuse(request, requestID, Problem(.notFound, "the path `\(request.path)` does not exist"))
        case .malformed: return refuse(request, requestID, Problem(.malformed, "the path is not percent-encoded UTF-8: encode it"))
        case .otherMethods(let methods):
            let list = methods.joined(separator: ", ")
            let problem = Problem(
                .methodNotAllowed, "`\(request.method)` is not allowed here: use \(list)",
                headers: [HTTPHeader("Allow", list)])
            return refuse(request, requestID, problem)
        case .route(let index, let parameters):
            let (exchange, problem) = admit(request, requestID, index, parameters)
            request.context = exchange
            request.memoryOwner = exchange.origin.caller
            request.changesNothing = router.routes[index].changesNothing
            if let problem { return .refused(finished(problem.response, request)) }
            return .body(limitBytes: router.routes[index].bodyLimitBytes)
        }
    }

    /// What is known of a request from its head alone, and why it goes no further, if it does not.
    private func admit(
        _ request: HTTPRequest, _ requestID: String, _ index: Int, _ parameters: [String]
    ) -> (Exchange, Problem?) {
        let route = router.routes[index]
        let client = client(of: request)
        var storeName: String?
        if let place = route.storePlace { storeName = place == -1 ? StoreName.default.text : parameters[place] }
        var (finding, limit): (Authenticator.Finding?, TokenBucket.Outcome?)
        var problem: Problem?
        if route.isOfAccounts, accounts == nil {
            problem = .withoutAccounts
        } else if route.isOfAccounts, route.need == .nothing {
            // Whoever is not signed in yet is counted by address.
            do throws(Problem) { limit = try operations.admit(nil, from: client) } catch { problem = error }
        } else if route.need != .nothing {
            do throws(Problem) {
                let found = Result { () throws(Problem) in
                    try authenticator.finding(
                        authorization: request.header("Authorization"), from: client, in: storeName)
                }
                // Whoever tries credentials is slowed down by its address.
                limit = try operations.admit((try? found.get())?.caller, from: client)
                finding = try found.get()
                try finding?.caller?.require(route.need, in: storeName)
            } catch { problem = error }
        }
        let exchange = Exchange(
            route: index, parameters: parameters, finding: finding, requestID: requestID, client: client,
            hosted: storeName.flatMap(data.openStore), storeName: storeName, limit: limit)
        return (exchange, problem)
    }

    private func client(of request: HTTPRequest) -> String {
        ClientAddress.client(
            peer: request.peer, forwarded: request.headers("X-Forwarded-For"), proxies: settings.trustedProxies)
    }

    private func refuse(_ request: HTTPRequest, _ requestID: String, _ problem: Problem) -> HTTPAdmission {
        request.context = Exchange(route: nil, requestID: requestID, client: client(of: request))
        return .refused(finished(problem.response, request))
    }

    public func answer(_ request: HTTPRequest) -> HTTPAnswer {
        guard let exchange = request.context as? Exchange, let index = exchange.route else {
            return .now(Problem(.failed, "the request was not admitted").response)
        }
        let route = router.routes[index]
        if let jwt = exchange.unverified { return verify(jwt, request, exchange, route) }
        // The body may have taken minutes, and whoever sent its head be signed out or revoked by now.
        if route.bodyLimitBytes > 0, let caller = exchange.caller {
            do throws(Problem) {
                try authenticator.requireStillGood(caller, authorization: request.header("Authorization"))
            } catch { return .now(finished(error.response, request)) }
        }
        if let name = exchange.storeName, exchange.hosted == nil {
            return later(request, exchange) { _ in
                try self.open(name)
            } then: { hosted in
                self.go(Call(self, request, route, exchange, hosted))
            }
        }
        return go(Call(self, request, route, exchange, exchange.hosted))
    }

    /// Finds out who calls with a JWT, once the issuer's keys are there, and then answers.
    private func verify(_ jwt: String, _ request: HTTPRequest, _ exchange: Exchange, _ route: Route) -> HTTPAnswer {
        let cancellation = exchange.beginWork(within: route.hasDeadline ? settings.deadlines.limit(of: route.name) : nil)
        let admission = verification.add(exchange.origin) {
            cancellation.reason == .cancelled
        } _: {
            do throws(Problem) {
                if case .deadlinePassed? = cancellation.reason { throw .issuerIsSlow }
                let caller = try self.authenticator.caller(verifying: jwt, from: exchange.client)
                // A request whose client left meanwhile goes no further.
                if case .cancelled? = cancellation.reason { return }
                try caller.require(route.need, in: exchange.storeName)
                exchange.identify(caller)
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

    /// Does what a route does, where it says.
    private func go(_ call: Call) -> HTTPAnswer {
        switch call.route.handler {
        case .immediate(let handle): return now(call, handle)
        case .immediateUpTo(let limitBytes, let handle):
            return call.request.body.count <= limitBytes ? now(call, handle) : queued(call, handle)
        case .queued(let handle): return queued(call, handle)
        case .ofAccounts(let pace, let handle):
            guard let accounts else { return .now(finished(Problem.withoutAccounts.response, call.request)) }
            return later(call.request, call.exchange, on: accounts.queue(pace, for: call)) { _ in
                try handle(call, accounts.accounts)
            } then: {
                .now(self.finished($0, call.request))
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

    /// Does what a route does in a task.
    private func perform(
        _ call: Call, _ handle: @escaping @Sendable (Call) async throws -> HTTPResponse, then end: @escaping @Sendable () -> Void
    ) {
        tasks.enter()
        Task(executorPreference: AnswerExecutor.shared) { [tasks] in
            defer {
                end()
                tasks.leave()
            }
            let response: HTTPResponse
            do { response = try await handle(call) } catch { response = self.problem(for: error, call.request).response }
            call.request.respond(self.finished(response, call.request))
        }
    }

    private func now(_ call: Call, _ handle: (Call) throws -> HTTPResponse) -> HTTPAnswer {
        do { return .now(finished(try handle(call), call.request)) } catch {
            return .now(finished(problem(for: error, call.request).response, call.request))
        }
    }

    private func queued(_ call: Call, _ handle: @escaping @Sendable (Call) throws -> HTTPResponse) -> HTTPAnswer {
        let queue = bodies.queue(forBodyOf: call.request.body.count)
        return later(call.request, call.exchange, on: queue, within: settings.deadlines.limit(of: call.route.name)) {
            cancellation in
            try cancellation.perform { try handle(call) }
        } then: {
            .now(self.finished($0, call.request))
        }
    }

    /// Does something on a queue and goes on with what came of it.
    ///
    /// Work that waits is dropped when its client leaves.
    private func later<Result>(
        _ request: HTTPRequest, _ exchange: Exchange, on queue: WorkQueue? = nil, within limit: Duration? = nil,
        _ body: @escaping @Sendable (Cancellation) throws -> Result,
        then goOn: @escaping @Sendable (Result) -> HTTPAnswer
    ) -> HTTPAnswer {
        let cancellation = exchange.beginWork(within: limit)
        let admission = (queue ?? work).add(exchange.origin) {
            cancellation.reason == .cancelled
        } _: {
            let answer: HTTPAnswer
            do { answer = goOn(try body(cancellation)) } catch {
                answer = .now(self.finished(self.problem(for: error, request).response, request))
            }
            if case .now(let response) = answer { request.respond(response) }
        }
        return later(admission, request)
    }

    private func later(_ admission: WorkQueue.Admission, _ request: HTTPRequest) -> HTTPAnswer {
        switch admission {
        case .accepted: .later
        case .callerLimit: .now(finished(Problem.tooMuchOfCaller.response, request))
        case .full: .now(finished(Problem.tooMuchWaits.response, request))
        }
    }

    public func clientLeft(_ request: HTTPRequest) -> Bool {
        guard let exchange = request.context as? Exchange, let index = exchange.route else { return true }
        exchange.endWork()
        if exchange.unverified != nil {
            verification.dropObsolete(of: exchange.origin)
            return true
        }
        let route = router.routes[index]
        switch route.handler {
        // It is a change, which is made or not, and soon.
        case .asynchronous: return false
        case .ofAccounts: accounts?.dropObsolete(of: exchange.origin)
        case .immediate, .immediateUpTo, .queued:
            for queue in [work] + bodies.all { queue.dropObsolete(of: exchange.origin) }
        }
        return true
    }

    public func refusal(status: Int, detail: String) -> HTTPResponse { Problem(status: status, detail: detail).response }

    public func ended(_ request: HTTPRequest, status: Int, bytesSent: UInt64, nanoseconds: UInt64) {
        (request.context as? Exchange)?.endWork()
        operations.ended(request, request.context as? Exchange, status: status, bytes: bytesSent, nanoseconds: nanoseconds)
    }
}

extension Call {
    fileprivate init(
        _ service: MunimentService, _ request: HTTPRequest, _ route: Route, _ exchange: Exchange, _ hosted: HostedStore?
    ) {
        self.init(
            service: service, request: request, route: route, parameters: exchange.parameters, caller: exchange.caller,
            hosted: hosted, requestID: exchange.requestID, client: exchange.client, exchange: exchange)
    }
}
