internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// Routes that list the names in a store, describe a name, and list the entries that will expire.
enum NameRoutes {
    static let all = [list, show, ends]

    static let list = Route(
        "GET", "/v1/stores/{store}/names", "names", need: .store,
        RouteDescription("the existing names: objects, users, things, roles, permissions and classes", group: "Names")
            .withNote("Sorted by their bytes; names of more than 255 bytes are last.")
            .withResponse(
                "the names", Schema.object(JSONObject(["names": Schema.names]).with(.when), optional: .next),
                lines: Schema.object(["name": Schema.name])
            ),
        .queued(
            .optionalText("prefix", "only names that begin with this text"),
            .optionalText("contains", "only names that contain this text; the case of ASCII letters is ignored"),
            .optionalText("class", "only objects of this class, such as `doc`, `user`, `role`, `permission` or `class`"),
            .optionalName("parent", "only objects with this parent"), .page(.names)
        ) { call, prefix, part, className, parent, request in
            let filter = NameFilter(prefix: prefix ?? "", part: part, className: className, parent: parent)
            try call.requirePermissionToQueryAllSubjects()
            var question: JSONObject = ["prefix": .string(filter.prefix)]
            if let part = filter.part { question["contains"] = .string(part) }
            if let className = filter.className { question["class"] = .string(className) }
            if let parent = filter.parent { question["parent"] = .name(parent) }
            let list = try call.list(request, of: question)
            let page = try call.read(at: list.point) { snapshot in
                list.page(of: try snapshot.names(filter, limit: list.sufficientCount), snapshot)
            }
            return try call.answer(page, to: [:], as: "names", lineKey: "name") { .string($0) }
        })

    static let show = Route(
        "GET", "/v1/stores/{store}/names/{name}", "describeName", need: .store,
        RouteDescription("describes a name: class, parent, owner, roles, members, options", group: "Names")
            .withNote("`roles`, `entries`, `members` and `permission.objects` have at most \(listLimit) names, the first ones.")
            .withResponse("the description", Schema.named("NameDescription")),
        .queued(.point) { call, point in
            try call.requirePermissionToQueryAllSubjects()
            let name = Name(call.parameter("name"))
            return try call.read(at: point) { snapshot in
                guard let found = try snapshot.description(of: name) else {
                    throw Problem(.notFound, "`\(name.excerpt)` does not exist at revision \(snapshot.revision)")
                }
                return call.answer(found.json(limit: listLimit).with(snapshot.members), at: snapshot.revision)
            }
        })

    /// The largest number of names in each list of a description.
    private static let listLimit = 10_000

    static let ends = Route(
        "GET", "/v1/stores/{store}/ends", "ends", need: .store,
        RouteDescription("the entries with privileges that will expire, the earliest first", group: "Names")
            .withResponse(
                "the times, with subject and object",
                Schema.object(
                    JSONObject([
                        "ends": Schema.list(Schema.object(["until": Schema.time, "subject": Schema.name, "object": Schema.name]))
                    ]).with(.when))
            ),
        .queued(.count("limit", "the largest number of results", upTo: 1_000, default: 100), .atLeast) { call, limit, atLeast in
            try call.requirePermissionToQueryAllSubjects()
            return try call.read(at: ReadConsistency(moment: .now, atLeast: atLeast)) { snapshot in
                let ends = try snapshot.upcomingEnds(limit: limit).map { end -> JSONValue in
                    .object(["until": .time(end.until), "subject": .string(end.subject), "object": .string(end.object)])
                }
                return call.answer(JSONObject(["ends": .array(ends)]).with(snapshot.members), at: snapshot.revision)
            }
        })
}
