internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions

/// A live feed of a store's commits for administrators, as server-sent events.
enum CommitStream {
    /// Commits that are read from the log together.
    private static let commitsPerLook: UInt64 = 64

    /// Opens a feed. Each commit is one event.
    static func open(_ call: Call) throws -> HTTPResponse {
        try call.query.checkNames(["after"])
        let store = try call.store
        let name = call.hosted?.name.text ?? ""
        let cursor = try call.feedCursor(head: store.head.revision)
        let feed = try call.openFeed(from: cursor) { true }
        feed.run(following: nil) { feed in
            do { try await send(behind: cursor.complete, in: name, of: store, to: feed) } catch {
                // The client or the store has ended the feed. The client can resume after its last event.
            }
        }
        return ServerSentEvent.response(feed.stream)
    }

    private static func send(behind start: Revision, in name: String, of store: Store, to feed: LiveFeed) async throws {
        var revision = start
        while !Task.isCancelled {
            if try store.head.revision == revision { await store.waitForCommit(behind: revision) }
            let head = try store.head.revision
            // Without a new commit, the store may be closed. The feed ends, and the client reconnects.
            guard revision < head else { return }
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
