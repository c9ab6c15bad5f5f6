internal import Muniment
internal import Synchronization
internal import Work

/// The state of a request from its head to its end.
final class RequestState: Sendable {
    /// The index of the route; nil without a matching route.
    let route: Int?
    let parameters: [String]
    /// The result of reading the credentials in the head; nil for public routes.
    private let finding: Authenticator.Finding?
    private let verified = Mutex<Credential?>(nil)
    private let account = Mutex<String?>(nil)
    private let work = Mutex(Work())
    let requestID: String?
    /// The address of the client for counting and logging.
    let client: String
    /// The store of the request; nil if it has none, or if the store must be opened first.
    let hosted: HostedStore?
    let storeName: String?
    /// The rest of the caller's limit; nil without a limit.
    let limit: RateLimiter.Outcome?

    init(
        route: Int?, parameters: [String] = [], finding: Authenticator.Finding? = nil, requestID: String?,
        client: String, hosted: HostedStore? = nil, storeName: String? = nil, limit: RateLimiter.Outcome? = nil
    ) {
        self.route = route
        self.parameters = parameters
        self.finding = finding
        self.requestID = requestID
        self.client = client
        self.hosted = hosted
        self.storeName = storeName
        self.limit = limit
    }

    /// The credential of the caller; nil for public routes, or if it is not known yet.
    var credential: Credential? {
        switch finding {
        case nil: nil
        case .known(let credential)?: credential
        case .unverified?: verified.withLock { $0 }
        }
    }

    /// The caller; nil for public routes, or if it is not known yet.
    var caller: Caller? { credential?.caller }

    /// A JWT that must be verified first.
    var unverified: String? {
        guard case .unverified(let jwt)? = finding, case nil = caller else { return nil }
        return jwt
    }

    /// The work for the request, and whether its client still waits for it.
    private struct Work {
        var cancellation: Cancellation?
        /// When its first work began: the deadline counts from then.
        var begin: ContinuousClock.Instant?
        var hasEnded = false
    }

    /// Begins work for the request, which stops if the client disconnects.
    ///
    /// - Parameter limit: the time after which it stops automatically, counted from the first work for the request; nil for no
    ///   limit.
    func beginWork(within limit: Duration?) -> Cancellation {
        let now = ContinuousClock.now
        let (cancellation, hasEnded) = work.withLock { work in
            let begin = work.begin ?? now
            let cancellation = Cancellation(after: limit.map { $0 - (now - begin) })
            (work.begin, work.cancellation) = (begin, cancellation)
            return (cancellation, work.hasEnded)
        }
        if hasEnded { cancellation.cancel() }
        return cancellation
    }

    /// Stops the work for the request: its client has disconnected, or has its response.
    func endWork() {
        let cancellation = work.withLock { work in
            work.hasEnded = true
            return work.cancellation.take()
        }
        cancellation?.cancel()
    }

    /// The origin of the work: the caller, or the address if the caller is anonymous; and the store, or the account of a sign-in.
    var origin: WorkOrigin {
        WorkOrigin(store: storeName ?? account.withLock { $0 } ?? "", caller: Caller.shareKey(caller, from: client))
    }

    /// Sets the account that the work of a request without a store counts for.
    func count(for key: String?) { account.withLock { $0 = key } }

    /// Stores the credential of a verified JWT.
    func identify(_ credential: Credential) { verified.withLock { $0 = credential } }
}
