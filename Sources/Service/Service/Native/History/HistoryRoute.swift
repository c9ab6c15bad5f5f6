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
            .withNote(
                "A page ends early after \(Limits.bytesPerPage >> 20) MiB. A cursor continues at the revision of the first page. "
                    + "With JSON Lines the response has all events, without pages."
            )
            .withResponse(
                "a page",
                Schema.object(
                    ["name": Schema.name, "commits": Schema.list(Schema.named("Commit")), "revision": Schema.revision],
                    optional: .next), lines: Schema.named("Commit")
            ),
        .queued(
            .name("name", "the name of the object, principal or role"),
            .page(.records, at: .at("the end of the history (default: now)"))
        ) { call, name, request in
            try call.requirePermissionToQuery(aboutName: name)
            let (after, through) = try call.history(request)
            let (store, audience) = (try call.store, try call.audience)
            let revisions = try store.revisions(of: name, after: after, through: through)
            guard let lineType = call.lineType else {
                var (commits, place, bytes) = ([JSONValue](), 0, 0)
                while place < revisions.count, commits.count < request.limit, bytes < Limits.bytesPerPage {
                    if let commit = try store.commit(revisions[place], about: name, for: audience)?.json {
                        commits.append(commit)
                        bytes += commit.approximateBytes
                    }
                    place += 1
                }
                let next = place < revisions.count ? HistoryCursor(through: through, after: revisions[place - 1]) : nil
                let members: JSONObject = ["name": .name(name), "commits": .array(commits), "revision": .revision(through)]
                return call.answer(call.page(members, next: next), at: through)
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
