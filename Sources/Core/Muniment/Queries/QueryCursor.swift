public import Events
internal import Hashing
public import Permissions
internal import Projections

/// The position after a page of a query. It returns the next page of the same query by the same caller at the same revision.
///
/// Its text form is opaque and may be given to clients. It contains no secrets: its names are those of the last page.
public struct QueryCursor: Hashable, Sendable, CustomStringConvertible {
    /// The revision of all pages.
    public let revision: Revision
    let instant: Instant
    /// A digest of the query and its caller, to reject a cursor that is used with another query.
    let digest: [UInt8]
    let position: QueryPosition

    private static let version: UInt8 = 1
    private static let checksumTag: UInt32 = 0x5143
    /// The largest size of a key in the index of properties, in bytes, with a margin.
    private static let keyLimit = 256
}

extension QueryCursor {
    /// The cursor as text. It contains letters, digits, `-` and `_`.
    public var description: String {
        var writer = ByteWriter()
        writer.byte(Self.version)
        writer.varint(revision.rawValue)
        writer.fixed64(UInt64(bitPattern: instant.microseconds))
        writer.blob(digest)
        writer.varint(position.object.rawValue)
        writer.varint(UInt64(position.keys.count))
        for key in position.keys { writer.blob(key) }
        return OpaqueText.text(of: writer.bytes, tag: Self.checksumTag)
    }

    /// Creates a cursor from its text.
    ///
    /// - Parameter text: a value of ``description``.
    /// - Throws: `Refusal` with `malformed` for any other text.
    public init(_ text: String) throws(Refusal) {
        guard let cursor = OpaqueText.bytes(of: text, tag: Self.checksumTag).flatMap({ try? QueryCursor(decoding: $0) }) else {
            throw Refusal(.malformed, "`\(Name(text).excerpt)` is not a cursor: pass the cursor of the previous page unchanged")
        }
        self = cursor
    }

    private init(decoding bytes: [UInt8]) throws(CodecError) {
        let body = bytes.span
        var reader = ByteReader()
        guard try reader.byte(body) == Self.version else { throw .unknownFormat(version: bytes[0]) }
        let revision = Revision(try reader.varint(body))
        let instant = Instant(microseconds: Int64(bitPattern: try reader.fixed64(body)))
        let digest = try reader.blob(body)
        let object = ObjectID(rawValue: try reader.varint(body))
        var keys: [[UInt8]] = []
        for _ in 0..<(try reader.varint(body)) { keys.append(try reader.blob(body)) }
        self.init(revision: revision, instant: instant, digest: digest, position: QueryPosition(keys: keys, object: object))
    }

    /// Returns whether the position is possible for this query.
    func fits(_ query: Query) -> Bool {
        position.keys.count == query.order.count && position.object.rawValue < 1 << 40
            && position.keys.allSatisfy { $0.count <= Self.keyLimit }
    }

    /// Returns the first bytes of SHA-256 of the caller and of the query without its page size.
    static func digest(_ query: Query, as caller: Name) -> [UInt8] {
        var writer = ByteWriter()
        writer.text(caller.text)
        writer.text(query.className)
        writer.varint(UInt64(query.order.count))
        for order in query.order {
            writer.byte(order.isDescending ? 1 : 0)
            writer.text(order.property)
        }
        query.condition?.write(into: &writer)
        return Array(Digest(of: writer.bytes.span).bytes.prefix(8))
    }
}

extension Condition {
    /// Writes bytes that are different for each condition.
    fileprivate func write(into writer: inout ByteWriter) {
        switch self {
        case .compare(let property, let comparison, let value):
            writer.byte(1)
            writer.text(property)
            writer.text(comparison.rawValue)
            // An object cannot have a value that JSON cannot represent.
            writer.blob((try? JSONText.encode(value)) ?? [])
        case .hasPrefix(let property, let prefix):
            writer.byte(2)
            writer.text(property)
            writer.text(prefix)
        case .all(let conditions): write(3, conditions, into: &writer)
        case .any(let conditions): write(4, conditions, into: &writer)
        }
    }

    private func write(_ kind: UInt8, _ conditions: [Condition], into writer: inout ByteWriter) {
        writer.byte(kind)
        writer.varint(UInt64(conditions.count))
        for condition in conditions { condition.write(into: &writer) }
    }
}
