internal import CLMDB

/// A snapshot of the data, for one thread at a time.
///
/// It must be ended with ``end()``, or reset with ``reset()`` and renewed with ``renew()``: an open snapshot makes the file grow,
/// since its pages cannot be reused.
@safe public final class ReadTransaction {
    public let environment: Environment
    let handle: OpaquePointer
    private var isResting = false
    private var hasEnded = false
    /// The number of renewals, so that cursors detect them.
    private(set) var generation = 0
    private let isInterruptible: Bool
    private var isInterrupted: (@Sendable () -> Bool)?
    private var reads: UInt = 0

    init(environment: Environment, handle: OpaquePointer, isInterruptible: Bool) {
        self.environment = environment
        self.isInterruptible = isInterruptible
        isInterrupted = isInterruptible ? ReadInterruption.isRequested : nil
        unsafe self.handle = handle
    }

    /// Resets the transaction: it cannot read until it is renewed, and its pages can be reused.
    public func reset() {
        guard !isResting, !hasEnded else { return }
        unsafe mdb_txn_reset(handle)
        isResting = true
        isInterrupted = nil
        environment.endedReading()
    }

    /// Renews a reset transaction with the present data.
    public func renew() throws(StorageError) {
        precondition(isResting && !hasEnded, "only a rested view can be renewed")
        try unsafe environment.renewReading(handle)
        isResting = false
        isInterrupted = isInterruptible ? ReadInterruption.isRequested : nil
        generation += 1
    }

    /// Counts a read, or a step of work that reads from memory.
    ///
    /// - Throws: `StorageError` of kind `interrupted` if ``ReadInterruption/isRequested`` asks reads to stop.
    @inline(__always) public func countRead() throws(StorageError) {
        reads &+= 1
        if reads % ReadInterruption.interval == 0 { try stopIfInterrupted() }
    }

    @inline(never) private func stopIfInterrupted() throws(StorageError) {
        guard let isInterrupted, isInterrupted() else { return }
        throw StorageError(.interrupted, "read", path: environment.path, detail: "the result is no longer needed")
    }

    /// The number of the last transaction committed before this snapshot. Equal numbers mean equal data.
    public var snapshotID: Int { unsafe mdb_txn_id(handle) }

    /// Whether a writer that does not know of this transaction may have begun to reuse its pages: then all data read from it is
    /// invalid.
    public var isOvertaken: Bool {
        if environment.isRegistered { return false }
        // The third transaction after this one is the first that can reuse its pages, so one later transaction is allowed.
        return environment.lastTransaction > snapshotID + 1
    }

    /// Ends the transaction. It cannot be renewed afterwards.
    public func end() {
        guard !hasEnded else { return }
        hasEnded = true
        unsafe mdb_txn_abort(handle)
        if !isResting { environment.endedReading() }
    }

    /// Calls `body` with the value under a key if it exists; the value is valid only inside `body`. Logarithmic.
    public func withValue<R>(
        in table: Table, for key: Span<UInt8>, _ body: (Span<UInt8>) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try countRead()
        var data = unsafe MDB_val()
        let code = unsafe key.withUnsafeBufferPointer { key in
            var keyValue = unsafe MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
            return unsafe mdb_get(handle, table.index, &keyValue, &data)
        }
        if code == MDB_NOTFOUND { return nil }
        try environment.check(code, "read")
        return try body(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(start: data.mv_data, count: data.mv_size)))
    }

    public func cursor(over table: Table) throws(StorageError) -> Cursor {
        try unsafe Cursor(openCursor(handle, environment, table), of: self)
    }
}

/// A write transaction, which is applied as a whole or not at all. It must end with ``commit()`` or ``abort()``.
@safe public struct WriteTransaction: ~Copyable {
    public let environment: Environment
    let handle: OpaquePointer

    init(environment: Environment, handle: OpaquePointer) {
        self.environment = environment
        unsafe self.handle = handle
    }

    /// Writes a row, and replaces one under the same key. With `appending`, the key must be the last of the table.
    public func put(
        _ value: Span<UInt8>, in table: Table, for key: Span<UInt8>, appending: Bool = false
    ) throws(StorageError) {
        let code = unsafe withValues(key, value) {
            unsafe mdb_put(handle, table.index, $0, $1, appending ? UInt32(MDB_APPEND) : 0)
        }
        try environment.check(code, "write")
    }

    /// Removes a row; returns false if it does not exist.
    @discardableResult
    public func delete(from table: Table, key: Span<UInt8>) throws(StorageError) -> Bool {
        let code = unsafe key.withUnsafeBufferPointer { key in
            var keyValue = unsafe MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
            return unsafe mdb_del(handle, table.index, &keyValue, nil)
        }
        if code == MDB_NOTFOUND { return false }
        try environment.check(code, "delete")
        return true
    }

    /// Removes every row of a table.
    public func empty(_ table: Table) throws(StorageError) {
        try environment.check(unsafe mdb_drop(handle, table.index, 0), "empty a table")
    }

    /// Opens a named table, and creates it if it does not exist. Other transactions can use it after this one is committed; no
    /// other thread may open a table during that time.
    public func table(_ name: String) throws(StorageError) -> Table {
        var index: MDB_dbi = 0
        try environment.check(unsafe mdb_dbi_open(handle, name, UInt32(MDB_CREATE), &index), "open the table \(name)")
        return Table(index: index)
    }

    /// Commits all writes, durably if the environment syncs its commits.
    public consuming func commit() throws(StorageError) {
        try environment.check(unsafe mdb_txn_commit(handle), "commit")
    }

    /// Discards all writes.
    public consuming func abort() { unsafe mdb_txn_abort(handle) }
}

func openCursor(
    _ handle: OpaquePointer, _ environment: Environment, _ table: Table
) throws(StorageError) -> OpaquePointer {
    var cursor: OpaquePointer?
    let code = unsafe mdb_cursor_open(handle, table.index, &cursor)
    guard code == 0, let cursor = unsafe cursor else { throw StorageError(code: code, "open a cursor", path: environment.path) }
    return unsafe cursor
}

/// Calls `body` with a key and a value in LMDB's format.
func withValues(
    _ key: Span<UInt8>, _ value: Span<UInt8>, _ body: (UnsafeMutablePointer<MDB_val>, UnsafeMutablePointer<MDB_val>) -> Int32
) -> Int32 {
    unsafe key.withUnsafeBufferPointer { key in
        unsafe value.withUnsafeBufferPointer { value in
            var keyValue = unsafe MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
            var dataValue = unsafe MDB_val(mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
            return unsafe body(&keyValue, &dataValue)
        }
    }
}
