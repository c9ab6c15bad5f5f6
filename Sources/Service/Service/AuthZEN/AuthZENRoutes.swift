internal import Credentials
internal import Events
internal import HTTPServer
internal import Permissions

/// The decision point of each store: at the root for the store `default`, and under `/stores/NAME` for any store.
enum AuthZENRoutes {
    static let all = routes(under: "", suffix: "") + routes(under: "/stores/{store}", suffix: "OfStore") + metadata

    /// The largest body of one evaluation or of a search, in bytes.
    private static let bodyLimitBytes = 1 << 20
    /// The largest body of several evaluations, in bytes.
    private static let batchLimitBytes = 8 << 20
    /// The largest body in bytes that is handled on a server thread: some hundred evaluations.
    private static let immediateBytes = 32 << 10

    private static func routes(under prefix: String, suffix: String) -> [Route] {
        func route(_ path: String, _ name: String, _ limitBytes: Int, _ description: RouteDescription, _ handler: Route.Handler)
            -> Route
        {
            Route(
                "POST", PathPattern(prefix + "/access/v1/" + path), name + suffix, need: .store, bodyLimitBytes: limitBytes,
                description, Operation(ArgumentList(), handler))
        }
        return [
            route(
                "evaluation", "evaluation", bodyLimitBytes, .evaluation,
                .immediateUpTo(bodyBytes: immediateBytes) { call in
                    try call.answer(json: call.authZEN().evaluation(call.request.body))
                }),
            route(
                "evaluations", "evaluations", batchLimitBytes, .evaluations,
                .immediateUpTo(bodyBytes: immediateBytes) { call in
                    let (json, revision) = try call.authZEN().evaluations(call.request.body)
                    return call.answer(json: json, headers: [RequestContext.header(revision)])
                }),
            route(
                "search/subject", "searchSubjects", bodyLimitBytes, .subjectSearch,
                .queued { call in try call.answer(json: call.authZEN().searchSubjects(call.request.body)) }),
            route(
                "search/resource", "searchResources", bodyLimitBytes, .resourceSearch,
                .queued { call in try call.answer(json: call.authZEN().searchResources(call.request.body)) }),
            route(
                "search/action", "searchActions", bodyLimitBytes, .actionSearch,
                .queued { call in try call.answer(json: call.authZEN().searchActions(call.request.body)) }),
        ]
    }

    /// The metadata is public. The response depends only on the store's name, so that it does not disclose whether the store
    /// exists.
    private static let metadata = [
        Route(
            "GET", PathPattern(AuthZENMetadata.wellKnownPath), "authzenConfiguration", need: .nothing,
            RouteDescription("the metadata of the default store's decision point", group: "AuthZEN")
                .withResponse("the addresses of its endpoints", Schema.named("AuthZENConfiguration"), headers: []),
            .immediate { call in try call.answer(json: AuthZENMetadata(base: call.base).json) }),
        Route(
            "GET", PathPattern(AuthZENMetadata.wellKnownPath + "/stores/{name}"), "authzenConfigurationOfStore", need: .nothing,
            RouteDescription("the metadata of a store's decision point", group: "AuthZEN")
                .withResponse("the addresses of its endpoints", Schema.named("AuthZENConfiguration"), headers: []),
            .immediate { call in
                guard let name = StoreName(call.parameter("name")) else {
                    throw Problem(.notFound, "this is not a store name: use lowercase letters, digits, `-` and `_`")
                }
                return try call.answer(json: AuthZENMetadata(base: call.base, storePath: "/stores/\(name)").json)
            }),
    ]
}

extension RequestContext {
    /// Returns the store as a decision point for this caller.
    fileprivate func authZEN() throws -> AuthZEN {
        guard isJSON else { throw Problem(.malformed, "the body must be JSON: send it with `Content-Type: application/json`") }
        var authZEN = AuthZEN(
            try store, for: try asker, subjectTypes: service.settings.subjectTypes, seal: cursorSeal)
        authZEN.decided = { isAllowed, question, revision in
            self.decided(isAllowed, question, revision: revision)
        }
        return authZEN
    }

    /// Counts a decision, and records it if the store has a decision log.
    private func decided(_ isAllowed: Bool, _ question: EvaluationRequest, revision: Revision) {
        guard let hosted else { return }
        guard hosted.decisionLog != nil else { return hosted.decisions.add(isAllowed) }
        let (subject, resource) = (question.subject, question.resource)
        decided(
            isAllowed, subject.principal ?? Name(subject.type + ":" + subject.id), question.action.name,
            resource.object ?? Name(resource.type + ":" + resource.id), revision: revision)
    }

    /// The public address of the service: as configured, or as used by this request. The `Host` of a request is used only if it is an
    /// address of this service, because a cache might give the response to others.
    fileprivate var base: String {
        get throws(Problem) {
            if let address = service.settings.publicAddress { return address }
            guard let host = request.header("Host"), service.isOwnHost(host) else {
                throw Problem(
                    .malformed,
                    "the `Host` of the request is not an address of this service: start it with `--public-address`, or connect to the "
                        + "address on which it listens")
            }
            return (service.settings.usesTLS ? "https://" : "http://") + host
        }
    }
}

/// The metadata of a policy decision point under `/.well-known/authzen-configuration`.
package struct AuthZENMetadata: Hashable, Sendable {
    /// The well-known path of the store that the root paths serve. For another store, the store's path is appended.
    package static let wellKnownPath = "/.well-known/authzen-configuration"

    /// The address of the decision point, the prefix of all others: without a query, a fragment or a slash at the end.
    let decisionPoint: String

    /// - Parameters:
    ///   - base: the public address of the service, such as `https://permissions.example.com`; a slash at its end is removed.
    ///   - storePath: the path of a store, such as `/stores/acme`; empty for the store that the root paths serve.
    package init(base: String, storePath: String = "") {
        decisionPoint = String(base.reversed().drop { $0 == "/" }.reversed()) + storePath
    }

    /// Returns the path of an address, without a slash at its end: what the path of the metadata ends with.
    static func prefix(of address: String) -> String {
        guard let scheme = address.firstRange(of: "://") else { return "" }
        let path = address[scheme.upperBound...].drop { $0 != "/" }
        return String(path.reversed().drop { $0 == "/" }.reversed())
    }

    /// Returns the path of the metadata without the path of the public address; any other path unchanged.
    static func path(_ path: String, under prefix: String) -> String {
        let start = wellKnownPath + prefix
        guard path.hasPrefix(start) else { return path }
        let rest = path.dropFirst(start.count)
        return rest.isEmpty || rest.hasPrefix("/") ? wellKnownPath + rest : path
    }

    /// The document, as JSON.
    package var json: [UInt8] {
        let endpoints = [
            ("access_evaluation_endpoint", "evaluation"), ("access_evaluations_endpoint", "evaluations"),
            ("search_subject_endpoint", "search/subject"), ("search_resource_endpoint", "search/resource"),
            ("search_action_endpoint", "search/action"),
        ]
        var writer = JSONWriter()
        writer.writeMembers(
            [("policy_decision_point", decisionPoint)] + endpoints.map { ($0, "\(decisionPoint)/access/v1/\($1)") }
        ) { $0.write($1) }
        return writer.written
    }
}
