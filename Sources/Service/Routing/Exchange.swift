internal import Synchronization

/// What the service keeps of a request from its head to its end.
final class Exchange: Sendable {
    /// The number of the route; nil where there is none.
    let route: Int?
    let parameters: [String]
    /// What its head says of who calls; nil for routes that anybody may ask.
    private let finding: Authenticator.Finding?
    private let verified = Mutex<Caller?>(nil)
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

    /// Keeps who it is that calls with a JWT.
    func identify(_ caller: Caller) { verified.withLock { $0 = caller } }
}
