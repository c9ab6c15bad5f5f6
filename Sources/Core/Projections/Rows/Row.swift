internal import Events
internal import Hashing
internal import LMDB

/// The layout of a version's row: four bytes of checksum over the key and the rest, five bytes for the end revision, the payload.
///
/// Each version contains its end, so that an older version does not become valid again if a newer one is lost.
enum VersionRow {
    static let headerBytes = 9

    static func write(
        key: FixedKey, tag: UInt32, end: Revision, into writer: inout ByteWriter, _ payload: (inout ByteWriter) -> Void
    ) -> Range<Int> {
        let start = writer.bytes.count
        writer.fixed32(0)
        writer.bigEndian(end.rawValue, byteCount: 5)
        payload(&writer)
        let range = start..<writer.bytes.count
        writer.replaceFixed32(at: start, with: checksum(key, tag: tag, writer.bytes.span.extracting(range)))
        return range
    }

    /// Returns the end of the version, after checking its checksum.
    @inline(__always)
    static func end(key: FixedKey, tag: UInt32, _ row: Span<UInt8>) throws(IndexError) -> Revision {
        var reader = ByteReader()
        guard row.count >= headerBytes, let stored = try? reader.fixed32(row), stored == checksum(key, tag: tag, row) else {
            throw .damaged
        }
        var end: UInt64 = 0
        for index in 4..<headerBytes { end = end << 8 | UInt64(row[index]) }
        return Revision(end)
    }

    @inline(__always)
    static func checksum(_ key: FixedKey, tag: UInt32, _ row: Span<UInt8>) -> UInt32 {
        var checksum = Checksum(tag: tag)
        key.withBytes { checksum.combine($0) }
        checksum.combine(row.extracting(4..<row.count))
        return checksum.value
    }
}

/// The layout of a row without versions: four bytes of checksum over the key and the rest, the payload.
enum PlainRow {
    static func bytes(key: Span<UInt8>, tag: UInt32, _ payload: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        _ = write(key: key, tag: tag, into: &writer, payload)
        return writer.bytes
    }

    static func write(
        key: Span<UInt8>, tag: UInt32, into writer: inout ByteWriter, _ payload: (inout ByteWriter) -> Void
    ) -> Range<Int> {
        let start = writer.bytes.count
        writer.fixed32(0)
        payload(&writer)
        let range = start..<writer.bytes.count
        var checksum = Checksum(tag: tag)
        checksum.combine(key)
        checksum.combine(writer.bytes.span.extracting(start + 4..<range.upperBound))
        writer.replaceFixed32(at: start, with: checksum.value)
        return range
    }

    /// Checks a row; its payload begins at byte 4.
    static func check(key: Span<UInt8>, tag: UInt32, _ row: Span<UInt8>) throws(IndexError) {
        var reader = ByteReader()
        guard let stored = try? reader.fixed32(row) else { throw .damaged }
        var checksum = Checksum(tag: tag)
        checksum.combine(key)
        checksum.combine(row.extracting(4..<row.count))
        guard checksum.value == stored else { throw .damaged }
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
