internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions
internal import Wire

/// What happened to something.
enum HistoryRoute {
    /// Commits that are read from the log at once, so that no reader waits for a client.
    private static let pieceCommits = 64

    static let route = Route(
        "GET", "/v1/stores/{store}/history", "history", need: .store,
        RouteDescription("what happened to an object, a principal or a role, oldest first", group: "History")
            .saying("A cursor goes on at the revision of the first page. As JSON Lines everything comes, without pages.")
            .taking(
                .query("name", "whose history", Schema.name, isRequired: true),
                .query("at", "up to which moment; without it, now", Schema.moment),
                .atLeast, .limit(1_000, default: 100), .cursor
            )
            .answering(
                "a page, and where the next one begins",
                Schema.object([
                    "name": Schema.name, "commits": Schema.list(Schema.named("Commit")), "revision": Schema.revision,
                    "next": Schema.orNull(Schema.text),
                ]), lines: Schema.named("Commit")
            )
            .refusing(.notYetVisible),
        .queued { call in
            var arguments = try call.arguments()
            let (name, point) = (try arguments.name("name"), try arguments.point())
            let limit = try arguments.count("limit", upTo: 1_000, default: 100)
            let (cursor, isNow) = (try arguments.optionalPageCursor(), !arguments.has("at"))
            try arguments.finish()
            guard cursor == nil || isNow else {
                throw arguments.wrong("at", "stands beside `cursor`", "leave it out, a cursor goes on at its own revision")
            }
            try call.requireAsking(aboutName: name)
            let store = try call.store
            let through = try call.read(
                at: cursor.map { ReadPoint(moment: .revision($0.through), atLeast: point.atLeast) } ?? point
            ) {
                $0.revision
            }
            let audience = try call.audience
            let revisions = try store.revisions(of: name, after: cursor?.after, through: through)
            guard let lineType = call.lineType else {
                var (commits, place) = ([CommitDescription](), 0)
                while place < revisions.count, commits.count < limit {
                    let piece = revisions[place...].prefix(limit - commits.count)
                    commits += try store.commits(piece, about: name, for: audience)
                    place = piece.endIndex
                }
                let next = place < revisions.count ? PageCursor(through: through, after: revisions[place - 1]) : nil
                return call.answer(
                    [
                        "name": .name(name), "commits": .array(commits.map(\.json)), "revision": .revision(through),
                        "next": .optional(next?.description),
                    ], at: through)
            }
            return try call.lines(lineType, at: through) { writer in
                for start in stride(from: 0, to: revisions.count, by: pieceCommits) {
                    let piece = revisions[start..<min(start + pieceCommits, revisions.count)]
                    for commit in try store.commits(piece, about: name, for: audience) { try writer.write(commit.json) }
                }
            }
        })
}

extension Store {
    /// Those of some commits of which the caller may know an event about a name, described.
    fileprivate func commits(
        _ revisions: ArraySlice<Revision>, about name: Name, for audience: Audience
    ) throws -> [CommitDescription] {
        var commits: [CommitDescription] = []
        for revision in revisions {
            try log(from: revision, to: revision) { commits.append(try CommitDescription($0, about: name, for: audience)) }
        }
        return commits.filter { !$0.events.isEmpty }
    }
}
