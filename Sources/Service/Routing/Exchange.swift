internal import HTTPServer

/// What the service keeps of a request from its head to its end.
final class Exchange: Sendable {
    /// The number of the route; nil where there is none.
    let route: Int?
    let parameters: [String]
    let caller: Caller?
    let requestID: String?
    /// The store that the request is about; nil where it is about none, or it has to be opened first.
    let hosted: HostedStore?
    let storeName: String?

    init(
        route: Int?, parameters: [String] = [], caller: Caller? = nil, requestID: String?, hosted: HostedStore? = nil,
        storeName: String? = nil
    ) {
        self.route = route
        self.parameters = parameters
        self.caller = caller
        self.requestID = requestID
        self.hosted = hosted
        self.storeName = storeName
    }
}
