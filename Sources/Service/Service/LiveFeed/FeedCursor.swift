internal import Events

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
