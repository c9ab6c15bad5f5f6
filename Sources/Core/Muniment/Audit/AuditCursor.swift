internal import Events
public import Permissions
internal import Projections

/// The position after a page of the audit. It returns the next page of the same list of the same store, at any later time.
///
/// Its text form is opaque and may be given to clients. It contains only positions in the list.
public struct AuditCursor: Hashable, Sendable, CustomStringConvertible {
    /// Oldest first: the next event to return. Newest first: the last event returned.
    let events: EventPosition
    /// The same position for refused commands.
    let refusals: RefusalNumber
    /// A digest of the filter, to reject a cursor that is used with another filter.
    let filter: [UInt8]
    /// A digest of the store's history up to the position, to reject a cursor of another history.
    let history: [UInt8]

    private static let version: UInt8 = 1
    private static let checksumTag: UInt32 = 0xA0D1
}

extension AuditCursor {
    /// The cursor as text. It contains letters, digits, `-` and `_`.
    public var description: String {
        var writer = ByteWriter()
        writer.byte(Self.version)
        writer.varint(events.revision.rawValue)
        writer.varint(events.index)
        writer.varint(refusals.rawValue)
        writer.blob(filter)
        writer.blob(history)
        return OpaqueText.text(of: writer.bytes, tag: Self.checksumTag)
    }

    /// Creates a cursor from its text.
    ///
    /// - Parameter text: a value of ``description``.
    /// - Throws: `Refusal` with `malformed` for any other text.
    public init(_ text: String) throws(Refusal) {
        guard let cursor = OpaqueText.bytes(of: text, tag: Self.checksumTag).flatMap({ try? AuditCursor(decoding: $0) }) else {
            throw Refusal(
                .malformed, "`\(Name(text).excerpt)` is not a cursor of the audit: pass the cursor of the previous page unchanged")
        }
        self = cursor
    }

    private init(decoding bytes: [UInt8]) throws(CodecError) {
        let bytes = bytes.span
        var reader = ByteReader()
        let version = try reader.byte(bytes)
        guard version == Self.version else { throw .unknownFormat(version: version) }
        let revision = Revision(try reader.varint(bytes))
        let (events, refusals) = (EventPosition(revision, try reader.varint(bytes)), RefusalNumber(try reader.varint(bytes)))
        let (filter, history) = (try reader.blob(bytes), try reader.blob(bytes))
        guard reader.offset == bytes.count, revision < .open, refusals >= .first else {
            throw .malformed(what: "a cursor", offset: reader.offset)
        }
        self.init(events: events, refusals: refusals, filter: filter, history: history)
    }
}
