internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions
internal import Wire

/// What happened to something.
enum HistoryRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/history", "history", need: .store,
        RouteDescription("the events of an object, a principal or a role, oldest first", group: "History")
            .saying(
                "A page ends early after \(Limits.bytesPerPage >> 20) MiB. A cursor continues at the revision of the first page. "
                    + "With JSON Lines the response has all events, without pages."
            )
            .taking(
                .query("name", "the name of the object, principal or role", Schema.name, isRequired: true),
                .query("at", "the end of the history (default: now)", Schema.moment),
                .atLeast, .limit(1_000, default: 100), .cursor
            )
            .answering(
                "a page, and the cursor of the next one",
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
                throw arguments.wrong("at", "cannot be used with `cursor`", "omit it, the cursor contains the revision")
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
                var (commits, place, bytes) = ([JSONValue](), 0, 0)
                while place < revisions.count, commits.count < limit, bytes < Limits.bytesPerPage {
                    if let commit = try store.commit(revisions[place], about: name, for: audience)?.json {
                        commits.append(commit)
                        bytes += commit.approximateBytes
                    }
                    place += 1
                }
                let next = place < revisions.count ? PageCursor(through: through, after: revisions[place - 1]) : nil
                return call.answer(
                    [
                        "name": .name(name), "commits": .array(commits), "revision": .revision(through),
                        "next": .optional(next?.description),
                    ], at: through)
            }
            return try call.lines(lineType, at: through) { writer in
                for revision in revisions {
                    if let commit = try store.commit(revision, about: name, for: audience) { try writer.write(commit.json) }
                }
            }
        })
}

extension Store {
    /// Returns a commit with only the events about a name that the caller may know; nil if it has no such event.
    fileprivate func commit(_ revision: Revision, about name: Name, for audience: Audience) throws -> CommitDescription? {
        var commit: CommitDescription?
        try log(from: revision, to: revision) { commit = try CommitDescription($0, about: name, for: audience) }
        return commit.flatMap { $0.events.isEmpty ? nil : $0 }
    }
}
