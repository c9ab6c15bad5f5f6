internal import CLMDB

/// A position in a table, for one thread at a time. Keys are ordered by their bytes.
@safe public final class Cursor {
    private let handle: OpaquePointer
    /// The transaction of this cursor, which also follows its renewals.
    private let transaction: ReadTransaction
    private var generation: Int
    /// The row at the position.
    public private(set) var row = unsafe Row(
        key: UnsafeRawBufferPointer(start: nil, count: 0), value: UnsafeRawBufferPointer(start: nil, count: 0))

    init(_ handle: OpaquePointer, of transaction: ReadTransaction) {
        unsafe self.handle = handle
        self.transaction = transaction
        generation = transaction.generation
    }

    /// Closes the cursor. Must be called once, before or after the end of its transaction. The cursor must not be used
    /// afterwards.
    public func close() { unsafe mdb_cursor_close(handle) }

    /// Moves to the first row with a key at or after `key`; returns false if no such row exists. Logarithmic.
    public func seek(atOrAfter key: Span<UInt8>) throws(StorageError) -> Bool { keep(try find(atOrAfter: key)) }

    /// Same as `seek(atOrAfter:)`, but returns the row and does not change ``row``.
    public func find(atOrAfter key: Span<UInt8>) throws(StorageError) -> Row? {
        try transaction.countRead()
        try renewIfNeeded()
        var keyValue = unsafe MDB_val()
        var dataValue = unsafe MDB_val()
        let code = unsafe key.withUnsafeBufferPointer { key in
            unsafe keyValue = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
            return unsafe mdb_cursor_get(handle, &keyValue, &dataValue, MDB_SET_RANGE)
        }
        return try unsafe accept(code, keyValue, dataValue)
    }

    /// Moves to the next row; returns false after the last one.
    public func next() throws(StorageError) -> Bool { try move(MDB_NEXT) }

    /// Moves to the previous row; returns false before the first one.
    public func previous() throws(StorageError) -> Bool { try move(MDB_PREV) }

    /// Moves to the first row; returns false in an empty table.
    public func first() throws(StorageError) -> Bool { try move(MDB_FIRST) }

    /// Moves to the last row; returns false in an empty table.
    public func last() throws(StorageError) -> Bool { try move(MDB_LAST) }

    private func move(_ operation: MDB_cursor_op) throws(StorageError) -> Bool {
        try transaction.countRead()
        try renewIfNeeded()
        var keyValue = unsafe MDB_val()
        var dataValue = unsafe MDB_val()
        let code = unsafe mdb_cursor_get(handle, &keyValue, &dataValue, operation)
        return keep(try unsafe accept(code, keyValue, dataValue))
    }

    private func renewIfNeeded() throws(StorageError) {
        guard generation != transaction.generation else { return }
        try transaction.environment.check(unsafe mdb_cursor_renew(transaction.handle, handle), "renew a cursor")
        generation = transaction.generation
    }

    private func keep(_ found: Row?) -> Bool {
        guard let found else { return false }
        row = found
        return true
    }

    private func accept(_ code: Int32, _ keyValue: MDB_val, _ dataValue: MDB_val) throws(StorageError) -> Row? {
        if code == MDB_NOTFOUND { return nil }
        try transaction.environment.check(code, "read")
        return unsafe Row(
            key: UnsafeRawBufferPointer(start: keyValue.mv_data, count: keyValue.mv_size),
            value: UnsafeRawBufferPointer(start: dataValue.mv_data, count: dataValue.mv_size))
    }

    /// Calls `body` with the key and value at the position. They are valid only inside `body`.
    @inlinable public func withRow<R, Failure: Error>(
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try row.withBytes(body)
    }
}

/// A row that a cursor has found. It is valid until the cursor's transaction is renewed, reset or ended.
@safe @frozen public struct Row {
    @usableFromInline let key: UnsafeRawBufferPointer
    @usableFromInline let value: UnsafeRawBufferPointer

    init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        unsafe self.key = key
        unsafe self.value = value
    }

    /// Calls `body` with the key and the value. They are valid only inside `body`.
    @inlinable @inline(__always) public func withBytes<R, Failure: Error>(
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try body(unsafe Span(_unsafeBytes: key), unsafe Span(_unsafeBytes: value))
    }
}
