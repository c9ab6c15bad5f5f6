internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions

/// The steps of a user's replica as server-sent events.
enum ReplicaStream {
    /// Opens a feed for a client that asks for one.
    static func open(_ call: RequestContext) throws -> HTTPResponse {
        let query = try call.query
        try query.checkNames(["class", "as", "after", "ticket"])
        let user = try call.reader(named: query["as"].map { Name($0) })
        let text = try call.request.header("Last-Event-ID") ?? query["after"]
        let position = try text.flatMap { $0.isEmpty ? nil : try ReplicaPosition($0) }
        let replica = try call.store.replica(of: user, classes: query.all("class"), after: position)
        // A client sends its transactions after it was told that its position belongs to the history: not before a fill.
        let opening = replica.isFilling ? nil : position?.description
        let feed = try call.openFeed(
            from: FeedCursor(replica.revision), at: opening, counting: call.service.operations.counts.replicaWrites,
            positionText: { try? replica.position(at: $0.revision).description },
            while: { try call.mayQuery(about: user) })
        let sender = ReplicaSender(replica)
        feed.run(following: sender.position) { feed in await sender.send(to: feed) }
        return ServerSentEvent.response(feed.stream)
    }
}

/// The position of a replica's feed. It is an object and not local state, because the frames of a task are kept for each open stream.
private final class ReplicaSender: @unchecked Sendable {
    private var iterator: ReplicaFeed.Iterator
    private var revision: Revision
    private var writer = ReplicaEventWriter()

    init(_ replica: ReplicaFeed) {
        iterator = replica.makeAsyncIterator()
        revision = replica.revision
    }

    var position: FeedPosition { iterator.position }

    /// Sends steps until the client or the store ends the feed. The client can resume after its last event. Must be called once.
    func send(to feed: LiveFeed) async {
        do {
            // Parts are read only if they can be written at once, so that the user may still read them.
            try await feed.stream.drain()
            while let parts = try await iterator.next() {
                try await feed.send(events(for: parts), at: FeedCursor(revision))
                try await feed.stream.drain()
            }
        } catch { return }
    }

    @inline(never) private func events(for parts: [ReplicaPart]) -> [UInt8] {
        for part in parts { if case .end(let end) = part { revision = end.revision } }
        return writer.events(for: parts)
    }
}

/// Writes the parts of steps as server-sent events.
struct ReplicaEventWriter {
    /// The JSON of the privileges that were written last: many objects have the same.
    private var last: (privileges: [ReplicaPrivilege], json: [UInt8]) = ([], Array("{}".utf8))

    mutating func events(for parts: [ReplicaPart]) -> [UInt8] {
        var writer = JSONWriter()
        for part in parts {
            switch part {
            case .begin(let kind, let position):
                head("begin", position, &writer)
                writer.write(.object(kind.json))
            case .objects(let objects):
                head("objects", objects.position, &writer)
                write(objects, &writer)
            case .end(let end):
                head("end", end.position, &writer)
                write(end, &writer)
            }
            writer.raw("\n\n")
        }
        return writer.written
    }

    private func head(_ event: String, _ position: ReplicaPosition?, _ writer: inout JSONWriter) {
        writer.raw("event: \(event)\n")
        if let position { writer.raw("id: \(position)\n") }
        writer.raw("data: ")
    }

    private mutating func write(_ objects: ReplicaObjects, _ writer: inout JSONWriter) {
        writer.raw("{\"changed\":[")
        for (index, object) in objects.changed.enumerated() {
            writer.raw(index > 0 ? ",{\"changed\":" : "{\"changed\":")
            writer.raw("\(object.changed)")
            writer.raw(",\"class\":")
            writer.write(object.className)
            writer.raw(",\"object\":")
            writer.write(object.name)
            if let parent = object.parent {
                writer.raw(",\"parent\":")
                writer.write(parent)
            }
            write(object.privileges, &writer)
            writer.raw(",\"value\":")
            // A stored value is JSON on one line.
            writer.raw(object.value)
            writer.raw("}")
        }
        writer.raw("],\"removed\":")
        writer.writeList(objects.removed) { $0.write($1) }
        writer.raw("}")
    }

    private mutating func write(_ end: ReplicaEnd, _ writer: inout JSONWriter) {
        writer.raw("{\"classes\":[")
        for (index, found) in end.classes.enumerated() {
            writer.raw(index > 0 ? ",{\"class\":" : "{\"class\":")
            writer.write(found.name)
            write(found.privileges, &writer)
            writer.raw("}")
        }
        writer.raw("],\"revision\":\(end.revision),\"time\":")
        writer.write("\(end.time)")
        writer.raw("}")
    }

    /// Writes the member `privileges`, after another member.
    private mutating func write(_ privileges: [ReplicaPrivilege], _ writer: inout JSONWriter) {
        if privileges != last.privileges {
            var members = JSONWriter()
            members.writeMembers(privileges.lazy.map { ($0.name, $0.until) }) { writer, until in
                writer.write(until.map(JSONValue.time) ?? .null)
            }
            last = (privileges, members.written)
        }
        writer.raw(",\"privileges\":")
        writer.raw(last.json)
    }
}

extension ReplicaStepKind {
    fileprivate var json: JSONObject {
        switch self {
        case .fill(.first): ["kind": .string("fill")]
        case .fill(.resumed): ["kind": .string("fill"), "resumed": .bool(true)]
        case .fill(.restored): ["kind": .string("fill"), "reset": .string("restored")]
        case .changes(let revision): ["kind": .string("changes"), "after": .revision(revision)]
        }
    }
}
