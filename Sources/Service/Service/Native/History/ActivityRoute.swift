internal import Events
internal import Muniment
internal import Wire

/// Counts commits over time.
enum ActivityRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/activity", "activity", need: .store,
        RouteDescription("the number of commits in each part of a span", group: "History")
            .withNote("The parts have the same length. A commit at the end of a part counts in it.")
            .withResponse(
                "the counts, oldest first",
                Schema.object([
                    "from": Schema.time, "to": Schema.time, "commits": Schema.list(Schema.number), "revision": Schema.revision,
                ])
            ),
        .queued(
            .optionalMoment("from", "the start of the span (default: the first commit)"),
            .optionalMoment("to", "the end of the span (default: now)"),
            .count("parts", "the number of parts", upTo: 1_000, default: 100), .atLeast
        ) { call, from, to, parts, atLeast in
            try call.requirePermissionToQueryAllSubjects()
            let store = try call.store
            let head = try store.head.revision
            // One microsecond earlier, so that the first commit counts.
            let start =
                try from.map { moment in try call.read(at: ReadConsistency(moment: moment, atLeast: nil)) { $0.instant } }
                ?? store.time(of: min(Revision(1), head)).advanced(byMicroseconds: -1)
            return try call.read(at: ReadConsistency(moment: to ?? .now, atLeast: atLeast)) { snapshot in
                let end = max(snapshot.instant, start)
                let length = end.microseconds.subtractingReportingOverflow(start.microseconds)
                let span = length.overflow ? .max : length.partialValue
                let revisions = try snapshot.revisions(
                    at: (0..<parts).map { start.advanced(byMicroseconds: span / Int64(parts) * Int64($0)) } + [end])
                let counts = zip(revisions, revisions.dropFirst()).map { JSONValue.count($1.rawValue - $0.rawValue) }
                return call.answer(
                    [
                        "from": .time(start), "to": .time(end), "commits": .array(counts), "revision": .revision(snapshot.revision),
                    ], at: snapshot.revision)
            }
        })
}
