/// A commit as bytes, without the hash that the log puts behind it. `Docs/Format.md` describes every byte.
public enum CommitCodec {
    /// The version of the layout around the events; each event has a version of its own.
    public static let formatVersion: UInt8 = 1

    private enum OriginField {
        static let requestID: UInt8 = 1
        static let idempotencyKey: UInt8 = 2
        static let comment: UInt8 = 4
        static let importLine: UInt8 = 8
    }

    /// Linear in the size of the commit.
    public static func encode(_ commit: Commit, into writer: inout ByteWriter) {
        writer.byte(formatVersion)
        writer.varint(commit.revision.rawValue)
        writer.fixed64(UInt64(bitPattern: commit.time.microseconds))
        writer.varint(commit.actor.rawValue)
        encode(commit.origin, into: &writer)
        writer.varint(UInt64(commit.events.count))
        for event in commit.events { encode(event, into: &writer) }
    }

    private static func encode(_ origin: Origin, into writer: inout ByteWriter) {
        writer.byte(
            (origin.requestID == nil ? 0 : OriginField.requestID) | (origin.idempotencyKey == nil ? 0 : OriginField.idempotencyKey)
                | (origin.comment == nil ? 0 : OriginField.comment) | (origin.importLine == nil ? 0 : OriginField.importLine))
        if let requestID = origin.requestID { writer.text(requestID) }
        if let key = origin.idempotencyKey {
            writer.text(key)
            writer.blob(origin.requestDigest)
        }
        if let comment = origin.comment { writer.text(comment) }
        if let line = origin.importLine { writer.varint(line) }
    }

    /// Kind, version, length of the payload, payload. The length is nearly always one byte, so it is written as one and
    /// widened where it is not.
    private static func encode(_ event: Event, into writer: inout ByteWriter) {
        let kind = event.kind
        writer.byte(kind.rawValue)
        writer.byte(kind.currentVersion)
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
    public static func decode(_ bytes: Span<UInt8>) throws(DecodingFault) -> Commit {
        var reader = ByteReader()
        var (commit, count) = try decodeHeader(bytes, &reader)
        commit.events.reserveCapacity(count)
        for _ in 0..<count { commit.events.append(try decodeEvent(bytes, &reader)) }
        guard reader.offset == bytes.count else { throw .malformed(what: "the end of the commit", offset: reader.offset) }
        return commit
    }

    /// Decodes everything but the events. Constant time but for the texts in the origin.
    public static func decodeHeader(_ bytes: Span<UInt8>) throws(DecodingFault) -> Commit {
        var reader = ByteReader()
        return try decodeHeader(bytes, &reader).0
    }

    private static func decodeHeader(
        _ bytes: Span<UInt8>, _ reader: inout ByteReader
    ) throws(DecodingFault) -> (Commit, eventCount: Int) {
        let version = try reader.byte(bytes)
        guard version == formatVersion else { throw .unknownFormat(version: version) }
        let revision = Revision(try reader.varint(bytes))
        let time = Instant(microseconds: Int64(bitPattern: try reader.fixed64(bytes)))
        let actor: PrincipalID = try reader.id(bytes)
        let origin = try decodeOrigin(bytes, &reader)
        let count = try reader.count(bytes)
        return (Commit(revision: revision, time: time, actor: actor, origin: origin, events: []), count)
    }

    private static func decodeOrigin(_ bytes: Span<UInt8>, _ reader: inout ByteReader) throws(DecodingFault) -> Origin {
        let start = reader.offset
        let fields = try reader.byte(bytes)
        guard fields < 16 else { throw .malformed(what: "the origin", offset: start) }
        var origin = Origin()
        if fields & OriginField.requestID != 0 { origin.requestID = try reader.text(bytes) }
        if fields & OriginField.idempotencyKey != 0 {
            origin.idempotencyKey = try reader.text(bytes)
            origin.requestDigest = try reader.blob(bytes)
        }
        if fields & OriginField.comment != 0 { origin.comment = try reader.text(bytes) }
        if fields & OriginField.importLine != 0 { origin.importLine = try reader.varint(bytes) }
        return origin
    }

    private static func decodeEvent(_ bytes: Span<UInt8>, _ reader: inout ByteReader) throws(DecodingFault) -> Event {
        let rawKind = try reader.byte(bytes)
        let version = try reader.byte(bytes)
        let payload = try reader.range(bytes)
        guard let kind = Event.Kind(rawValue: rawKind), version == 1 else {
            throw .unknownEvent(kind: rawKind, version: version)
        }
        var inner = ByteReader(offset: payload.lowerBound)
        let event = try EventCodec.decode(kind, &inner, bytes)
        guard inner.offset == payload.upperBound else {
            throw .malformed(what: "the end of an event", offset: inner.offset)
        }
        return event
    }
}
