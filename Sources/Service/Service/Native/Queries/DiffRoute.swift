internal import Events
internal import Muniment
internal import Wire

/// Compares access at two moments.
enum DiffRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/diff", "diff", need: .store,
        RouteDescription(
            "the differences in the access of a subject, or to an object, between two points in time", group: "History"
        )
        .withResponse(
            "the privileges gained and lost, with the object or the subject of each",
            Schema.object(
                [
                    "name": Schema.name, "differences": Schema.list(Schema.named("Difference")),
                    "from": Schema.named("RevisionAndTime"), "to": Schema.named("RevisionAndTime"),
                ], optional: .next), lines: Schema.named("Difference")
        ),
        .queued(
            .name("name", "the subject or the object"), earlier,
            .page(.names, at: .optionalMoment("to", "the later point in time (default: now)"))
        ) { call, name, earlier, request in
            try call.requirePermissionToQuery(aboutName: name)
            let store = try call.store
            let from = try call.read(at: ReadConsistency(moment: earlier, atLeast: request.point.atLeast)) { $0.members }
            let list = try call.list(request, of: ["name": .name(name), "from": .object(from)])
            let (last, instant) = try store.read(at: list.point.moment) { ($0.revision, $0.instant) }
            let (differences, moments) = try store.difference(
                of: name, from: earlier, to: .revisionAt(last, instant), for: try call.audience)
            let page = list.page(of: differences, at: last, instant, moments)
            return try call.answer(page, to: ["name": .name(name)], as: "differences") { $0.json }
        })

    private static let earlier = Argument<Moment>(
        "from", "the earlier point in time", Schema.moment, isRequired: true
    ) { arguments in
        guard let moment = try arguments.optionalMoment("from") else {
            throw arguments.wrong("from", "is missing", "add the earlier point in time")
        }
        return moment
    }
}
