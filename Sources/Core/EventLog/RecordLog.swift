public import Events
internal import Files
public import Hashing
public import LMDB
internal import Synchronization

/// The number of a record in a log of records: 1, 2, 3, without gaps.
public struct RecordNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static let first = RecordNumber(1)
    public var next: RecordNumber { RecordNumber(rawValue + 1) }

    public static func < (left: RecordNumber, right: RecordNumber) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}

/// The last record of a log. Its hash covers all records.
public struct RecordHead: Hashable, Sendable {
    public let number: RecordNumber
    public let hash: Digest

    public init(number: RecordNumber, hash: Digest) {
        self.number = number
        self.hash = hash
    }
}

/// An append-only log of records that the caller encodes and decodes, chained by their hashes as commits are in an ``EventLog``.
///
/// One process at a time may append; the owner must ensure this. No record is ever changed or removed. After a failed write the
/// log accepts no more writes.
public final class RecordLog: Sendable {
    private let environment: Environment
    private let table: Table
    private let lastHead: Mutex<RecordHead?>
    private let gate = WriteGate()
    private let place: FilePathCheck

    /// Opens the log in an existing folder, and creates it if it is writable and does not exist.
    ///
    /// - Throws: `StorageError` for a file that cannot be opened, ``LogError/unexpectedRows`` for rows that are not records.
    public init(path: String, isReadOnly: Bool, mapBytes: Int = EnvironmentOptions().mapBytes) throws {
        environment = try Environment(path: path, options: EnvironmentOptions(mapBytes: mapBytes, isReadOnly: isReadOnly))
        place = FilePathCheck(path + "/data.mdb")
        do {
            table = try environment.table(nil, creating: !isReadOnly)
            lastHead = Mutex(nil)
            let head = try withRows { rows in
                guard try rows.areDense() else { throw LogError.unexpectedRows }
                return try rows.last().map { RecordHead(number: RecordNumber($0.number), hash: $0.hash) }
            }
            lastHead.withLock { $0 = head }
        } catch {
            environment.close()
            throw error
        }
    }

    public func close() { environment.close() }

    /// The last record; nil in an empty log.
    public var head: RecordHead? { lastHead.withLock { $0 } }

    /// Checks the structure of all pages of the log.
    ///
    /// - Returns: the bytes that reading all records uses; nil if another process wrote too often meanwhile.
    /// - Throws: a `StorageError` that describes the fault.
    public func checkPages() throws -> (checkedBytes: Int, fileBytes: Int)? {
        try environment.checkStructure().map { ($0.checkedBytes, $0.fileBytes) }
    }

    /// The reason the log accepts no more writes; nil while it accepts them.
    public var failure: String? { gate.failure }

    /// Whether the log's path still refers to its file. Takes one system call.
    public var isInPlace: Bool { place.isUnchanged }

    /// Stops the log from accepting writes, for example after a failure in the work that follows a write.
    public func stop(_ reason: String) { gate.shut(reason) }

    /// Returns the used part of the log's file and map.
    public func usage() -> EnvironmentUsage { environment.usage() }

    /// Writes the present log to a new file without free pages, and syncs the file.
    ///
    /// - Parameter file: the path of the new file, which must not exist.
    public func copy(to file: String) throws(StorageError) { try environment.copy(to: file) }

    /// Appends a record. Returns the new head after the record is durable.
    ///
    /// - Parameter encode: writes the bytes of the record, given its number.
    /// - Throws: ``LogError/stopped(_:)`` after an earlier failure. The `StorageError` of the write and
    ///   ``LogError/displaced(path:)`` stop the log.
    @discardableResult
    public func append(_ encode: (RecordNumber, inout ByteWriter) -> Void) throws -> RecordHead {
        let last = head
        let number = last?.number.next ?? .first
        var rows = LogRows(after: last?.hash ?? .zero)
        rows.add(LogKeys.record(number.rawValue)) { encode(number, &$0) }
        try gate.pass {
            // An earlier record must be there: the file may have been overwritten in place.
            guard isInPlace,
                last.map({ environment.hasRow($0.hash, under: [LogKeys.record($0.number.rawValue)], in: table) }) != false
            else { throw LogError.displaced(path: place.path) }
            try environment.write { transaction throws(StorageError) in
                try rows.write(to: table, in: transaction)
            }
            guard isInPlace else { throw LogError.displaced(path: place.path) }
        }
        let head = RecordHead(number: number, hash: rows.hash)
        lastHead.withLock { $0 = head }
        return head
    }

    /// Calls `body` with each record of a range of numbers and its hash, in order, after checking the chain up to it. Numbers
    /// after the last record are ignored.
    ///
    /// - Throws: ``LogError/missingRecord(_:)`` for a gap, ``LogError/brokenRecord(_:)``.
    public func forEachRecord(
        from first: RecordNumber = .first, to last: RecordNumber = RecordNumber(.max),
        _ body: (RecordNumber, Span<UInt8>, Digest) throws -> Void
    ) throws {
        try withRows { rows in
            try rows.forEach(from: first.rawValue, to: last.rawValue) { try body(RecordNumber($0), $1, $2) }
        }
    }

    private func withRows<R>(_ body: (NumberedRows) throws -> R) throws -> R {
        let transaction = try environment.beginReading()
        defer { transaction.end() }
        let rows = NumberedRows(
            transaction: transaction, table: table, missing: { .missingRecord(RecordNumber($0)) },
            broken: { .brokenRecord(RecordNumber($0)) })
        return try body(rows)
    }
}
