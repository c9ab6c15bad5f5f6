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
        try query.checkNames(["for", "subject", "after"])
        if query.has("for"), query.has("subject") {
            throw Problem(.malformed, "`subject` cannot be used with `for`: give one of them")
        }
        let subscriber = try call.subscriber(named: (query["for"] ?? query["subject"]).map { Name($0) })
        let store = try call.store
        let name = call.hosted?.name.text ?? ""
        let cursor = try call.feedCursor(head: store.head.revision)
        let notices = try store.notices(for: subscriber, after: cursor.complete)
        let feed = try call.openFeed(from: cursor) { try call.mayAsk(about: subscriber) }
        let reader = NoticeReader(notices.makeAsyncIterator(), for: subscriber, from: cursor, in: name, of: store)
        feed.run(following: reader.position) { feed in await reader.send(to: feed) }
        return ServerSentEvent.response(feed.stream)
    }
}

/// How far a feed of notices has come. It lies in one place and not in the frames of a task, which are kept for each open stream.
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

    /// Sends what comes, until the client or the store ends it: the client comes back behind what it has. Called once.
    func send(to feed: LiveFeed) async {
        do {
            while let notice = try await iterator.next() {
                guard let (event, reached) = try event(for: notice) else { continue }
                try await feed.send(event, at: reached)
            }
        } catch { return }
    }

    /// The event that a notice is, and how far the client has come with it; nil for one that the client had before.
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
                .malformed, "`\(text)` is not a start of a feed: give the `id` of the last event, a revision, or `now`")
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
        let feed = try service.liveFeeds.open(from: cursor, for: caller, at: client) { isKnown() && (try? mayListen()) == true }
        _ = feed.stream.offer(ServerSentEvent.opening(at: cursor))
        return feed
    }
}
