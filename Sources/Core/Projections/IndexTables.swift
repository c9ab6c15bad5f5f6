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
/// | requests | hash of caller and idempotency key | the revision and the digest of the request |
/// | properties | present or past, class, property, value, object, version | the end of the version |
/// | audit | events or refusals, block | the search terms of the records in the block |
struct IndexTables: Sendable {
    /// The numbers included in checksums, so that a row of one table is never accepted in another.
    enum Tag {
        static let state: UInt32 = 1
        static let names: UInt32 = 2
        static let ids: UInt32 = 3
        static let documents: UInt32 = 4
        static let relations: UInt32 = 5
        static let times: UInt32 = 6
        static let expiries: UInt32 = 7
        static let requests: UInt32 = 8
        static let properties: UInt32 = 9
        static let audit: UInt32 = 10
    }

    static let names = ["state", "names", "ids", "documents", "relations", "times", "expiries", "requests", "properties", "audit"]

    let state: Table
    let names: Table
    let ids: Table
    let documents: Table
    let relations: Table
    let times: Table
    let expiries: Table
    let requests: Table
    let properties: Table
    let audit: Table
    let soundBlocks = SoundBlocks()

    init(environment: Environment, creating: Bool) throws(StorageError) {
        state = try environment.table("state", creating: creating)
        names = try environment.table("names", creating: creating)
        ids = try environment.table("ids", creating: creating)
        documents = try environment.table("documents", creating: creating)
        relations = try environment.table("relations", creating: creating)
        times = try environment.table("times", creating: creating)
        expiries = try environment.table("expiries", creating: creating)
        requests = try environment.table("requests", creating: creating)
        properties = try environment.table("properties", creating: creating)
        audit = try environment.table("audit", creating: creating)
    }

    /// Every table with its name, in the order of ``names``.
    var all: [(name: String, table: Table)] {
        Array(zip(Self.names, [state, names, ids, documents, relations, times, expiries, requests, properties, audit]))
    }

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
}

extension FixedKey {
    /// The time and revision in a key of the table `times`.
    var commitTime: (time: Instant, revision: Revision) {
        (
            Instant(microseconds: Int64(bitPattern: UInt64(truncatingIfNeeded: number >> 40) ^ 1 << 63)),
            Revision(UInt64(truncatingIfNeeded: number) & Revision.open.rawValue)
        )
    }
}

extension Instant {
    /// The number with an unsigned order that equals the order of time.
    var ordered: UInt64 { UInt64(bitPattern: microseconds) ^ 1 << 63 }
}
