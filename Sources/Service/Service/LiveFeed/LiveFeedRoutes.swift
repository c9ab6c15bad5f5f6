internal import Credentials
internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions
internal import Work

/// The feeds of a store, under `/v1`. The feed of notices has the path of the pages of notices; the `Accept` header selects the feed.
enum LiveFeedRoutes {
    static let all: [Route] = [commits, changes, query, replica, ticket]

    /// Description of the feed of notices, for the route that it shares.
    static let noticesText = """
        With `Accept: text/event-stream` the response is a live feed: CloudEvents 1.0 in server-sent events, from the head, or \
        after `after` or the header `Last-Event-ID`.
        """

    /// Opens a feed for a client that accepts one. The subject of the message has its verb: `commits are`.
    private static func feed(
        _ subject: String, _ open: @escaping @Sendable (RequestContext) throws -> HTTPResponse
    ) -> Operation {
        .queued { call in
            guard call.wantsFeed else {
                throw Problem(.notAcceptable, "\(subject) available only as a feed: send `Accept: text/event-stream`")
            }
            return try open(call)
        }
    }

    private static let commits = Route(
        "GET", "/v1/stores/{store}/commits", "commits", need: .administering,
        RouteDescription("a live feed of commits, for administrators", group: "Live feed")
            .withNote(
                "Server-sent events with CloudEvents 1.0 as data. The feed starts at the head, or after `after` or `Last-Event-ID`."
            )
            .withParameters(
                .start, .lastEventID, .ticket
            )
            .withResponse("events, until the client disconnects", Schema.text, as: "text/event-stream", headers: [])
            .withProblems(.notAcceptable),
        feed("commits are", CommitStream.open))
}

extension LiveFeedRoutes {
    private static let changes = Route(
        "GET", "/v1/stores/{store}/objects/{object}/changes", "objectChanges", need: .store,
        RouteDescription("a live feed of the changes of an object's value, for a caller that may read it", group: "Live feed")
            .withNote(
                "Server-sent events with CloudEvents 1.0 as data, of the types `muniment.change.` with `childAdded`, `childChanged`, "
                    + "`childRemoved` and `valueChanged`. The last event, `accessEnded` or `objectDeleted`, names the reason of the end. "
                    + "The feed starts at the head, or after `after` or `Last-Event-ID`."
            )
            .withParameters(
                .query("path", "a part of the value, as a JSON Pointer (RFC 6901), such as `/address/city`"),
                .reader, .start, .lastEventID, .ticket
            )
            .withResponse(
                "events, until the client disconnects or may no longer read the object", Schema.text, as: "text/event-stream",
                headers: []
            )
            .withProblems(.refused, .notAcceptable),
        feed("changes are", ChangeStream.open))

    private static let query = Route(
        "GET", "/v1/stores/{store}/query/changes", "queryChanges", need: .store,
        RouteDescription("a live feed of the changes of the objects that a query finds", group: "Live feed")
            .withNote(
                "Server-sent events with CloudEvents 1.0 as data. `muniment.query.changed` names the objects that the query finds now "
                    + "(`added`), no longer (`removed`), or with a change of their value, parent, owner or access (`changed`). After "
                    + "`muniment.query.reset`, run the query again. The last event is `accessEnded` or `queryRefused`."
            )
            .withParameters(
                .query("class", "the class, without `class:`", Schema.text, isRequired: true),
                .query("where", "a condition as JSON, as in `query`"),
                .reader, .start, .lastEventID, .ticket
            )
            .withResponse(
                "events, until the client disconnects or the query is refused", Schema.text, as: "text/event-stream", headers: []
            )
            .withProblems(.refused, .notAcceptable),
        feed("changes are", QueryStream.open))

    private static let replica = Route(
        "GET", "/v1/stores/{store}/replica", "replica", need: .store,
        RouteDescription(
            "the objects that a user may read, and every later change: for a client that works offline", group: "Live feed"
        )
        .withNote(
            "Server-sent events `begin`, `objects` and `end`. Each step brings the replica from one revision to a later one, and a "
                + "client applies it as a whole at `end`. Without a position, the first step sends every object. The guide "
                + "`replica-protocol` describes the events."
        )
        .withParameters(
            .query("class", "a class of objects, without `class:`; repeat it for up to 32 classes", Schema.text, isRequired: true),
            .reader,
            .query("after", "the position of the replica: the last `id` that it has received"),
            .query(
                "contains",
                "the `revision` and the `hash` of a receipt, with a point between them: without this commit, the store is reset"),
            .query(
                "window",
                "the bytes of a fill after which the response ends, so that a slow client gets no more than it can keep; connect again "
                    + "with the position"),
            .header("Last-Event-ID", "the last `id`, which browsers send automatically; it overrides `after`"),
            .ticket
        )
        .withResponse("events, until the client disconnects", Schema.text, as: "text/event-stream", headers: [])
        .withProblems(.notAcceptable),
        feed("a replica is", ReplicaStream.open))

    private static let ticket = Route(
        "POST", "/v1/stores/{store}/tickets", "createTicket", need: .store,
        RouteDescription("a ticket that opens one live feed without the header `Authorization`", group: "Live feed")
            .withNote(
                "For `EventSource` in browsers, which sends no headers. The ticket is valid once, for \(FeedTickets.lifetimeSeconds) "
                    + "seconds, in this store, with the access of the token: `…/notices?ticket=TICKET`."
            )
            .withResponse(
                "the ticket", Schema.object(["ticket": Schema.text, "expires": Schema.time]), status: 201, headers: []
            )
            .withProblems(.tooManyRequests),
        .immediate { call in
            try Arguments(address: try call.query).finish()
            guard let credential = call.exchange.credential, let store = call.hosted?.name.text,
                credential.caller.right != .act(as: .anonymous)
            else { throw Problem.unauthenticated }
            let (ticket, expires) = try call.service.tickets.make(
                for: credential, call.exchange.origin.caller, in: store, at: call.service.settings.clock())
            return call.answer(["ticket": .string(ticket), "expires": .time(expires)], status: 201)
        })
}

/// A live feed of a store's commits for administrators, as server-sent events.
enum CommitStream {
    /// Commits that are read from the log together.
    private static let commitsPerLook: UInt64 = 64

    /// Opens a feed. Each commit is one event.
    static func open(_ call: RequestContext) throws -> HTTPResponse {
        try call.query.checkNames(["after", "ticket"])
        let store = try call.store
        let name = call.hosted?.name.text ?? ""
        let cursor = try call.feedCursor(head: store.head.revision)
        let feed = try call.openFeed(from: cursor, at: "\(cursor)") { true }
        feed.run(following: nil) { feed in
            do { try await send(after: cursor.complete, in: name, of: store, to: feed) } catch {
                // The client or the store has ended the feed. The client can resume after its last event.
            }
        }
        return ServerSentEvent.response(feed.stream)
    }

    private static func send(after start: Revision, in name: String, of store: Store, to feed: LiveFeed) async throws {
        var revision = start
        while !Task.isCancelled {
            let head = try store.head.revision
            guard revision < head else {
                // After the feed has ended, the client connects again.
                guard await store.waitForCommit(after: revision) else { return }
                continue
            }
            let last = Revision(min(revision.rawValue + commitsPerLook, head.rawValue))
            var events: [(event: [UInt8], cursor: FeedCursor)] = []
            try store.log(from: revision.next, to: last) { described in
                let cursor = FeedCursor(described.commit.revision)
                events.append((ServerSentEvent.event(try CloudEvent(described, in: name), at: cursor), cursor))
            }
            for (event, cursor) in events { try await feed.send(event, at: cursor) }
            revision = last
            await Task.yield()
        }
    }
}

extension ParameterDescription {
    fileprivate static let reader = query(
        "as", "the caller; required with a token that does not act as a principal", Schema.name)
    fileprivate static let start = query("after", "the start of the feed: the `id` of the last event, a revision, or `now`")
    fileprivate static let lastEventID = header(
        "Last-Event-ID", "the `id` of the last event, which browsers send automatically; it overrides `after`")
}
