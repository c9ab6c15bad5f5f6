public import Events
public import Hashing
internal import LMDB

/// The last refusal of a log. Its hash covers all refusals.
public struct RefusalHead: Hashable, Sendable {
    public let number: RefusalNumber
    public let hash: Digest

    public init(number: RefusalNumber, hash: Digest) {
        self.number = number
        self.hash = hash
    }
}

/// Reading the refused commands, which have a separate chain and separate numbers.
extension LogReader {
    /// Returns the last refusal; nil without refusals. Logarithmic.
    public func lastRefusal() throws -> RefusalHead? {
        try refusalRows?.last().map { RefusalHead(number: RefusalNumber($0.number), hash: $0.hash) }
    }

    /// Returns the hash of a refusal; nil if it does not exist.
    ///
    /// - Throws: ``LogError/brokenRefusals(_:)`` if the hash does not match the refusal.
    public func hash(of refusal: RefusalNumber) throws -> Digest? {
        var found: Digest?
        try forEachRefusal(from: refusal, to: refusal) { found = $1 }
        return found
    }

    /// Calls `body` with each refusal of a range of numbers and its hash, in order, after checking the chain up to it. Numbers
    /// after the last refusal are ignored.
    ///
    /// - Throws: ``LogError/missingRefusal(_:)`` for a gap, ``LogError/brokenRefusals(_:)``,
    ///   ``LogError/unreadableRefusal(_:_:)``.
    public func forEachRefusal(
        from first: RefusalNumber, to last: RefusalNumber, _ body: (RecordedRefusal, Digest) throws -> Void
    ) throws {
        try refusalRows?.forEach(from: first.rawValue, to: last.rawValue) { number, bytes, hash in
            try body(decodeRefusal(RefusalNumber(number), bytes), hash)
        }
    }

    /// Returns the records of refusals from a number on, until they have a number of bytes.
    func refusalRecords(from first: RefusalNumber, limitBytes: Int) throws -> [ChainedRecord] {
        var records: [ChainedRecord] = []
        try refusalRows?.forEach(from: first.rawValue, limitBytes: limitBytes) { records.append(ChainedRecord($0, $1, $2)) }
        return records
    }
}
