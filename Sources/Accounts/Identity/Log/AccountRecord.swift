internal import Primitives

/// A record of the log: all events of one change.
struct AccountRecord {
    let time: Instant
    let events: [LoggedEvent]
}

/// An event that was read from the log.
enum LoggedEvent: Hashable {
    case readable(IdentityEvent)
    /// The account's key is destroyed, so the personal data is lost.
    case forgotten(ErasedEvent)
}

/// The rest of an event after its account's key was destroyed.
enum ErasedEvent: Hashable {
    case accountOpened(AccountID)
    case sessionBegun(SessionID, AccountID)
    case other(AccountID)
}

/// Encodes a record, without the hash that the log appends. `Docs/Format.md` describes every byte.
enum AccountRecordCodec {
    /// The version of the layout around the events. Each event has a separate version.
    static let formatVersion: UInt8 = 1

    static func encode(
        _ events: [IdentityEvent], at time: Instant, as record: UInt64, sealedBy seals: some PersonalDataCipher,
        into writer: inout ByteWriter
    ) {
        writer.byte(formatVersion)
        writer.fixed64(UInt64(bitPattern: time.microseconds))
        writer.varint(UInt64(events.count))
        for (index, event) in events.enumerated() {
            let kind = event.kind
            let place = EncryptionContext(record: record, index: index, kind: kind.rawValue, version: kind.currentVersion)
            let payload = IdentityEventCodec.encode(event, at: place, sealedBy: seals)
            writer.byte(kind.rawValue)
            writer.byte(kind.currentVersion)
            writer.blob(payload)
        }
    }

    static func decode(
        _ bytes: Span<UInt8>, as record: UInt64, openedBy seals: some PersonalDataCipher
    ) throws -> AccountRecord {
        var reader = ByteReader()
        let format = try reader.byte(bytes)
        guard format == formatVersion else { throw AccountDatabaseError.unknownFormat(record: record, version: format) }
        let time = Instant(microseconds: Int64(bitPattern: try reader.fixed64(bytes)))
        let count = try reader.varint(bytes)
        guard count <= AccountChange.eventLimit else {
            throw CodecError.malformed(what: "the number of events", offset: reader.offset)
        }
        var events: [LoggedEvent] = []
        for index in 0..<Int(count) {
            let (rawKind, version) = (try reader.byte(bytes), try reader.byte(bytes))
            let payload = try reader.range(bytes)
            guard let kind = IdentityEvent.Kind(rawValue: rawKind), 1...kind.currentVersion ~= version else {
                throw CodecError.unknownEvent(kind: rawKind, version: version)
            }
            let place = EncryptionContext(record: record, index: index, kind: rawKind, version: version)
            events.append(try IdentityEventCodec.decode(kind, bytes.extracting(payload), at: place, openedBy: seals))
        }
        guard reader.offset == bytes.count else {
            throw CodecError.malformed(what: "the end of the record", offset: reader.offset)
        }
        return AccountRecord(time: time, events: events)
    }
}
