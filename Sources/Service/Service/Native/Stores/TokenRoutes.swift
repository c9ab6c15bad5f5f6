internal import Credentials
internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions

/// Routes that list the tokens of the service, and describe one. Tokens are created and revoked with the tool on the machine itself: a
/// stolen token cannot make another one.
enum TokenRoutes {
    static let all = [list, show]

    static let list = Route(
        "GET", "/v1/tokens", "listTokens", need: .administeringAll,
        RouteDescription("current and former tokens without their secrets, in the order of their creation", group: "Tokens")
            .withResponse(
                "the tokens", Schema.object(["tokens": Schema.list(Schema.named("Token"))], optional: .next), headers: []),
        .queued(.page(.names, at: nil)) { call, request in
            let start = try request.position { Int($0).flatMap { $0 > 0 ? $0 : nil } } ?? 0
            let all = try call.service.tokens.list()
            let page = all.dropFirst(start).prefix(request.limit)
            let members: JSONObject = ["tokens": .array(page.map { .object($0.json(at: call.service.now)) })]
            return call.answer(call.page(members, next: page.endIndex < all.endIndex ? page.endIndex : nil))
        })

    static let show = Route(
        "GET", "/v1/tokens/{token}", "describeToken", need: .administeringAll,
        RouteDescription("describes a token, without its secret", group: "Tokens")
            .withResponse("the token", Schema.named("Token"), headers: []),
        .queued { call in
            try Arguments(address: try call.query).finish()
            let id = call.parameter("token")
            guard let token = try call.service.tokens.list().first(where: { ExactText($0.id) == ExactText(id) }) else {
                throw Problem(.notFound, "the token `\(Name(id).excerpt)` does not exist: `GET /v1/tokens` lists all tokens")
            }
            return call.answer(token.json(at: call.service.now))
        })

    /// The schema of a token.
    static let schema = Schema.object(
        [
            "id": Schema.text, "state": Schema.words(Token.State.allCases.map(\.rawValue)),
            "can": Schema.words("ask", "act", "observe", "administer"), "stores": Schema.list(Schema.text), "made": Schema.time,
        ], optional: ["as": Schema.name, "until": Schema.time, "revoked": Schema.time, "comment": Schema.text])
}

extension Token {
    fileprivate func json(at instant: Instant) -> JSONObject {
        var members: JSONObject = [
            "id": .string(id), "state": .string(state(at: instant).rawValue), "can": .string(right.word),
            "stores": .texts(stores.names),
            "made": .time(createdAt),
        ]
        if case .act(let name) = right { members["as"] = .name(name) }
        members["until"] = until.map { .time($0) }
        members["revoked"] = revokedAt.map { .time($0) }
        members["comment"] = comment.map { .string($0) }
        return members
    }
}
