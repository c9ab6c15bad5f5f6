internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// The access list of an object.
enum EntriesRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/objects/{object}/entries", "entries", need: .store,
        RouteDescription("the entries on an object: subjects and their privileges", group: "Objects").taking(.at, .atLeast)
            .answering(
                "the entries, sorted",
                Schema.object(
                    JSONObject(["object": Schema.name, "entries": Schema.list(Schema.named("Entry"))]).with(.when)),
                lines: Schema.named("Entry")
            )
            .refusing(.notYetVisible),
        .queued { call in
            var arguments = try call.arguments()
            let point = try arguments.point()
            try arguments.finish()
            let object = Name(call.parameter("object"))
            try call.requireAsking(aboutObject: object)
            let audience = try call.audience
            let (entries, revision, when) = try call.read(at: point) { snapshot in
                let entries = try snapshot.tells(audience, of: object) ? snapshot.entries(on: object) : []
                return (entries, snapshot.revision, snapshot.members)
            }
            guard let lineType = call.lineType else {
                return call.answer(Asked(object: object).answer(entries, when), at: revision)
            }
            return try call.lines(lineType, at: revision) { writer in
                for entry in entries { try writer.write(entry.json) }
            }
        })
}
