internal import Events
internal import Hashing
internal import LMDB

/// The layout of a version's row: four bytes of checksum over the key and the rest, five bytes for the end revision, the payload.
///
/// Each version contains its end, so that an older version does not become valid again if a newer one is lost.
enum VersionRow {
    static let headerBytes = 9

    static func write(
        key: FixedKey, tag: IndexTables.Tag, end: Revision, into writer: inout ByteWriter, _ payload: (inout ByteWriter) -> Void
    ) -> Range<Int> {
        key.withBytes { key in
            PlainRow.write(key: key, tag: tag, into: &writer) { writer in
                writer.bigEndian(end.rawValue, byteCount: 5)
                payload(&writer)
            }
        }
    }

    /// Returns the end of the version, after checking its checksum.
    @inline(__always)
    static func end(key: FixedKey, tag: IndexTables.Tag, _ row: Span<UInt8>) throws(IndexError) -> Revision {
        try key.withBytes { key throws(IndexError) in try end(key: key, tag: tag, row) }
    }

    /// Returns the end of a version under a key of any length, after checking its checksum.
    @inline(__always)
    static func end(key: Span<UInt8>, tag: IndexTables.Tag, _ row: Span<UInt8>) throws(IndexError) -> Revision {
        try PlainRow.check(key: key, tag: tag, row)
        guard row.count >= headerBytes else { throw .damaged }
        var end: UInt64 = 0
        for index in 4..<headerBytes { end = end << 8 | UInt64(row[index]) }
        return Revision(end)
    }
}

/// The layout of a row without versions: four bytes of checksum over the key and the rest, the payload.
enum PlainRow {
    static func bytes(key: Span<UInt8>, tag: IndexTables.Tag, _ payload: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        _ = write(key: key, tag: tag, into: &writer, payload)
        return writer.bytes
    }

    @inline(__always)
    static func write(
        key: Span<UInt8>, tag: IndexTables.Tag, into writer: inout ByteWriter, _ payload: (inout ByteWriter) -> Void
    ) -> Range<Int> {
        let start = writer.bytes.count
        writer.fixed32(0)
        payload(&writer)
        let range = start..<writer.bytes.count
        writer.replaceFixed32(at: start, with: checksum(key, tag, writer.bytes.span.extracting(range)))
        return range
    }

    /// Checks a row; its payload begins at byte 4.
    @inline(__always)
    static func check(key: Span<UInt8>, tag: IndexTables.Tag, _ row: Span<UInt8>) throws(IndexError) {
        var reader = ByteReader()
        guard let stored = try? reader.fixed32(row), stored == checksum(key, tag, row) else { throw .damaged }
    }

    @inline(__always)
    private static func checksum(_ key: Span<UInt8>, _ tag: IndexTables.Tag, _ row: Span<UInt8>) -> UInt32 {
        var checksum = Checksum(tag: tag.rawValue)
        checksum.combine(key)
        checksum.combine(row.extracting(4..<row.count))
        return checksum.value
    }
}

/// A problem of an index. An index can always be rebuilt from the log.
public enum IndexError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A row does not match its checksum.
    case damaged
    /// The index does not exist, has another version, or does not belong to the log.
    case unusable(String)

    public var description: String {
        switch self {
        case .damaged: "a row of the index is damaged: `muniment rebuild` rebuilds the index from the log"
        case .unusable(let why): "the index cannot be used (\(why)): `muniment rebuild` rebuilds it from the log"
        }
    }
}
