internal import Events
internal import Muniment
internal import Notices
internal import Permissions
internal import Wire

/// An event of a store in the format of CloudEvents 1.0.
struct CloudEvent {
    let json: JSONObject

    private init(store: String, id: String, type: String, time: Instant, subject: String?, data: JSONValue) {
        var members: JSONObject = [
            "specversion": .string("1.0"), "id": .string(id), "source": .string("/v1/stores/\(store)"), "type": .string(type),
            "time": .time(time), "datacontenttype": .string("application/json"), "data": data,
        ]
        if let subject { members["subject"] = .string(subject) }
        json = members
    }

    /// Creates the event of a notice. The event's id is the same each time it is sent.
    ///
    /// - Parameters:
    ///   - notice: the notice.
    ///   - ordinal: the number of the notice among the subscriber's notices of its revision, from 1.
    ///   - subscriber: the subscriber who receives the notice.
    ///   - store: the name of the store.
    ///   - time: the time of the revision.
    init(_ notice: Notice, ordinal: Int, for subscriber: Name, in store: String, at time: Instant) {
        self.init(
            store: store, id: "\(store)/\(notice.revision)/\(subscriber)/\(ordinal)",
            type: "muniment.notice.\(notice.kind.rawValue)",
            time: time, subject: notice.object.text, data: .object(notice.json(at: time)))
    }

    /// Creates the event of a change of an object's value, or of the end of a feed of changes.
    init(change kind: String, of object: Name, id: String, in store: String, at time: Instant, data: JSONObject) {
        self.init(
            store: store, id: id, type: "muniment.change.\(kind)", time: time, subject: object.text, data: .object(data))
    }

    /// Creates the event of a change of the objects that a query finds, or of the end of a feed of a query.
    init(query kind: String, of className: String, id: String, in store: String, at time: Instant, data: JSONObject) {
        self.init(
            store: store, id: id, type: "muniment.query.\(kind)", time: time, subject: Name.class(className).text,
            data: .object(data))
    }

    /// Creates the event of a commit.
    init(_ described: DescribedCommit, in store: String) throws {
        let commit = described.commit
        self.init(
            store: store, id: "\(store)/\(commit.revision)", type: "muniment.commit", time: commit.time, subject: nil,
            data: try CommitDescription(described).json)
    }
}

/// The text of a feed: server-sent events of the HTML standard.
enum ServerSentEvent {
    /// Milliseconds after which a client reconnects.
    static let retryMilliseconds = 2_000

    /// Returns the beginning of a feed: the time until a client reconnects, and its initial position, if it has one.
    static func opening(at position: String?) -> [UInt8] {
        Array(("retry: \(retryMilliseconds)\n\n" + (position.map { "id: \($0)\n\n" } ?? "")).utf8)
    }

    /// Returns the text of an event.
    static func event(_ event: CloudEvent, at cursor: FeedCursor) -> [UInt8] {
        var bytes = Array("id: \(cursor)\ndata: ".utf8)
        var writer = JSONWriter()
        writer.write(.object(event.json))
        bytes += writer.written
        bytes += [0x0A, 0x0A]
        return bytes
    }

    /// Returns a text without an event that updates the client's position. A client that reconnects resumes from it.
    static func silence(at position: String) -> [UInt8] { Array(":\nid: \(position)\n\n".utf8) }

    /// A heartbeat that does not change the client's position.
    static let heartbeat = Array(":\n\n".utf8)
}

/// A client's position in a feed: the value of `id:`, which the client returns in `Last-Event-ID`.
///
/// `42` means all events up to revision 42. `42.3` means all events up to revision 41, and the first three events of revision 42. The
/// events of a revision always have the same order. A client that disconnects between them therefore gets each exactly once.
struct FeedCursor: Hashable, Sendable, Comparable, CustomStringConvertible {
    let revision: Revision
    /// Received events of the revision; nil if the client has all of them.
    let events: Int?

    init(_ revision: Revision, events: Int? = nil) {
        self.revision = revision
        self.events = events
    }

    /// Parses a text written by ``description``; nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = FeedCursor.number(parts[0]) else { return nil }
        if parts.count == 1 {
            self.init(Revision(number))
        } else {
            guard let events = FeedCursor.number(parts[1]).flatMap({ Int(exactly: $0) }), events > 0, number > 0 else { return nil }
            self.init(Revision(number), events: events)
        }
    }

    /// Parses a number of digits only, without a sign or leading zeros.
    private static func number(_ text: Substring) -> UInt64? {
        guard let number = UInt64(text), String(number) == text else { return nil }
        return number
    }

    var description: String { events.map { "\(revision).\($0)" } ?? "\(revision)" }

    /// The last revision that the client has completely.
    var complete: Revision { events == nil ? revision : Revision(revision.rawValue - 1) }

    static func < (left: FeedCursor, right: FeedCursor) -> Bool {
        if left.revision != right.revision { return left.revision < right.revision }
        return left.events ?? .max < right.events ?? .max
    }
}

extension FeedCursor {
    /// Begins an observation after the last revision that the client has completely. A refusal names the revision, because the present
    /// may be allowed.
    func start<Changes>(_ observe: (Revision) throws -> Changes) throws -> Changes {
        do { return try observe(complete) } catch let refusal as Refusal {
            throw Refusal(
                refusal.code,
                "at revision \(complete): \(refusal.message). Read the present, and open the feed without `after` and `Last-Event-ID`"
            )
        }
    }
}
