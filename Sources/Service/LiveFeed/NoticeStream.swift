internal import Credentials
internal import Events
internal import HTTPServer
internal import Muniment
internal import Notices
internal import Permissions

/// The notices of somebody as they come: server-sent events.
enum NoticeStream {
    /// Opens a feed for a client that asks for one.
    static func open(_ call: Call) throws -> HTTPResponse {
        let query = try call.query
        let subscriber = try subscriber(of: call, named: query["for"] ?? query["subject"])
        let store = try call.store
        let name = call.hosted?.name.text ?? ""
        let cursor = try call.feedCursor(head: store.head.revision)
        let notices = try store.notices(for: subscriber, after: cursor.complete)
        let feed = try call.openFeed(from: cursor) { try call.mayAsk(about: subscriber) }
        let iterator = notices.makeAsyncIterator()
        feed.run(following: iterator.position) { feed in
            do { try await send(iterator, of: subscriber, from: cursor, in: name, of: store, to: feed) } catch {
                // Ended by the client, or by the store: the client comes back behind what it has.
            }
        }
        return ServerSentEvent.response(feed.stream)
    }

    private static func subscriber(of call: Call, named: String?) throws -> Name {
        if let named {
            let subscriber = Name(named)
            try call.requireAsking(about: subscriber)
            return subscriber
        }
        guard case .act(let principal)? = call.caller?.right else {
            throw Problem(.malformed, "it is not said whose notices: this token names a user, a thing or a role in `for`")
        }
        return principal
    }

    private static func send(
        _ start: NoticeFeed.Iterator, of subscriber: Name, from cursor: FeedCursor, in name: String, of store: Store,
        to feed: LiveFeed
    ) async throws {
        var iterator = start
        var (revision, time, ordinal) = (Revision.genesis, Instant(microseconds: 0), 0)
        while let notice = try await iterator.next() {
            if notice.revision != revision || ordinal == 0 {
                revision = notice.revision
                time = try store.time(of: revision)
                ordinal = 0
            }
            ordinal += 1
            let reached = FeedCursor(revision, events: notice.completesRevision ? nil : ordinal)
            guard reached > cursor else { continue }
            try await feed.send(CloudEvent(notice, ordinal: ordinal, for: subscriber, in: name, at: time), at: reached)
        }
    }
}

extension ServerSentEvent {
    /// The answer that a feed is.
    static func response(_ stream: HTTPStream) -> HTTPResponse {
        let headers = [
            HTTPHeader("Content-Type", "text/event-stream"), HTTPHeader("Cache-Control", "no-store"),
            HTTPHeader("X-Accel-Buffering", "no"),
        ]
        return HTTPResponse(status: 200, headers: headers, body: .stream(stream))
    }
}

extension Call {
    /// Whether the client asks for a feed.
    var wantsFeed: Bool { request.header("Accept")?.lowercased().contains("text/event-stream") ?? false }

    /// From where a client wants to go on: what `Last-Event-ID` brings back, else the parameter `after`, else now.
    func feedCursor(head: Revision) throws -> FeedCursor {
        guard let text = try request.header("Last-Event-ID") ?? query["after"], text != "now", !text.isEmpty else {
            return FeedCursor(head)
        }
        guard let cursor = FeedCursor(text) else {
            throw Problem(
                .malformed, "`\(text)` is not from where a feed can go on: give the last `id` that came, a revision, or `now`")
        }
        guard cursor.revision <= head else { throw StoreError.noSuchRevision(cursor.revision, head: head) }
        return cursor
    }

    /// Opens a feed that ends as soon as the caller's token, or what else it may listen by, is gone.
    ///
    /// - Parameters:
    ///   - cursor: how far the client has come.
    ///   - mayListen: whether the caller, as it was when the feed was opened, may listen.
    func openFeed(from cursor: FeedCursor, while mayListen: @escaping @Sendable () throws -> Bool) throws -> LiveFeed {
        guard let caller else { throw Problem.unauthenticated }
        let isKnown = service.authenticator.watch(caller, authorization: request.header("Authorization"))
        // A fault is no leave.
        let feed = try service.liveFeeds.open(from: cursor, for: caller) { isKnown() && (try? mayListen()) == true }
        _ = feed.stream.offer(ServerSentEvent.opening(at: cursor))
        return feed
    }
}
