public import Events
public import Hashing

/// The log of a store on an engine that several machines reach.
///
/// The engine orders and keeps bytes. It is not trusted with their meaning: each node checks numbers, hashes and codes of all records,
/// and keeps a copy in an ``EventLog``, which conforms to this protocol too.
///
/// All calls block. They can be made from any thread.
public protocol SharedLog: Sendable {
    /// Returns the end of the log, no earlier than the last write that was acknowledged anywhere before this call; nil for a log without
    /// a store.
    ///
    /// - Throws: ``SharedLogError``.
    func position() throws -> LogPosition?

    /// Appends a group if the log still ends at a position, and returns after the group is durable: all of it, or nothing.
    ///
    /// - Parameters:
    ///   - group: the commits and refusals that follow the position. Not empty.
    ///   - position: the expected end of the log; nil for a log without a store.
    /// - Returns: whether the group was appended. If not, the log ends elsewhere, and did not change.
    /// - Throws: ``SharedLogError/unreachable(_:)`` if it is unknown whether the group was or will be appended.
    func append(_ group: LogGroup, after position: LogPosition?) throws -> Bool

    /// Returns durable commits and refusals after a position, in order; none at the end of the log.
    ///
    /// - Parameters:
    ///   - position: where the reader's copy ends; nil for the beginning.
    ///   - limitBytes: about the largest number of bytes to return. One record is returned whatever its size.
    /// - Throws: ``SharedLogError/diverged(_:)`` if the position is not in the log.
    func records(after position: LogPosition?, limitBytes: Int) throws -> LogGroup

    /// Waits until the log may have records after a position, or until a time has passed.
    ///
    /// - Returns: the last time when the log is known to have ended at the position; nil if it has records after it.
    /// - Throws: ``SharedLogError/unreachable(_:)``.
    func wait(after position: LogPosition, atMost duration: Duration) throws -> ContinuousClock.Instant?
}

/// The shared logs of all stores of a data directory.
public protocol SharedLogs: Sendable {
    /// Returns the log of a store, which need not exist yet.
    func log(of store: String) -> any SharedLog

    /// Returns the names of all stores, in no order.
    ///
    /// - Throws: ``SharedLogError``.
    func names() throws -> [String]

    /// Throws unless the engine can be reached and keeps acknowledged writes.
    func check() throws

    /// Ends all waits and closes the connections.
    func close()
}

/// The names of logs that are not stores. No store has such a name.
public enum SharedLogNames {
    /// The changes of tokens.
    public static let tokens = "/tokens"
}

/// An error of a shared log.
public enum SharedLogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The engine gave no answer. A write may or may not have happened.
    case unreachable(String)
    /// The log does not contain what this node's copy contains.
    case diverged(String)
    /// The engine could lose acknowledged writes, as it is configured.
    case notDurable(String)
    /// The engine has no tables for logs, or those of another version.
    case unprepared(String)

    /// The shared log does not have the store.
    public static let noStore = SharedLogError.diverged("it does not have this store, which `muniment log move` brings there")

    public var description: String {
        switch self {
        case .unreachable(let reason): "the shared log cannot be reached: \(reason)"
        case .diverged(let reason):
            "the shared log and this node's copy differ: \(reason). Find out which is right, then replace the copy with `muniment log copy`"
        case .notDurable(let reason): "the shared log could lose acknowledged writes: \(reason)"
        case .unprepared(let reason): "the shared log is not prepared: \(reason)"
        }
    }
}

/// The end of a log: its last commit and its last refusal. The two hashes cover the whole history.
public struct LogPosition: Hashable, Sendable, CustomStringConvertible {
    public let revision: Revision
    public let hash: Digest
    /// Nil without refusals.
    public let refusal: RefusalHead?

    public init(revision: Revision, hash: Digest, refusal: RefusalHead?) {
        self.revision = revision
        self.hash = hash
        self.refusal = refusal
    }

    public var description: String {
        "revision \(revision) with hash \(hash)" + (refusal.map { ", refusal \($0.number) with hash \($0.hash)" } ?? "")
    }
}

/// The bytes of a commit or a refusal, and the hash of its chain.
public struct ChainedRecord: Hashable, Sendable {
    /// The revision of a commit, or the number of a refusal.
    public let number: UInt64
    public let bytes: [UInt8]
    /// SHA-256 over the previous hash and the bytes.
    public let hash: Digest

    public init(number: UInt64, bytes: [UInt8], hash: Digest) {
        self.number = number
        self.bytes = bytes
        self.hash = hash
    }

    init(_ number: UInt64, _ bytes: Span<UInt8>, _ hash: Digest) {
        self.init(number: number, bytes: [UInt8](copying: bytes), hash: hash)
    }
}

/// Commits and refusals that follow a position of a log.
public struct LogGroup: Hashable, Sendable {
    public let commits: [ChainedRecord]
    public let refusals: [ChainedRecord]

    public init(commits: [ChainedRecord], refusals: [ChainedRecord]) {
        self.commits = commits
        self.refusals = refusals
    }

    public var isEmpty: Bool { commits.isEmpty && refusals.isEmpty }

    /// Returns the end of a log after the group was appended.
    ///
    /// - Throws: ``LogError/brokenChain(_:)``, ``LogError/brokenRefusals(_:)`` or ``LogError/outOfOrder(_:)`` if the group does not
    ///   continue the log.
    public func end(after position: LogPosition?) throws(LogError) -> LogPosition {
        let (number, hash) = try Self.follow(
            commits, after: position.map { ($0.revision.rawValue, $0.hash) }, first: 0, what: "commit",
            broken: { .brokenChain(Revision($0)) })
        let last = position?.refusal
        let (lastNumber, lastHash) = try Self.follow(
            refusals, after: last.map { ($0.number.rawValue, $0.hash) }, first: 1, what: "refusal",
            broken: { .brokenRefusals(RefusalNumber($0)) })
        guard let number else { throw .outOfOrder("a refusal needs an earlier commit") }
        return LogPosition(
            revision: Revision(number), hash: hash,
            refusal: lastNumber.map { RefusalHead(number: RefusalNumber($0), hash: lastHash) })
    }

    private static func follow(
        _ records: [ChainedRecord], after last: (UInt64, Digest)?, first: UInt64, what: String, broken: (UInt64) -> LogError
    ) throws(LogError) -> (UInt64?, Digest) {
        var (number, hash) = (last?.0, last?.1 ?? .zero)
        for record in records {
            let expected = number.map { $0 + 1 } ?? first
            guard record.number == expected else { throw .outOfOrder("\(what) \(record.number), but \(expected) is next") }
            guard Digest(chaining: hash, record.bytes.span) == record.hash else { throw broken(record.number) }
            (number, hash) = (record.number, record.hash)
        }
        return (number, hash)
    }

    /// Decodes the commits and the refusals.
    public func decoded() throws(LogError) -> (commits: [Commit], refusals: [RecordedRefusal]) {
        var (found, refused): ([Commit], [RecordedRefusal]) = ([], [])
        for record in commits { found.append(try decodeCommit(Revision(record.number), record.bytes.span)) }
        for record in refusals { refused.append(try decodeRefusal(RefusalNumber(record.number), record.bytes.span)) }
        return (found, refused)
    }
}
