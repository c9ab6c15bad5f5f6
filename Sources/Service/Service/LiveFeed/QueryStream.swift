internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions
internal import Secrets
internal import Wire

/// A live feed of the changes of the objects that a query finds, as server-sent events. It sends names and no values.
enum QueryStream {
    /// Opens a feed for a caller that may run the query, now and at the client's position.
    static func open(_ call: RequestContext) throws -> HTTPResponse {
        let parameters = try call.query
        try parameters.checkNames(["class", "where", "as", "after", "ticket"])
        guard let className = try parameters["class"] else {
            throw Problem(.malformed, "`class` is missing: name the class of the objects")
        }
        let condition = try parameters["where"].map { text -> Condition in
            guard let json = try? JSONText.decode(Array(text.utf8)) else {
                throw Problem(.malformed, #"`where` is not JSON: write a condition such as {"pages":{"<":10}}"#)
            }
            return try Condition(filter: json)
        }
        let reader = try call.reader(named: parameters["as"].map { Name($0) })
        let store = try call.store
        let cursor = try call.feedCursor(head: store.head.revision)
        let query = Query(className, where: condition)
        // First the present: a client that has lost access gets the answer of `query`.
        _ = try store.query(query, as: reader)
        let changes = try cursor.start { try store.changes(of: query, as: reader, since: $0) }
        let feed = try call.openFeed(from: cursor, at: "\(cursor)", counting: call.service.operations.counts.changesSent) {
            try call.mayQuery(about: reader)
        }
        let sender = QueryChangeSender(changes, of: className, in: call.hosted?.name.text ?? "")
        feed.run(following: sender.position) { feed in await sender.send(to: feed) }
        return ServerSentEvent.response(feed.stream)
    }
}

/// The position of a feed of a query. It is an object and not local state, because the frames of a task are kept for each open stream.
private final class QueryChangeSender: @unchecked Sendable {
    private var iterator: QueryChangeSequence.Iterator
    private let digest: String
    private let className: String
    private let name: String

    init(_ changes: QueryChangeSequence, of className: String, in name: String) {
        iterator = changes.makeAsyncIterator()
        digest = Base64URL.encode(changes.digest)
        (self.className, self.name) = (className, name)
    }

    var position: FeedPosition { iterator.position }

    /// Sends changes until the client or the store ends the feed, or the query is refused. The client can resume after its last event.
    /// Must be called once.
    func send(to feed: LiveFeed) async {
        do {
            while true {
                await iterator.wait()
                // Changes are read only if they can be written at once, so that the caller may still learn them.
                try await feed.stream.drain()
                guard let changes = try iterator.look() else { return }
                for change in changes { try await feed.send(event(for: change), at: FeedCursor(change.revision)) }
            }
        } catch { return }
    }

    @inline(never) private func event(for change: QueryChange) -> [UInt8] {
        let (kind, more): (String, JSONObject)
        func list(_ names: [Name]) -> JSONValue { .array(names.map { .name($0) }) }
        switch change.kind {
        case .objects(let added, let changed, let removed):
            (kind, more) = ("changed", ["added": list(added), "changed": list(changed), "removed": list(removed)])
        case .reset: (kind, more) = ("reset", [:])
        case .ended(let refusal):
            let isAccess = [.noPrivilege, .notAuthenticated].contains(refusal.code)
            (kind, more) = (isAccess ? "accessEnded" : "queryRefused", ["code": .string(refusal.code.rawValue)])
        }
        let members: JSONObject = [
            "kind": .string(kind), "revision": .revision(change.revision), "time": .time(change.time), "class": .string(className),
        ]
        let event = CloudEvent(
            query: kind, of: className, id: "\(name)/\(change.revision)/\(digest)", in: name, at: change.time,
            data: members.with(more))
        return ServerSentEvent.event(event, at: FeedCursor(change.revision))
    }
}
