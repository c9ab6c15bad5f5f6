internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// Returns the effects of changes without committing them.
enum WhatIfRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/what-if", "whatIf", need: .store, bodyLimitBytes: 8 << 20,
        RouteDescription("the access that subjects would gain and lose by changes, without making them", group: "Changes")
            .withParameters(
                body: Schema.object(
                    ["transactions": Schema.list(Schema.named("DraftTransaction"), minimum: 1)],
                    optional: ["atLeast": Schema.revision])
            )
            .withResponse(
                "the differences, and which transactions would be refused",
                Schema.object(
                    JSONObject([
                        "differences": Schema.list(Schema.named("DraftDifference")), "complete": Schema.flag,
                        "refused": Schema.list(Schema.named("RefusedTransaction")),
                    ]).with(.when))
            ),
        .queued { call in
            let (transactions, atLeast) = try call.arguments {
                (try $0.drafts(levels: try call.store.levels), try $0.optionalRevision("atLeast"))
            }
            try call.requirePermissionToQueryAllSubjects()
            try call.requireVisible(atLeast)
            let answer = try call.store.whatIf(transactions)
            let refusals = answer.refusals.enumerated().compactMap { place, refusal in
                refusal.map { (place: place, refusal: $0) }
            }
            return call.answer(answer.json(refusals, place: "transaction"), at: answer.revision)
        })
}

extension Arguments {
    fileprivate mutating func drafts(levels: [AccessLevel]?) throws -> [Transaction] {
        guard case .array(let drafts)? = value("transactions"), !drafts.isEmpty else {
            throw wrong("transactions", "is not a list of transactions", #"write one, such as [{"as":"user:ann","do":[…]}]"#)
        }
        return try drafts.map { draft in
            try Arguments(body: draft).all { Transaction(try $0.name("as"), try $0.changes("do", levels: levels)) }
        }
    }
}
