internal import Hashing
internal import LMDB

/// The rows of a table, numbered from 1 without gaps, each chained to the previous one.
struct NumberedRows {
    let transaction: ReadTransaction
    let table: Table

    /// The errors for a number without a row, and for a row that does not match its hash and the previous one.
    let missing: (UInt64) -> LogError
    let broken: (UInt64) -> LogError

    /// Returns the last number and its hash; nil in an empty table. Logarithmic.
    func last() throws -> (number: UInt64, hash: Digest)? {
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        guard try cursor.last() else { return nil }
        return try cursor.withRow { key, value in
            let (number, row) = try row(key, value)
            return (number, row.hash)
        }
    }

    /// Whether the number of rows equals the last number.
    func areDense() throws -> Bool {
        try transaction.environment.statistics(of: table, in: transaction).rows == Int(exactly: last()?.number ?? 0)
    }

    /// Calls `body` with each row of a range of numbers and its hash, in order, after checking the chain up to it. Numbers after
    /// the last row are ignored, and so are the rows after the first ones that have `limitBytes` together.
    func forEach(
        from first: UInt64, to last: UInt64 = .max, limitBytes: Int = .max,
        _ body: (_ number: UInt64, _ bytes: Span<UInt8>, _ hash: Digest) throws -> Void
    ) throws {
        var size = 0
        guard let head = try self.last() else { return }
        let (first, last) = (max(first, 1), min(last, head.number))
        guard first <= last else { return }
        let cursor = try transaction.cursor(over: table)
        defer { cursor.close() }
        var previous = Digest.zero
        // The row before the first one contains the previous hash of the chain.
        var expected = max(first - 1, 1)
        var isThere = try cursor.seek(atOrAfter: LogKeys.record(expected))
        while expected <= last, size < limitBytes {
            guard isThere else { throw missing(expected) }
            try cursor.withRow { key, value in
                let (number, row) = try row(key, value)
                guard number == expected else { throw missing(expected) }
                if expected >= first {
                    guard row.isSound(value, after: previous) else { throw broken(expected) }
                    try body(number, value.extracting(row.body), row.hash)
                    size += row.body.count
                }
                previous = row.hash
            }
            expected += 1
            if expected <= last { isThere = try cursor.next() }
        }
    }

    private func row(_ key: Span<UInt8>, _ value: Span<UInt8>) throws(LogError) -> (UInt64, LogRow) {
        guard let number = LogKeys.number(key) else { throw .unexpectedRows }
        guard let row = LogRow(value) else { throw broken(number) }
        return (number, row)
    }
}
