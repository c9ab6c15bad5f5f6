public import Events
internal import Hashing
public import Permissions
internal import Projections

/// Where a page of a query ended, for asking for the next one: of the same query, by the same caller, at the same revision.
///
/// As text it is opaque and can be handed to others and back. It holds no secret: the names in it are those of the last page.
public struct QueryCursor: Hashable, Sendable, CustomStringConvertible {
    /// The revision that all pages are about.
    public let revision: Revision
    let instant: Instant
    /// Tells the query and its caller from others.
    let digest: [UInt8]
    let position: QueryPosition

    private static let version: UInt8 = 1
    private static let checksumTag: UInt32 = 0x5143
    /// Bytes that a key in the index of properties can have, and some to spare.
    private static let keyLimit = 256

    init(revision: Revision, instant: Instant, digest: [UInt8], position: QueryPosition) {
        self.revision = revision
        self.instant = instant
        self.digest = digest
        self.position = position
    }

    /// The cursor as text, of letters, digits, `-` and `_`.
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

    /// A cursor from its text.
    ///
    /// - Parameter text: what ``description`` gave.
    /// - Throws: `Refusal` with `malformed` for any other text.
    public init(_ text: String) throws(Refusal) {
        guard let cursor = try? QueryCursor(decoding: text) else {
            throw Refusal(.malformed, "`\(Name(text).excerpt)` is no cursor: take the one that came with the page before")
        }
        self = cursor
    }

    private init(decoding text: String) throws {
        guard let bytes = OpaqueText.bytes(of: text, tag: Self.checksumTag) else { throw DecodingFault.truncated(offset: 0) }
        let body = bytes.span
        var reader = ByteReader()
        guard try reader.byte(body) == Self.version else { throw DecodingFault.unknownFormat(version: bytes[0]) }
        revision = Revision(try reader.varint(body))
        instant = Instant(microseconds: Int64(bitPattern: try reader.fixed64(body)))
        digest = try reader.blob(body)
        let object = ObjectID(rawValue: try reader.varint(body))
        var keys: [[UInt8]] = []
        for _ in 0..<(try reader.varint(body)) { keys.append(try reader.blob(body)) }
        position = QueryPosition(keys: keys, object: object)
    }

    /// Whether the position is one that this query can have.
    func fits(_ query: Query) -> Bool {
        position.keys.count == query.order.count && position.object.rawValue < 1 << 40
            && position.keys.allSatisfy { $0.count <= Self.keyLimit }
    }

    /// The first bytes of SHA-256 over everything in a query but the size of its pages, and its caller.
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
    /// Bytes that tell a condition from any other.
    fileprivate func write(into writer: inout ByteWriter) {
        switch self {
        case .compare(let property, let comparison, let value):
            writer.byte(1)
            writer.text(property)
            writer.text(comparison.rawValue)
            // A value that cannot be written as JSON is none that an object can have.
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
