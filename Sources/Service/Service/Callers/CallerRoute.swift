internal import Credentials
internal import Events
internal import HTTPServer
internal import Muniment

/// Describes what the caller may do in a store.
enum CallerRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/caller", "describeCaller", need: .store,
        RouteDescription("what the caller's token allows in a store", group: "Stores")
            .withNote("`queriesAll`: whether it may query all subjects, because of its right or as an administrator of the store.")
            .withResponse(
                "the rights of the token",
                Schema.object(
                    [
                        "credential": Schema.text, "right": Schema.words("ask", "act", "administer"), "queriesAll": Schema.flag,
                    ],
                    optional: ["principal": Schema.name, "until": Schema.time]), headers: []
            ),
        .immediate { call in
            try Arguments(address: try call.query).finish()
            guard let caller = call.caller else { throw Problem.unauthenticated }
            var members: JSONObject = [
                "credential": .string(caller.credential ?? caller.id),
                "queriesAll": .bool(try call.asker.mayAskAnything(in: call.store)),
            ]
            switch caller.right {
            case .ask: members["right"] = .string("ask")
            case .administer: members["right"] = .string("administer")
            case .act(let principal):
                members["right"] = .string("act")
                members["principal"] = .name(principal)
            }
            if let until = caller.until { members["until"] = .time(until) }
            return call.answer(members)
        })
}
