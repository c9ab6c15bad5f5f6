internal import Hashing
internal import LMDB

/// The rows of a table that are numbered from 1 without gaps, each chained to the one before.
struct NumberedRows {
    let transaction: ReadTransaction
    let table: Table

    /// What is wrong with the rows of a table.
    enum Fault: Error {
        /// There is no row of a number.
        case missing(UInt64)
        /// A row's bytes are not what its hash and the one before vouch for.
        case broken(UInt64)
        /// There are rows under keys that are no numbers, or not as many rows as the last number says.
        case strangers
    }

    /// The last number and its hash; nil in an empty table. Logarithmic.
    func last() throws -> (number: UInt64, hash: Digest)? {
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        guard try cursor.last() else { return nil }
        return try cursor.withRow { key, value in
            let (number, row) = try row(key, value)
            return (number, row.hash)
        }
    }

    /// Whether there are as many rows as the last number says.
    func areDense() throws -> Bool {
        try transaction.environment.statistics(of: table, in: transaction).rows == Int(exactly: last()?.number ?? 0)
    }

    /// Hands out the bodies of the rows of a span of numbers in order, each with its hash, after checking the chain up to it. Those
    /// that are not there yet are left out.
    func forEach(
        from first: UInt64, to last: UInt64, _ body: (_ number: UInt64, _ bytes: Span<UInt8>, _ hash: Digest) throws -> Void
    ) throws {
        guard let head = try self.last() else { return }
        let (first, last) = (max(first, 1), min(last, head.number))
        guard first <= last else { return }
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        var previous = Digest.zero
        // The row before the first one holds the hash that the chain goes on from.
        var expected = max(first - 1, 1)
        var isThere = try cursor.seek(atOrAfter: LogKeys.key(expected).span)
        while expected <= last {
            guard isThere else { throw Fault.missing(expected) }
            try cursor.withRow { key, value in
                let (number, row) = try row(key, value)
                guard number == expected else { throw Fault.missing(expected) }
                if expected >= first {
                    guard row.isSound(value, behind: previous) else { throw Fault.broken(expected) }
                    try body(number, value.extracting(row.body), row.hash)
                }
                previous = row.hash
            }
            expected += 1
            if expected <= last { isThere = try cursor.next() }
        }
    }

    private func row(_ key: Span<UInt8>, _ value: Span<UInt8>) throws(Fault) -> (UInt64, LogRow) {
        guard let number = LogKeys.number(key) else { throw .strangers }
        guard let row = LogRow(value) else { throw .broken(number) }
        return (number, row)
    }
}
