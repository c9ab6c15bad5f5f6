internal import Events
internal import Muniment
internal import Wire

/// How access differed.
enum DiffRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/diff", "diff", need: .store,
        RouteDescription("how access differed between two moments: that of somebody, or that to an object", group: "History")
            .taking(
                .query("name", "whose access, or to which object", Schema.name, isRequired: true),
                .query("from", "the earlier moment", Schema.moment, isRequired: true),
                .query("to", "the later moment; without it, now", Schema.moment), .atLeast
            )
            .answering(
                "what was gained and lost, and on what or by whom",
                Schema.object([
                    "name": Schema.name, "differences": Schema.list(Schema.named("Difference")), "from": Schema.named("Instant"),
                    "to": Schema.named("Instant"),
                ]), lines: Schema.named("Difference")
            )
            .refusing(.notYetVisible),
        .queued { call in
            var arguments = try call.arguments()
            let name = try arguments.name("name")
            guard let earlier = try arguments.optionalMoment("from") else {
                throw arguments.wrong("from", "is missing", "add the earlier moment")
            }
            let later = try arguments.optionalMoment("to") ?? .now
            let atLeast = try arguments.optionalRevision("atLeast")
            try arguments.finish()
            try call.requireAsking(aboutName: name)
            try call.requireVisible(atLeast)
            let last = try call.store.read(at: later) { $0.revision }
            let (differences, moments) = try call.store.difference(
                of: name, from: earlier, to: later, for: try call.audience)
            guard let lineType = call.lineType else { return call.answer(differences.json(of: name, moments), at: last) }
            return try call.lines(lineType, at: last) { writer in
                for difference in differences { try writer.write(difference.json) }
            }
        })
}
