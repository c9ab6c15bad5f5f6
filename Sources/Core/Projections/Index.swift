package import Hashing
public import LMDB

/// The indexes of a store: all data derived from its log. Disposable, since the log can always be folded again.
///
/// Commits to the index do not wait for the disk. This is safe after a crash of the process, since the system still has the
/// pages. After a crash of the machine the index is deleted and rebuilt.
public final class Index: Sendable {
    private let environment: Environment
    let tables: IndexTables

    /// Opens an index, and creates it if it is writable and does not exist.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - isReadOnly: whether the index is only read.
    ///   - isStill: whether no process writes to the index. Then no lock file is created. Only for reading.
    ///   - mapBytes: bytes of address space to reserve.
    public init(
        path: String, isReadOnly: Bool, isStill: Bool = false, mapBytes: Int = EnvironmentOptions().mapBytes
    ) throws {
        environment = try Environment(
            path: path,
            options: EnvironmentOptions(
                mapBytes: mapBytes, isReadOnly: isReadOnly, isStill: isStill, syncsCommits: false,
                tableLimit: IndexTables.names.count))
        do {
            tables = try IndexTables(environment: environment, creating: !isReadOnly)
        } catch let error {
            environment.close()
            // LMDB does not find a table that an earlier version did not have.
            throw isReadOnly && error.kind == .corrupted ? IndexError.unusable("it lacks a table of this version") : error
        }
    }

    public func close() { environment.close() }

    /// Waits until all data is on the disk.
    public func sync() throws { try environment.sync() }

    /// Removes the entries of readers that have exited.
    public func clearStaleReaders() { environment.clearStaleReaders() }

    /// Returns the used part of the index's file and map.
    public func usage() -> EnvironmentUsage { environment.usage() }

    /// Checks the structure of all pages of the index.
    ///
    /// - Returns: the bytes that reading all rows uses; nil if another process wrote too often meanwhile.
    /// - Throws: a `StorageError` that describes the fault.
    public func checkPages() throws -> PageUse? { try environment.checkStructure() }

    /// Returns the state that the index has folded; nil for a new index.
    ///
    /// - Throws: ``IndexError/unusable(_:)`` for an index of another version.
    public func state() throws -> IndexState? {
        let transaction = try environment.beginReading()
        defer { transaction.end() }
        return try tables.readState(in: transaction)
    }

    /// Begins reading at the head.
    ///
    /// - Throws: ``IndexError/unusable(_:)`` for an empty index.
    public func beginReading() throws -> IndexReader {
        let transaction = try environment.beginReading()
        do { return try IndexReader(transaction: transaction, tables: tables) } catch {
            transaction.end()
            throw error
        }
    }

    /// Returns the head in memory, to decide on and to fold into.
    package func workingSet() throws -> WorkingSet {
        try WorkingSet(reader: HeadReader(environment: environment, tables: tables))
    }

    /// Writes the changes of a working set in one transaction.
    ///
    /// - Parameter hash: the hash of the last folded commit.
    package func flush(_ workingSet: WorkingSet, hash: Digest) throws {
        let rows = workingSet.takePendingRows()
        workingSet.endTurn()
        try write(rows, hash: hash)
        try workingSet.beginTurn(isSettled: true)
    }

    /// Writes rows that were taken from a working set in one transaction. This thread must not have an open read transaction.
    package func write(_ rows: PendingRows, hash: Digest) throws(StorageError) {
        try environment.write { transaction throws(StorageError) in
            try rows.write(to: tables, in: transaction, hash: hash)
        }
    }

    /// Returns the tables by name, with the size of each.
    public func statistics() throws -> [(name: String, statistics: TableStatistics)] {
        let transaction = try environment.beginReading()
        defer { transaction.end() }
        return try tables.all.map { ($0.name, try environment.statistics(of: $0.table, in: transaction)) }
    }

    /// Returns the first difference between this index and another, in words; nil if every row of every table is the same.
    public func firstDifference(from other: Index) throws -> String? {
        let (mine, theirs) = (try environment.beginReading(), try other.environment.beginReading())
        defer {
            mine.end()
            theirs.end()
        }
        for ((name, table), (_, otherTable)) in zip(tables.all, other.tables.all) {
            let (left, right) = (try mine.cursor(over: table), try theirs.cursor(over: otherTable))
            defer {
                left.close()
                right.close()
            }
            var (hasLeft, hasRight) = (try left.first(), try right.first())
            var row = 0
            while hasLeft || hasRight {
                guard hasLeft, hasRight, left.isSameRow(as: right) else {
                    return "row \(row) of the table `\(name)` does not match the log"
                }
                row += 1
                (hasLeft, hasRight) = (try left.next(), try right.next())
            }
        }
        return nil
    }
}

extension Cursor {
    fileprivate func isSameRow(as other: Cursor) -> Bool {
        withRow { key, value in
            other.withRow { otherKey, otherValue in key.isSame(as: otherKey) && value.isSame(as: otherValue) }
        }
    }
}

extension Span<UInt8> {
    fileprivate func isSame(as other: Span<UInt8>) -> Bool {
        count == other.count && indices.allSatisfy { self[$0] == other[$0] }
    }
}
