internal import Events
internal import HTTPServer
internal import Muniment
internal import Notices
internal import Permissions

/// A live feed of a subscriber's notices as server-sent events.
enum NoticeStream {
    /// Opens a feed for a client that asks for one.
    static func open(_ call: RequestContext) throws -> HTTPResponse {
        let query = try call.query
        try query.checkNames(["for", "subject", "after", "ticket"])
        if query.has("for"), query.has("subject") {
            throw Problem(.malformed, "`subject` cannot be used with `for`: give one of them")
        }
        let subscriber = try call.subscriber(named: (query["for"] ?? query["subject"]).map { Name($0) })
        let store = try call.store
        let name = call.hosted?.name.text ?? ""
        let cursor = try call.feedCursor(head: store.head.revision)
        let notices = try store.notices(for: subscriber, after: cursor.complete)
        let feed = try call.openFeed(from: cursor, at: "\(cursor)") { try call.mayQuery(about: subscriber) }
        let reader = NoticeReader(notices.makeAsyncIterator(), for: subscriber, from: cursor, in: name, of: store)
        feed.run(following: reader.position) { feed in await reader.send(to: feed) }
        return ServerSentEvent.response(feed.stream)
    }
}

/// The position of a feed of notices. It is an object and not local state, because the frames of a task are kept for each open stream.
private final class NoticeReader: @unchecked Sendable {
    private var iterator: NoticeFeed.Iterator
    private let subscriber: Name
    private let cursor: FeedCursor
    private let name: String
    private let store: Store
    private var (revision, time, ordinal) = (Revision.genesis, Instant(microseconds: 0), 0)

    init(_ iterator: NoticeFeed.Iterator, for subscriber: Name, from cursor: FeedCursor, in name: String, of store: Store) {
        (self.iterator, self.subscriber, self.cursor, self.name, self.store) = (iterator, subscriber, cursor, name, store)
    }

    var position: FeedPosition { iterator.position }

    /// Sends notices until the client or the store ends the feed. The client can resume after its last event. Must be called once.
    func send(to feed: LiveFeed) async {
        do {
            while let notice = try await iterator.next() {
                guard let (event, reached) = try event(for: notice) else { continue }
                try await feed.send(event, at: reached)
            }
        } catch { return }
    }

    /// Returns the event for a notice, and the client's position after it; nil if the client already had the notice.
    @inline(never) private func event(for notice: Notice) throws -> (event: [UInt8], reached: FeedCursor)? {
        if notice.revision != revision || ordinal == 0 {
            revision = notice.revision
            time = try store.time(of: revision)
            ordinal = 0
        }
        ordinal += 1
        let reached = FeedCursor(revision, events: notice.completesRevision ? nil : ordinal)
        guard reached > cursor else { return nil }
        let event = CloudEvent(notice, ordinal: ordinal, for: subscriber, in: name, at: time)
        return (ServerSentEvent.event(event, at: reached), reached)
    }
}

extension ServerSentEvent {
    /// Returns the response of a feed.
    static func response(_ stream: HTTPStream) -> HTTPResponse {
        let headers = [
            HTTPHeader("Content-Type", "text/event-stream"), HTTPHeader("Cache-Control", "no-store"),
            HTTPHeader("X-Accel-Buffering", "no"),
        ]
        return HTTPResponse(status: 200, headers: headers, body: .stream(stream))
    }
}

extension HTTPRequest {
    /// Whether the client asks for a feed.
    var wantsFeed: Bool { header("Accept")?.lowercased().contains("text/event-stream") ?? false }
}

extension RequestContext {
    /// Whether the client asks for a feed.
    var wantsFeed: Bool { request.wantsFeed }

    /// Returns the position from which the client resumes: `Last-Event-ID`, else the parameter `after`, else the head.
    func feedCursor(head: Revision) throws -> FeedCursor {
        guard let text = try request.header("Last-Event-ID") ?? query["after"], text != "now", !text.isEmpty else {
            return FeedCursor(head)
        }
        guard let cursor = FeedCursor(text) else {
            throw Problem(
                .malformed, "`\(text)` is not a start of a feed: give the `id` of the last event, a revision, or `now`")
        }
        guard cursor.revision <= head else { throw StoreError.noSuchRevision(cursor.revision, head: head) }
        return cursor
    }

    /// Opens a feed. The feed ends when the caller's token is revoked or expires, or when the caller loses another permission for it.
    ///
    /// - Parameters:
    ///   - cursor: the client's position.
    ///   - position: the text of this position; nil for a client without one.
    ///   - sent: counts the writes of events; nil for the counter of notices.
    ///   - positionText: returns the text of a position.
    ///   - mayListen: whether the caller, as authenticated when the feed was opened, may listen.
    func openFeed(
        from cursor: FeedCursor, at position: String?, counting sent: Counter? = nil,
        positionText: @escaping @Sendable (FeedCursor) -> String? = { "\($0)" },
        while mayListen: @escaping @Sendable () throws -> Bool
    ) throws -> LiveFeed {
        guard let credential = exchange.credential else { throw Problem.unauthenticated }
        // An error counts as a missing permission.
        let feed = try service.liveFeeds.open(
            from: cursor, for: credential.caller, at: client, sent: sent, positionText: positionText
        ) {
            credential.isValid() && (try? mayListen()) == true
        }
        _ = feed.stream.offer(ServerSentEvent.opening(at: position))
        return feed
    }
}
