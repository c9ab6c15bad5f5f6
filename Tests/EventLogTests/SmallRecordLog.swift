import EventLog
import Events
import Hashing
import LMDB
import TestSupport

/// A log of records in a separate folder, with access to its LMDB rows.
struct SmallRecordLog {
    let folder: ScratchFolder
    var path: String { folder.path }

    /// Creates a log with the given number of records.
    init(records: Int = 0) throws {
        folder = try ScratchFolder()
        let log = try open()
        defer { log.close() }
        for number in 0..<records { try log.append { _, writer in writer.raw(Self.bytes(number + 1)) } }
    }

    func open(isReadOnly: Bool = false) throws -> RecordLog {
        try RecordLog(path: path, isReadOnly: isReadOnly, mapBytes: 1 << 24)
    }

    /// Returns the bytes of a record. Each number has different bytes of a different length.
    static func bytes(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number), count: 1 + number % 5) }

    /// Returns all records and checks their hashes.
    func readAll() throws -> [[UInt8]] {
        let log = try open(isReadOnly: true)
        defer { log.close() }
        return try log.records().map(\.bytes)
    }

    // MARK: Direct access to the file

    private func withTable<R>(_ body: (Environment, Table) throws -> R) throws -> R {
        let environment = try Environment(path: path, options: EnvironmentOptions(mapBytes: 1 << 24, syncsCommits: false))
        defer { environment.close() }
        return try body(environment, try environment.table(nil, creating: true))
    }

    /// Returns the values of all rows.
    func rows() throws -> [[UInt8]] {
        try withTable { environment, table in
            let view = try environment.beginReading()
            defer { view.end() }
            let cursor = try view.cursor(over: table)
            defer { cursor.close() }
            var rows: [[UInt8]] = []
            var isThere = try cursor.first()
            while isThere {
                cursor.withRow { _, value in rows.append(value.indices.map { value[$0] }) }
                isThere = try cursor.next()
            }
            return rows
        }
    }

    /// Replaces the value of a record, or deletes the record if the value is nil.
    func rewrite(_ number: Int, _ value: [UInt8]?) throws { try put(value, under: Self.key(number)) }

    static func key(_ number: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }

    func put(_ value: [UInt8]?, under key: [UInt8]) throws {
        try withTable { environment, table in
            let transaction = try environment.beginWriting()
            if let value {
                try transaction.put(value.span, in: table, for: key.span)
            } else {
                try transaction.delete(from: table, key: key.span)
            }
            try transaction.commit()
        }
    }
}

/// A record as the log returned it.
struct ReadRecord: Hashable {
    let number: RecordNumber
    let bytes: [UInt8]
    let hash: Digest
}

extension RecordLog {
    /// Returns a range of records and checks their hashes.
    func records(from first: UInt64 = 1, to last: UInt64 = .max) throws -> [ReadRecord] {
        var records: [ReadRecord] = []
        try forEachRecord(from: RecordNumber(first), to: RecordNumber(last)) { number, bytes, hash in
            records.append(ReadRecord(number: number, bytes: bytes.indices.map { bytes[$0] }, hash: hash))
        }
        return records
    }
}
