internal import Events

/// The range of times of a block's refusals, and the range of the last commits before them.
struct RefusalSpan {
    private(set) var earliest = Instant.forever
    private(set) var latest = Instant.distantPast
    private(set) var firstHead = Revision.genesis
    private(set) var lastHead = Revision.genesis
    private(set) var count = 0

    init() {}

    mutating func add(_ refusal: RecordedRefusal) {
        earliest = min(earliest, refusal.time)
        latest = max(latest, refusal.time)
        if count == 0 { firstHead = refusal.head }
        lastHead = refusal.head
        count += 1
    }

    func write(into writer: inout ByteWriter) {
        writer.fixed64(UInt64(bitPattern: earliest.microseconds))
        writer.fixed64(UInt64(bitPattern: latest.microseconds))
        writer.varint(firstHead.rawValue)
        writer.varint(lastHead.rawValue)
    }

    init(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(DecodingFault) {
        earliest = Instant(microseconds: Int64(bitPattern: try reader.fixed64(row)))
        latest = Instant(microseconds: Int64(bitPattern: try reader.fixed64(row)))
        firstHead = Revision(try reader.varint(row))
        lastHead = Revision(try reader.varint(row))
        count = AuditRecords.capacity
    }
}
