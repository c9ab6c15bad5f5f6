internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// The access list of an object.
enum EntriesRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/objects/{object}/entries", "entries", need: .store,
        RouteDescription("the entries on an object: subjects and their privileges", group: "Objects").taking(.at, .atLeast)
            .paged(.names)
            .answering(
                "the entries, sorted",
                Schema.object(
                    JSONObject(["object": Schema.name, "entries": Schema.list(Schema.named("Entry"))]).with(.when),
                    optional: .next),
                lines: Schema.named("Entry")
            )
            .refusing(.notYetVisible),
        .queued { call in
            var arguments = try call.arguments()
            let request = try arguments.page(.names)
            try arguments.finish()
            let object = Name(call.parameter("object"))
            try call.requireAsking(aboutObject: object)
            let asked = Asked(object: object).members
            let list = try call.list(request, of: asked)
            let audience = try call.audience
            let page = try call.read(at: list.point) { snapshot in
                list.page(of: try snapshot.tells(audience, of: object) ? snapshot.entries(on: object) : [], snapshot)
            }
            return try call.answer(page, to: asked, as: "entries") { $0.json }
        })
}
