internal import CLMDB

/// A key of at most sixteen bytes, stored as a big-endian number. Keys of one length have the order of their numbers.
@frozen public struct FixedKey: Hashable, Comparable, Sendable {
    public var number: UInt128
    public var byteCount: Int

    @inlinable public init(_ number: UInt128, byteCount: Int) {
        self.number = number
        self.byteCount = byteCount
    }

    @inlinable public static func < (left: FixedKey, right: FixedKey) -> Bool { left.number < right.number }

    /// Calls `body` with the bytes of the key.
    @inlinable public func withBytes<R, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> R
    ) throws(Failure) -> R {
        var bigEndian = number.bigEndian
        return try unsafe Swift.withUnsafeBytes(of: &bigEndian) { bytes throws(Failure) -> R in
            try body(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[(16 - byteCount)...])))
        }
    }
}

extension Cursor {
    /// Moves to the first row with a key at or after `key`; returns false if no such row exists. Logarithmic.
    @inlinable public func seek(atOrAfter key: FixedKey) throws(StorageError) -> Bool {
        try key.withBytes { bytes throws(StorageError) in try seek(atOrAfter: bytes) }
    }

    /// Returns the first row with a key at or after `key`; nil if no such row exists. Logarithmic.
    @inlinable public func find(atOrAfter key: FixedKey) throws(StorageError) -> Row? {
        try key.withBytes { bytes throws(StorageError) in try find(atOrAfter: bytes) }
    }

    /// The key at the position.
    @inlinable public var fixedKey: FixedKey { row.fixedKey }
}

extension Row {
    /// The key as a number. Only the first sixteen bytes of a longer key count; tables of fixed keys do not have longer ones.
    @inlinable public var fixedKey: FixedKey {
        let count = unsafe min(key.count, 16)
        var number: UInt128 = 0
        if count >= 8 {
            for index in 0..<count - 8 { number = unsafe number << 8 | UInt128(key[index]) }
            let low = unsafe UInt64(bigEndian: key.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
            number = number << 64 | UInt128(low)
        } else {
            for index in 0..<count { number = unsafe number << 8 | UInt128(key[index]) }
        }
        return FixedKey(number, byteCount: count)
    }
}

extension WriteTransaction {
    /// Removes the row under a fixed key if it exists.
    public borrowing func delete(from table: Table, key: FixedKey) throws(StorageError) {
        try key.withBytes { key throws(StorageError) in _ = try delete(from: table, key: key) }
    }

    /// Writes a row under a fixed key, and replaces an existing one.
    public borrowing func put(_ value: Span<UInt8>, in table: Table, for key: FixedKey) throws(StorageError) {
        try key.withBytes { key throws(StorageError) in try put(value, in: table, for: key) }
    }

    /// Begins to write rows to a table. The row writer must be closed before the transaction ends.
    ///
    /// If `appending`, the key of each row must be greater than all others of the table. This is faster, and fills pages completely.
    public borrowing func rowWriter(to table: Table, appending: Bool) throws(StorageError) -> RowWriter {
        let cursor = try unsafe openCursor(handle, environment, table)
        return unsafe RowWriter(environment: environment, cursor: cursor, flags: appending ? UInt32(MDB_APPEND) : 0)
    }
}

/// Writes rows to a table. It keeps its position, so rows in the order of their keys are faster than separate writes.
@safe public struct RowWriter {
    private let environment: Environment
    private let cursor: OpaquePointer
    private let flags: UInt32

    init(environment: Environment, cursor: OpaquePointer, flags: UInt32) {
        self.environment = environment
        unsafe self.cursor = cursor
        self.flags = flags
    }

    /// Writes a row, and replaces one under the same key.
    public func put(_ value: Span<UInt8>, for key: FixedKey) throws(StorageError) {
        let code = key.withBytes { key in unsafe withValues(key, value) { unsafe mdb_cursor_put(cursor, $0, $1, flags) } }
        if code != 0 { try environment.check(code, "write") }
    }

    public func close() { unsafe mdb_cursor_close(cursor) }
}
