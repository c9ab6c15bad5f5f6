/// Encodes commits, without the hash that the log appends to each. `Docs/Format.md` describes every byte.
public enum CommitCodec {
    /// The version of the layout around the events; each event has a separate version.
    public static let formatVersion: UInt8 = 1

    /// Encodes a commit. Linear in its size.
    public static func encode(_ commit: Commit, into writer: inout ByteWriter) {
        writer.byte(formatVersion)
        writer.varint(commit.revision.rawValue)
        writer.fixed64(UInt64(bitPattern: commit.time.microseconds))
        writer.varint(commit.actor.rawValue)
        writer.origin(commit.origin)
        writer.varint(UInt64(commit.events.count))
        let events = commit.events.span
        for index in events.indices { encode(events[index], into: &writer) }
    }

    /// Encodes kind, version, length of the payload, payload. The length nearly always takes one byte, so one byte is reserved,
    /// and widened if necessary.
    private static func encode(_ event: Event, into writer: inout ByteWriter) {
        let kind = event.kind
        writer.byte(kind.rawValue)
        writer.byte(event.version)
        let lengthOffset = writer.bytes.count
        writer.byte(0)
        EventCodec.encode(event, into: &writer)
        let length = writer.bytes.count - lengthOffset - 1
        if length < 0x80 {
            writer.replaceByte(at: lengthOffset, with: UInt8(length))
        } else {
            var wide = ByteWriter(capacity: 8)
            wide.varint(UInt64(length))
            writer.replaceByte(at: lengthOffset, with: wide.bytes[0])
            writer.insert(wide.bytes.dropFirst(), at: lengthOffset + 1)
        }
    }

    /// Decodes a whole commit. Linear in its size.
    public static func decode(_ bytes: Span<UInt8>) throws(CodecError) -> Commit {
        var reader = ByteReader()
        var (commit, count) = try decodeHeader(bytes, &reader)
        commit.events.reserveCapacity(count)
        for _ in 0..<count { commit.events.append(try decodeEvent(bytes, &reader)) }
        guard reader.offset == bytes.count else { throw .malformed(what: "the end of the commit", offset: reader.offset) }
        return commit
    }

    /// Decodes a commit with only some of its events, and skips the others. Linear in the number of events up to the last index.
    ///
    /// The indexes are in ascending order; those beyond the last event of the commit are ignored.
    public static func decode(_ bytes: Span<UInt8>, eventsAt indexes: [Int]) throws(CodecError) -> Commit {
        var reader = ByteReader()
        var (commit, count) = try decodeHeader(bytes, &reader)
        var next = 0
        for index in indexes {
            guard index < count else { break }
            while next < index {
                _ = try (reader.byte(bytes), reader.byte(bytes), reader.range(bytes))
                next += 1
            }
            commit.events.append(try decodeEvent(bytes, &reader))
            next += 1
        }
        return commit
    }

    /// Decodes everything except the events. Takes constant time apart from the texts in the origin.
    public static func decodeHeader(_ bytes: Span<UInt8>) throws(CodecError) -> Commit {
        var reader = ByteReader()
        return try decodeHeader(bytes, &reader).0
    }

    private static func decodeHeader(
        _ bytes: Span<UInt8>, _ reader: inout ByteReader
    ) throws(CodecError) -> (Commit, eventCount: Int) {
        let version = try reader.byte(bytes)
        guard version == formatVersion else { throw .unknownFormat(version: version) }
        let revision = Revision(try reader.varint(bytes))
        let time = Instant(microseconds: Int64(bitPattern: try reader.fixed64(bytes)))
        let actor: PrincipalID = try reader.id(bytes)
        let origin = try reader.origin(bytes)
        let count = try reader.count(bytes)
        return (Commit(revision: revision, time: time, actor: actor, origin: origin, events: []), count)
    }

    private static func decodeEvent(_ bytes: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> Event {
        let rawKind = try reader.byte(bytes)
        let version = try reader.byte(bytes)
        let payload = try reader.range(bytes)
        guard let kind = Event.Kind(rawValue: rawKind), 1...kind.currentVersion ~= version else {
            throw .unknownEvent(kind: rawKind, version: version)
        }
        var inner = ByteReader(offset: payload.lowerBound)
        let event = try EventCodec.decode(kind, version: version, &inner, bytes)
        guard inner.offset == payload.upperBound else {
            throw .malformed(what: "the end of an event", offset: inner.offset)
        }
        return event
    }
}
