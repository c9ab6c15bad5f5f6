internal import Credentials
internal import Events
internal import HTTPServer
internal import Muniment
internal import Notices
internal import Permissions
internal import Wire

/// Returns the access that a subject gained and lost: in pages, as lines, or as a live feed.
enum NoticesRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/notices", "notices", need: .store,
        RouteDescription("the objects shared with and unshared from a subscriber, oldest first", group: "History")
            .withNote(
                "A page has whole revisions. A cursor continues at the revision of the first page. " + LiveFeedRoutes.noticesText
            )
            .withParameters(.ticket)
            .withResponse("a page", schema, lines: Schema.named("Notice")),
        Operation(arguments, .queued { call in try call.wantsFeed ? NoticeStream.open(call) : page(call) }))

    private static let arguments = ArgumentList(
        .optionalName("for", "the subscriber (default: the principal of the token)"),
        .optionalName("subject", "the same as `for`"),
        .optionalRevision("after", "notices after this revision (default: 0)"),
        .page(.records, at: .at("the end of the history (default: now)")))

    /// The number of commits to read at once, so that no reader waits for a client.
    fileprivate static let pieceRevisions: UInt64 = 1_024

    private static let schema = Schema.object(
        ["subject": Schema.name, "notices": Schema.list(Schema.named("Notice")), "revision": Schema.revision], optional: .next)

    /// Responds with a page of whole revisions: the requested number of notices, and the rest of the revision of the last one.
    private static func page(_ call: RequestContext) throws -> HTTPResponse {
        let (told, subject, after, request) = try arguments.read(call.arguments(), call)
        guard told == nil || subject == nil else {
            throw Problem(MemberProblem(path: "subject", problem: "cannot be used with `for`", remedy: "give one of them"))
        }
        guard request.cursor == nil || after == nil else {
            throw Problem(MemberProblem(path: "after", problem: "cannot be used with `cursor`", remedy: "omit one of them"))
        }
        let subscriber = try call.subscriber(named: told ?? subject)
        let (position, through) = try call.history(request)
        let start = position ?? after ?? .genesis
        guard start <= through else { throw StoreError.noSuchRevision(start, head: through) }
        let store = try call.store
        guard let lineType = call.lineType else {
            let (notices, end) = try store.notices(for: subscriber, after: start, through: through, atLeast: request.limit)
            let members: JSONObject = [
                "subject": .name(subscriber), "notices": .array(try notices.map { .object(try store.members(of: $0)) }),
                "revision": .revision(through),
            ]
            return call.answer(
                call.page(members, next: end < through ? HistoryCursor(through: through, after: end) : nil), at: through)
        }
        // The first notices are read before the response begins, so that a timeout gets the usual response.
        let first = try store.notices(for: subscriber, after: start, through: through, atLeast: PageSize.records.limit)
        let deadline = call.service.settings.deadlines.limit(of: call.route.name)
        return try call.lines(lineType, at: through, within: deadline) { writer in
            var (notices, end) = first
            while true {
                for notice in notices { try writer.write(try store.members(of: notice)) }
                guard end < through else { return }
                try writer.flush()
                (notices, end) = try store.notices(for: subscriber, after: end, through: through, atLeast: PageSize.records.limit)
            }
        }
    }
}

extension RequestContext {
    /// Returns the subscriber of a request for notices, as pages or as a stream.
    func subscriber(named: Name?) throws -> Name {
        if case .act(let principal)? = caller?.right, named == nil { return principal }
        guard let named else {
            throw Problem(.malformed, "the subscriber is missing: with this token, name a user, a thing or a role in `for`")
        }
        try requirePermissionToQuery(about: named)
        return named
    }
}

extension Store {
    /// Returns the notices after a revision, until the count or the last revision is reached, and the last revision that the list
    /// covers.
    fileprivate func notices(
        for subscriber: Name, after start: Revision, through last: Revision, atLeast wanted: Int
    ) throws -> ([Notice], Revision) {
        var found: [Notice] = []
        var end = start
        while end < last, found.count < wanted {
            let stop = min(Revision(end.rawValue + NoticesRoute.pieceRevisions), last)
            let (more, reached) = try notices(
                for: subscriber, after: end, through: stop, stoppingAt: wanted - found.count + 1)
            found += more
            end = reached
        }
        guard found.count > wanted else { return (found, end) }
        // The revision of the last requested notice is included as a whole.
        let final = found[wanted - 1].revision
        return (Array(found.prefix { $0.revision <= final }), final)
    }

    fileprivate func members(of notice: Notice) throws -> JSONObject { notice.json(at: try time(of: notice.revision)) }
}
