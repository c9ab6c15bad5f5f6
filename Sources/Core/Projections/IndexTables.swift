internal import Events
internal import Hashing
internal import LMDB

/// The tables of an index.
///
/// | table | key | row |
/// |---|---|---|
/// | state | `state` | the state that the index has folded |
/// | names | a name | its number |
/// | ids | a number | its name |
/// | documents | kind, number, version | an object, its value, a class, a permission, a principal's roles |
/// | relations | kind, two numbers, version | the relation between two entities |
/// | times | time, revision | empty |
/// | expiries | end, object, subject | empty: the pending ends |
/// | requests | hash of caller and idempotency key, for a refusal also of the request | revision, digest of the request, refusal |
/// | properties | present or past, class, property, value, object, version | the end of the version |
/// | audit | events or refusals, block | the search terms of the records in the block |
struct IndexTables: Sendable {
    /// The tables. The numbers are included in checksums, so that a row of one table is never accepted in another.
    enum Tag: UInt32, CaseIterable {
        case state = 1
        case names, ids, documents, relations, times, expiries, requests, properties, audit
    }

    static let names = ["state", "names", "ids", "documents", "relations", "times", "expiries", "requests", "properties", "audit"]

    private let tables: [Table]
    let soundBlocks = SoundBlocks()

    init(environment: Environment, creating: Bool) throws(StorageError) {
        tables = try Self.names.map { name throws(StorageError) in try environment.table(name, creating: creating) }
    }

    subscript(tag: Tag) -> Table { tables[Int(tag.rawValue) - 1] }

    /// Every table with its name, in the order of ``names``.
    var all: [(name: String, table: Table)] { Array(zip(Self.names, tables)) }

    static let stateKey = Array("state".utf8)

    /// The longest name that is its own key, in bytes.
    static let nameKeyBytes = 255
    /// The first byte of the key of a longer name, before the name's hash. No text begins with this byte.
    static let longNameMark: UInt8 = 0xFF

    /// Returns the key of a name: its bytes. A name that is too long for a key has the byte 0xFF, which never begins UTF-8, and
    /// its SHA-256.
    static func nameKey(_ name: String) -> [UInt8] {
        let bytes = Array(name.utf8)
        return bytes.count <= nameKeyBytes ? bytes : [longNameMark] + Digest(of: bytes.span).bytes
    }

    static func idKey(_ id: UInt64) -> FixedKey { FixedKey(UInt128(id), byteCount: 5) }

    /// Returns the key of a time. With an inverted sign bit, times keep their order as unsigned numbers.
    static func timeKey(_ time: Instant, _ revision: Revision) -> FixedKey {
        FixedKey(UInt128(time.ordered) << 40 | UInt128(revision.rawValue), byteCount: 13)
    }

    static func requestKey(actor: PrincipalID, idempotencyKey: String) -> FixedKey {
        let digest = Digest(of: Array("\(actor.rawValue):\(idempotencyKey)".utf8).span)
        return FixedKey(digest.bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }, byteCount: 16)
    }

    /// Returns the key of a refused request. Each request with an idempotency key has its own, so that another one can use the key.
    /// It does not have the number of the caller, since a node of a shared log may read a refusal before the caller's first commit.
    static func refusedRequestKey(_ request: KeyedRequest) -> FixedKey {
        var writer = ByteWriter()
        writer.text("refused")
        writer.text(request.caller)
        writer.text(request.key)
        writer.raw(request.digest)
        let digest = Digest(of: writer.bytes.span)
        return FixedKey(digest.bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }, byteCount: 16)
    }
}

extension Instant {
    /// The number with an unsigned order that equals the order of time.
    var ordered: UInt64 { UInt64(bitPattern: microseconds) ^ 1 << 63 }

    init(ordered: UInt64) { self.init(microseconds: Int64(bitPattern: ordered ^ 1 << 63)) }
}
