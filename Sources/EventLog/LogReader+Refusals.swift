public import Events
public import Hashing
internal import LMDB

/// The last refusal of a log. Its hash vouches for all of them.
public struct RefusalHead: Hashable, Sendable {
    public let number: RefusalNumber
    public let hash: Digest
}

/// The refused commands: a chain of their own beside the commits, with numbers of their own.
extension LogReader {
    /// The last refusal; nil where there is none. Logarithmic.
    public func lastRefusal() throws -> RefusalHead? {
        guard let refusals else { return nil }
        let cursor = try cursor(over: refusals)
        defer { cursor.close() }
        guard try cursor.last() else { return nil }
        return try cursor.withRow { key, value in
            let record = try RefusalRecord(key: key, value: value)
            return RefusalHead(number: record.number, hash: record.row.hash)
        }
    }

    /// Hands out the refusals of a span of numbers in order, each with its hash, after checking the chain up to it. Those that
    /// are not there yet are left out.
    ///
    /// - Throws: ``LogError/missingRefusal(_:)`` for a gap, ``LogError/brokenRefusals(_:)``, ``LogError/unreadableRefusal(_:_:)``.
    public func forEachRefusal(
        from first: RefusalNumber, to last: RefusalNumber, _ body: (RecordedRefusal, Digest) throws -> Void
    ) throws {
        guard let refusals, let head = try lastRefusal() else { return }
        let (first, last) = (max(first, .first), min(last, head.number))
        guard first <= last else { return }
        let cursor = try cursor(over: refusals)
        defer { cursor.close() }
        var previous = Digest.zero
        // The record before the first one holds the hash that the chain goes on from.
        var expected = first == .first ? first : RefusalNumber(first.rawValue - 1)
        var isThere = try cursor.seek(atOrAfter: LogKeys.refusal(expected).span)
        while expected <= last {
            guard isThere else { throw LogError.missingRefusal(expected) }
            try cursor.withRow { key, value in
                let record = try RefusalRecord(key: key, value: value)
                guard record.number == expected else { throw LogError.missingRefusal(expected) }
                if expected >= first { try body(try record.refusal(value, behind: previous), record.row.hash) }
                previous = record.row.hash
            }
            expected = expected.next
            if expected <= last { isThere = try cursor.next() }
        }
    }
}

/// A row of the table of refusals: a number, the refusal's bytes, a hash.
private struct RefusalRecord {
    let number: RefusalNumber
    let row: LogRow

    init(key: Span<UInt8>, value: Span<UInt8>) throws(LogError) {
        guard let number = LogKeys.number(key) else { throw .strangers }
        self.number = RefusalNumber(number)
        guard let row = LogRow(value) else { throw .brokenRefusals(self.number) }
        self.row = row
    }

    func refusal(_ value: Span<UInt8>, behind previous: Digest) throws(LogError) -> RecordedRefusal {
        guard row.isSound(value, behind: previous) else { throw .brokenRefusals(number) }
        let refusal: RecordedRefusal
        do throws(DecodingFault) { refusal = try RefusalCodec.decode(value.extracting(row.body)) } catch {
            throw .unreadableRefusal(number, error)
        }
        guard refusal.number == number else { throw .brokenRefusals(number) }
        return refusal
    }
}
