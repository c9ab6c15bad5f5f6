internal import Events

/// The text of a feed: server-sent events of the HTML standard.
enum ServerSentEvent {
    /// Milliseconds after which a client reconnects.
    static let retryMilliseconds = 2_000

    /// Returns the beginning of a feed: the time until a client reconnects, and its initial position.
    static func opening(at cursor: FeedCursor) -> [UInt8] {
        Array("retry: \(retryMilliseconds)\n\nid: \(cursor)\n\n".utf8)
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
    static func silence(at cursor: FeedCursor) -> [UInt8] { Array(":\nid: \(cursor)\n\n".utf8) }

    /// A heartbeat that does not change the client's position.
    static let heartbeat = Array(":\n\n".utf8)
}
