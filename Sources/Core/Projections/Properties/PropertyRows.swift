internal import Events

/// The numbers of a class's properties in keys. Each property receives one when the class first names it, and keeps it
/// permanently.
struct PropertySlots: Versioned {
    /// The name of each number.
    var names: [String]

    subscript(name: String) -> UInt16? {
        names.firstIndex { $0.utf8.elementsEqual(name.utf8) }.map { UInt16($0) }
    }

    func encode(into writer: inout ByteWriter) {
        writer.varint(UInt64(names.count))
        for name in names { writer.text(name) }
    }

    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> PropertySlots {
        var names: [String] = []
        for _ in 0..<(try reader.varint(row)) { names.append(try reader.text(row)) }
        return PropertySlots(names: names)
    }
}

/// The values of an object in the properties that its class names for queries.
struct ObjectProperties: Versioned {
    struct Item: Equatable {
        let slot: UInt16
        let key: PropertyKey
        /// The first revision with this value.
        let begin: Revision
    }

    let classID: ClassID
    /// Sorted by slot.
    var items: [Item]

    func encode(into writer: inout ByteWriter) {
        writer.varint(classID.rawValue)
        writer.varint(UInt64(items.count))
        for item in items {
            writer.varint(UInt64(item.slot))
            writer.varint(item.begin.rawValue)
            writer.blob(item.key.bytes)
        }
    }

    /// Calls `body` with the range of each property's key in a row, without decoding the keys.
    static func forEachKey(
        _ row: Span<UInt8>, _ body: (_ slot: UInt16, Range<Int>) -> Void
    ) throws(CodecError) {
        var reader = ByteReader(offset: VersionRow.headerBytes)
        _ = try reader.varint(row)
        for _ in 0..<(try reader.varint(row)) {
            let slot = UInt16(truncatingIfNeeded: try reader.varint(row))
            _ = try reader.varint(row)
            body(slot, try reader.range(row))
        }
    }

    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> ObjectProperties {
        let classID = ClassID(rawValue: try reader.varint(row))
        var items: [Item] = []
        for _ in 0..<(try reader.varint(row)) {
            let slot = UInt16(truncatingIfNeeded: try reader.varint(row))
            let begin = Revision(try reader.varint(row))
            items.append(Item(slot: slot, key: PropertyKey(bytes: try reader.blob(row)), begin: begin))
        }
        return ObjectProperties(classID: classID, items: items)
    }
}

/// The keys of the table `properties`: present or past, class, slot, value, object, inverted begin.
///
/// Past versions are stored separately, so that queries about the present do not become slower as the history grows.
enum PropertyRow {
    enum Part: UInt8 {
        case present = 0
        case past = 1
    }

    /// Returns the first bytes of the rows of a property.
    static func prefix(_ part: Part, _ classID: ClassID, _ slot: UInt16) -> [UInt8] {
        [part.rawValue] + bytes(classID.rawValue, count: 5) + bytes(UInt64(slot), count: 2)
    }

    /// Bytes before the value.
    static let prefixBytes = 8
    /// Bytes after the value.
    static let suffixBytes = 10

    static func key(
        _ part: Part, _ classID: ClassID, _ item: ObjectProperties.Item, _ object: ObjectID
    ) -> [UInt8] {
        prefix(part, classID, item.slot) + item.key.bytes + bytes(object.rawValue, count: 5)
            + bytes(item.begin.inverted, count: 5)
    }

    static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }

    static func number(_ bytes: Span<UInt8>, at range: Range<Int>) -> UInt64 {
        range.reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }
}
