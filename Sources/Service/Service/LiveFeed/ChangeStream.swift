internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions

/// A live feed of the changes of an object's value, as server-sent events.
///
/// It sends what ``Muniment/Store/observe(_:at:as:since:)`` delivers, and the end of the observation as the last event. A value is sent
/// only if the reader may read the object at the revision of the change and at the moment of sending.
enum ChangeStream {
    /// Opens a feed for a client that may read the object, now and at the client's position.
    static func open(_ call: RequestContext) throws -> HTTPResponse {
        let query = try call.query
        try query.checkNames(["as", "path", "after", "ticket"])
        let reader = try call.reader(named: query["as"].map { Name($0) })
        let object = Name(call.parameter("object"))
        let store = try call.store
        let cursor = try call.feedCursor(head: store.head.revision)
        let pointer = try query["path"] ?? ""
        let path = try JSONPath(pointer: pointer)
        // First the present: a client that has lost access gets the answer of `readObject`.
        try store.read { try $0.requireReadable(object, to: reader) }
        let changes = try cursor.start { try store.observe(object, at: path, as: reader, since: $0) }
        let feed = try call.openFeed(from: cursor, at: "\(cursor)", counting: call.service.operations.counts.changesSent) {
            try call.mayQuery(about: reader)
        }
        let source = ChangeSource(store: store, name: call.hosted?.name.text ?? "", object: object, pointer: pointer)
        let sender = ChangeSender(changes.makeAsyncIterator(), from: cursor, source)
        feed.run(following: sender.position) { feed in await sender.send(to: feed) }
        return ServerSentEvent.response(feed.stream)
    }
}

/// The subject of the events of a feed of changes.
private struct ChangeSource {
    let store: Store
    /// The name of the store.
    let name: String
    let object: Name
    /// The path in the value, as the client has written it.
    let pointer: String

    /// Returns an event.
    ///
    /// - Parameters:
    ///   - kind: the kind of the change, or of the end.
    ///   - cursor: the client's position after the event.
    ///   - ordinal: the number of the event among those of its revision, from 1.
    ///   - time: the time of the revision.
    ///   - data: further members.
    func event(_ kind: String, at cursor: FeedCursor, ordinal: Int, time: Instant, _ data: JSONObject = [:]) -> [UInt8] {
        // A name may contain slashes. Encoded, it cannot be taken for another name with a path.
        let id = "\(name)/\(cursor.revision)/\(object.text.percentEncoded)\(pointer)/\(ordinal)"
        let members: JSONObject = [
            "kind": .string(kind), "revision": .revision(cursor.revision), "time": .time(time),
            "completesRevision": .bool(cursor.events == nil),
        ]
        let event = CloudEvent(change: kind, of: object, id: id, in: name, at: time, data: members.with(data))
        return ServerSentEvent.event(event, at: cursor)
    }
}

/// The position of a feed of changes. It is an object and not local state, because the frames of a task are kept for each open stream.
private final class ChangeSender: @unchecked Sendable {
    private var iterator: ObservedChangeSequence.Iterator
    private let cursor: FeedCursor
    private let source: ChangeSource
    private var (revision, ordinal) = (Revision.genesis, 0)
    /// False from the first change that was not sent because the reader may no longer read the object. The end of the observation
    /// follows.
    private var mayRead = true

    init(_ iterator: ObservedChangeSequence.Iterator, from cursor: FeedCursor, _ source: ChangeSource) {
        (self.iterator, self.cursor, self.source) = (iterator, cursor, source)
    }

    var position: FeedPosition { iterator.position }

    /// Sends changes until the client or the store ends the feed, or the observation ends. The client can resume after its last
    /// event. Must be called once.
    func send(to feed: LiveFeed) async {
        do {
            while let change = try await iterator.next() {
                guard let reached = advance(to: change) else { continue }
                // A value is sent only if it can be written at once, so that the reader may still read it.
                try await feed.stream.drain()
                mayRead = mayRead && iterator.mayReadNow()
                if mayRead { try await feed.send(event(for: change, at: reached), at: reached) }
                // Other feeds on the same thread run between two changes.
                await Task.yield()
            }
        } catch let end as ObservationError {
            try? await send(end, to: feed)
        } catch { return }
    }

    /// Returns the client's position after a change; nil if the client already had it.
    private func advance(to change: ObservedChange) -> FeedCursor? {
        ordinal = change.revision == revision ? ordinal + 1 : 1
        revision = change.revision
        let reached = FeedCursor(revision, events: change.isLastOfRevision ? nil : ordinal)
        return reached > cursor ? reached : nil
    }

    @inline(never) private func event(for change: ObservedChange, at reached: FeedCursor) -> [UInt8] {
        source.event(change.kind.name, at: reached, ordinal: ordinal, time: change.time, change.kind.members)
    }

    /// Sends the reason of the end, if the end belongs to the object.
    private func send(_ end: ObservationError, to feed: LiveFeed) async throws {
        let (kind, revision): (String, Revision)
        switch end {
        case .accessEnded(let at): (kind, revision) = ("accessEnded", at)
        case .objectDeleted(let at): (kind, revision) = ("objectDeleted", at)
        case .storeClosed, .unreadable: return
        }
        let reached = FeedCursor(revision)
        let event = source.event(kind, at: reached, ordinal: 1, time: try source.store.time(of: revision))
        try await feed.send(event, at: reached)
    }
}

extension ObservedChange {
    /// Whether no other change of the revision follows.
    fileprivate var isLastOfRevision: Bool { if case .valueChanged = kind { true } else { false } }
}

extension ObservedChange.Kind {
    fileprivate var name: String {
        switch self {
        case .childAdded: "childAdded"
        case .childChanged: "childChanged"
        case .childRemoved: "childRemoved"
        case .valueChanged: "valueChanged"
        }
    }

    /// The name of the child, and the new value. A client has the earlier value.
    fileprivate var members: JSONObject {
        switch self {
        case .childAdded(let name, let value): ["name": .string(name), "value": value]
        case .childChanged(let name, before: _, after: let value): ["name": .string(name), "value": value]
        case .childRemoved(let name, before: _): ["name": .string(name)]
        case .valueChanged(before: _, after: let value): value.map { ["value": $0] } ?? [:]
        }
    }
}

extension JSONPath {
    /// Parses a JSON Pointer (RFC 6901), such as `/address/city`; empty for the whole value.
    fileprivate init(pointer: String) throws(Problem) {
        guard pointer.isEmpty || pointer.hasPrefix("/") else {
            throw Problem(.malformed, "`path` does not begin with a slash: give a JSON Pointer, such as `/address/city`")
        }
        let names = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for name in names where name.contains(/~(?![01])/) {
            throw Problem(.malformed, "`path` has `~` without 0 or 1 after it: write `~0` for `~`, and `~1` for `/` in a name")
        }
        self.init(names.map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") })
    }
}
