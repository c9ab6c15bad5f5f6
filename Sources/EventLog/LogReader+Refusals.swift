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
        try withRefusals { rows in
            try rows.last().map { RefusalHead(number: RefusalNumber($0.number), hash: $0.hash) }
        }
    }

    /// Hands out the refusals of a span of numbers in order, each with its hash, after checking the chain up to it. Those that
    /// are not there yet are left out.
    ///
    /// - Throws: ``LogError/missingRefusal(_:)`` for a gap, ``LogError/brokenRefusals(_:)``, ``LogError/unreadableRefusal(_:_:)``.
    public func forEachRefusal(
        from first: RefusalNumber, to last: RefusalNumber, _ body: (RecordedRefusal, Digest) throws -> Void
    ) throws {
        try withRefusals { rows in
            try rows.forEach(from: first.rawValue, to: last.rawValue) { number, bytes, hash in
                let number = RefusalNumber(number)
                let refusal: RecordedRefusal
                do throws(DecodingFault) { refusal = try RefusalCodec.decode(bytes) } catch {
                    throw LogError.unreadableRefusal(number, error)
                }
                guard refusal.number == number else { throw LogError.brokenRefusals(number) }
                try body(refusal, hash)
            }
        }
    }

    /// Reads the table of refusals where there is one, with what is wrong with it in the log's words.
    private func withRefusals<R>(_ body: (NumberedRows) throws -> R?) throws -> R? {
        guard let rows = refusalRows else { return nil }
        do { return try body(rows) } catch let fault as NumberedRows.Fault {
            throw switch fault {
            case .missing(let number): LogError.missingRefusal(RefusalNumber(number))
            case .broken(let number): LogError.brokenRefusals(RefusalNumber(number))
            case .strangers: LogError.strangers
            }
        }
    }
}
