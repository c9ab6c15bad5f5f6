internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions
internal import Synchronization

/// The steps of a user's replica as server-sent events.
enum ReplicaStream {
    /// Opens a feed for a client that asks for one.
    static func open(_ call: RequestContext) throws -> HTTPResponse {
        let query = try call.query
        try query.checkNames(["class", "as", "after", "contains", "window", "ticket"])
        var arguments = Arguments(address: query)
        let window = try arguments.optionalNumber("window", 1...Int64.max).map { Int($0) }
        let user = try call.reader(named: query["as"].map { Name($0) })
        let text = try call.request.header("Last-Event-ID") ?? query["after"]
        let position = try text.flatMap { $0.isEmpty ? nil : try ReplicaPosition($0) }
        let commit = try query["contains"].map { try KnownCommit($0) }
        // A node may not have the commits of the other nodes yet.
        if let commit, try call.store.sharedLogStatus != nil, try call.store.head.revision < commit.revision {
            if call.canWait { try call.store.catchUp() } else { try call.requireVisible(commit.revision) }
        }
        let replica = try call.store.replica(of: user, classes: query.all("class"), after: position, containing: commit)
        // A client sends its transactions after it was told that its position belongs to the history: not before a fill.
        let opening = replica.isFilling ? nil : position?.description
        let feed = try call.openFeed(
            from: FeedCursor(replica.revision), at: opening, counting: call.service.operations.counts.replicaWrites,
            positionText: { try? replica.position(at: $0.revision).description },
            while: { try call.mayQuery(about: user) })
        let sender = ReplicaSender(replica, call.service.liveFeeds.replicaTexts, window: window)
        feed.run(following: sender.position) { feed in await sender.send(to: feed) }
        return ServerSentEvent.response(feed.stream)
    }
}

/// The position of a replica's feed. It is an object and not local state, because the frames of a task are kept for each open stream.
private final class ReplicaSender: @unchecked Sendable {
    private var iterator: ReplicaFeed.Iterator
    private var revision: Revision
    private var writer: ReplicaEventWriter
    /// The bytes of a fill that may still be sent; nil without a limit.
    private var window: Int?

    init(_ replica: ReplicaFeed, _ texts: ReplicaTexts, window: Int?) {
        self.window = window
        writer = ReplicaEventWriter(texts)
        iterator = replica.makeAsyncIterator()
        revision = replica.revision
    }

    var position: FeedPosition { iterator.position }

    /// Sends steps until the client or the store ends the feed, or the window of a fill is used up. The client can resume after its last
    /// event. Must be called once.
    func send(to feed: LiveFeed) async {
        do {
            while true {
                await iterator.wait()
                // Parts are read only if they can be written at once, so that the user may still read them.
                try await feed.stream.drain()
                guard let parts = try iterator.look() else { return }
                guard !parts.isEmpty else { continue }
                let events = events(for: parts)
                try await feed.send(events, at: FeedCursor(revision))
                if isUsedUp(by: parts, events.count) { return }
            }
        } catch { return }
    }

    /// Counts the bytes of a fill, and returns whether it must be resumed on another connection.
    private func isUsedUp(by parts: [ReplicaPart], _ bytes: Int) -> Bool {
        guard let left = window, case .objects(let objects)? = parts.last, objects.position != nil else { return false }
        window = left - bytes
        return bytes >= left
    }

    @inline(never) private func events(for parts: [ReplicaPart]) -> [UInt8] {
        for part in parts { if case .end(let end) = part { revision = end.revision } }
        return writer.events(for: parts)
    }
}

/// The texts of the last steps: replicas of the same commit mostly send the same ones.
final class ReplicaTexts: Sendable {
    private struct Texts {
        var objects: [(ReplicaObjects, [UInt8])] = []
        var ends: [(ReplicaEnd, [UInt8])] = []
    }

    /// The number of texts kept of each kind.
    private static let limit = 8

    private let texts = Mutex(Texts())

    /// Returns the text of the objects of a step. Equal lists that replicas share are compared by their address.
    func text(of objects: ReplicaObjects, _ make: () -> [UInt8]) -> [UInt8] {
        if let known = texts.withLock({ $0.objects.first { $0.0 == objects } }) { return known.1 }
        let made = make()
        texts.withLock { Self.add((objects, made), to: &$0.objects) }
        return made
    }

    /// Returns the text of the end of a step, without its position.
    func text(of end: ReplicaEnd, _ make: () -> [UInt8]) -> [UInt8] {
        let known = texts.withLock { texts in
            texts.ends.first { $0.0.revision == end.revision && $0.0.time == end.time && $0.0.classes == end.classes }
        }
        if let known { return known.1 }
        let made = make()
        texts.withLock { Self.add((end, made), to: &$0.ends) }
        return made
    }

    private static func add<Key>(_ text: (Key, [UInt8]), to texts: inout [(Key, [UInt8])]) {
        if texts.count == limit { texts.removeLast() }
        texts.insert(text, at: 0)
    }
}

/// Writes the parts of steps as server-sent events.
struct ReplicaEventWriter {
    private let texts: ReplicaTexts
    /// The JSON of the privileges that were written last: many objects have the same.
    private var last: (privileges: [ReplicaPrivilege], json: [UInt8]) = ([], Array("{}".utf8))
    /// Whether the step is a fill, whose objects are only for this replica.
    private var isFill = false

    init(_ texts: ReplicaTexts) { self.texts = texts }

    mutating func events(for parts: [ReplicaPart]) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        for part in parts {
            switch part {
            case .begin(let kind, let position):
                head("begin", position, &writer)
                if case .changes = kind { isFill = false } else { isFill = true }
                write(kind, &writer)
            case .objects(let objects):
                head("objects", objects.position, &writer)
                if isFill {
                    write(objects, &writer)
                } else {
                    writer.raw(texts.text(of: objects) { separately { $0.write(objects, &$1) } })
                }
            case .end(let end):
                head("end", end.position, &writer)
                writer.raw(texts.text(of: end) { separately { $0.write(end, &$1) } })
            }
            writer.raw("\n\n")
        }
        return writer.written
    }

    private mutating func separately(_ write: (inout ReplicaEventWriter, inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        write(&self, &writer)
        return writer.written
    }

    private func head(_ event: String, _ position: ReplicaPosition?, _ writer: inout JSONWriter) {
        writer.raw("event: ")
        writer.raw(event)
        if let position {
            writer.raw("\nid: ")
            writer.raw(position.description)
        }
        writer.raw("\ndata: ")
    }

    private func write(_ kind: ReplicaStepKind, _ writer: inout JSONWriter) {
        switch kind {
        case .fill(.first): writer.raw("{\"kind\":\"fill\"}")
        case .fill(.resumed): writer.raw("{\"kind\":\"fill\",\"resumed\":true}")
        case .fill(.restored): writer.raw("{\"kind\":\"fill\",\"reset\":\"restored\"}")
        case .changes(let revision): writer.raw("{\"after\":\(revision),\"kind\":\"changes\"}")
        }
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
