internal import Events

/// The text of a feed, as the HTML standard has it for server-sent events.
enum ServerSentEvent {
    /// Milliseconds after which a client comes back.
    static let retryMilliseconds = 2_000

    /// What a feed begins with: when to come back, and from where, also before anything happened.
    static func opening(at cursor: FeedCursor) -> [UInt8] {
        Array("retry: \(retryMilliseconds)\n\nid: \(cursor)\n\n".utf8)
    }

    /// Something happened.
    static func event(_ event: CloudEvent, at cursor: FeedCursor) -> [UInt8] {
        var bytes = Array("id: \(cursor)\ndata: ".utf8)
        var writer = JSONWriter()
        writer.write(.object(event.json))
        bytes += writer.written
        bytes += [0x0A, 0x0A]
        return bytes
    }

    /// Nothing happened up to here; the client goes on from there when it comes back.
    static func silence(at cursor: FeedCursor) -> [UInt8] { Array(":\nid: \(cursor)\n\n".utf8) }

    /// A sign of life.
    static let heartbeat = Array(":\n\n".utf8)
}
