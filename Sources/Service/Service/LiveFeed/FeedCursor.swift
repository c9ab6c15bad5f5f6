internal import Events

/// How far a client has come in a feed: what `id:` says and `Last-Event-ID` brings back.
///
/// `42` is everything up to revision 42. `42.3` is everything up to revision 41, and the first three events of revision 42: the events
/// of a revision come in the same order every time, so that a client which leaves between them gets each exactly once.
struct FeedCursor: Hashable, Sendable, Comparable, CustomStringConvertible {
    let revision: Revision
    /// Events of the revision; nil where it is complete.
    let events: Int?

    init(_ revision: Revision, events: Int? = nil) {
        self.revision = revision
        self.events = events
    }

    /// Reads what ``description`` wrote; nil for any other text.
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

    /// Digits alone, without a sign or zeros before them.
    private static func number(_ text: Substring) -> UInt64? {
        guard let number = UInt64(text), String(number) == text else { return nil }
        return number
    }

    var description: String { events.map { "\(revision).\($0)" } ?? "\(revision)" }

    /// The revision up to which the client has everything.
    var complete: Revision { events == nil ? revision : Revision(revision.rawValue - 1) }

    static func < (left: FeedCursor, right: FeedCursor) -> Bool {
        if left.revision != right.revision { return left.revision < right.revision }
        return left.events ?? .max < right.events ?? .max
    }
}
