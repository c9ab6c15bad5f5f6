internal import Muniment
internal import Synchronization

/// What the service keeps of a request from its head to its end.
final class Exchange: Sendable {
    /// The number of the route; nil where there is none.
    let route: Int?
    let parameters: [String]
    /// What its head says of who calls; nil for routes that anybody may ask.
    private let finding: Authenticator.Finding?
    private let verified = Mutex<Caller?>(nil)
    private let work = Mutex(Work())
    let requestID: String?
    /// The address that the request comes from, as it is counted and shown.
    let client: String
    /// The store that the request is about; nil where it is about none, or it has to be opened first.
    let hosted: HostedStore?
    let storeName: String?
    /// How much is left to the caller; nil where there is no limit.
    let limit: TokenBucket.Outcome?

    init(
        route: Int?, parameters: [String] = [], finding: Authenticator.Finding? = nil, requestID: String?,
        client: String, hosted: HostedStore? = nil, storeName: String? = nil, limit: TokenBucket.Outcome? = nil
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

    /// Who calls; nil where anybody may, or where that is not known yet.
    var caller: Caller? {
        switch finding {
        case nil: nil
        case .known(let caller)?: caller
        case .unverified?: verified.withLock { $0 }
        }
    }

    /// A JWT that has to be checked before anything else is done.
    var unverified: String? {
        guard case .unverified(let jwt)? = finding, case nil = caller else { return nil }
        return jwt
    }

    /// The work for the request, and whether its client still waits for it.
    private struct Work {
        var cancellation: Cancellation?
        /// When its first work began: from then on its deadline counts.
        var begin: ContinuousClock.Instant?
        var hasEnded = false
    }

    /// Begins work for the request, which stops when the client leaves.
    ///
    /// - Parameter limit: the time after which it stops by itself, from the first work for the request on; nil for no limit.
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

    /// Stops the work for the request: its client has left, or has its answer.
    func endWork() {
        let cancellation = work.withLock { work in
            work.hasEnded = true
            return work.cancellation.take()
        }
        cancellation?.cancel()
    }

    /// Whose work the request is: that of its caller, or of its address if the caller is anonymous.
    var origin: WorkOrigin { WorkOrigin(store: storeName ?? "", caller: Caller.shareKey(caller, from: client)) }

    /// Keeps who it is that calls with a JWT.
    func identify(_ caller: Caller) { verified.withLock { $0 = caller } }
}
