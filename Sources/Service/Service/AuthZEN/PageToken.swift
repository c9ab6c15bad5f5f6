internal import Events
internal import Muniment

/// The position after a page of a search: the search, its moment, and the offset.
///
/// Its text form is opaque. It contains no secrets and gives no permissions: the caller that sends it must be allowed to search.
struct PageToken: Equatable {
    let revision: Revision
    let instant: Instant
    /// The most results on each page.
    let limit: Int
    /// The number of results on the previous pages.
    let offset: Int
    /// A digest of the request, from ``SearchRequest/digest()``.
    let digest: [UInt8]

    private static let version: UInt8 = 1
    private static let checksumTag: UInt32 = 0x415A

    /// Letters, digits, `-` and `_`.
    var text: String {
        var writer = ByteWriter()
        writer.byte(Self.version)
        writer.varint(revision.rawValue)
        writer.fixed64(UInt64(bitPattern: instant.microseconds))
        writer.varint(UInt64(limit))
        writer.varint(UInt64(offset))
        writer.blob(digest)
        return OpaqueText.text(of: writer.bytes, tag: Self.checksumTag)
    }
}

extension PageToken {
    /// The token of a text; nil for any other text.
    init?(_ text: String) {
        guard let bytes = OpaqueText.bytes(of: text, tag: Self.checksumTag), let token = try? PageToken(bytes) else { return nil }
        self = token
    }

    private init(_ bytes: [UInt8]) throws {
        let span = bytes.span
        var reader = ByteReader()
        guard try reader.byte(span) == Self.version else { throw CodecError.unknownFormat(version: bytes[0]) }
        revision = Revision(try reader.varint(span))
        instant = Instant(microseconds: Int64(bitPattern: try reader.fixed64(span)))
        limit = Int(clamping: try reader.varint(span))
        offset = Int(clamping: try reader.varint(span))
        digest = try reader.blob(span)
    }
}
