internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// Returns the effects of changes without committing them.
enum WhatIfRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/what-if", "whatIf", need: .store, bodyLimitBytes: 8 << 20,
        RouteDescription("the access that subjects would gain and lose by changes, without making them", group: "Changes")
            .withResponse(
                "the differences, and which transactions would be refused",
                Schema.object(
                    JSONObject([
                        "differences": Schema.list(Schema.named("DraftDifference")), "complete": Schema.flag,
                        "refused": Schema.list(Schema.named("RefusedTransaction")),
                    ]).with(.when))
            ),
        .queued(drafts, .atLeast) { call, transactions, atLeast in
            try call.requirePermissionToQueryAllSubjects()
            try call.requireVisible(atLeast)
            let answer = try call.store.whatIf(transactions)
            let refusals = answer.refusals.enumerated().compactMap { place, refusal in
                refusal.map { (place: place, refusal: $0) }
            }
            return call.answer(answer.json(refusals, place: "transaction"), at: answer.revision)
        })

    /// The arguments of a transaction that is not committed.
    static let draft = ArgumentList(.name("as"), .changes)

    private static let drafts = Argument<[Transaction]>(
        parameters: [.query("transactions", "", Schema.list(Schema.named("DraftTransaction"), minimum: 1), isRequired: true)]
    ) { arguments, call in
        guard case .array(let drafts)? = arguments.value("transactions"), !drafts.isEmpty else {
            throw arguments.wrong(
                "transactions", "is not a list of transactions", #"write one, such as [{"as":"user:ann","do":[…]}]"#)
        }
        return try drafts.map { body in
            let (actor, changes) = try draft.read(Arguments(body: body), call)
            return Transaction(actor, changes)
        }
    }
}
