#if canImport(SQLite3)
    internal import SQLite3
#else
    internal import CSQLite
#endif

/// An error of SQLite, with its words.
package struct SQLiteError: Error, CustomStringConvertible {
    package let description: String
}

/// A connection to an SQLite database, for one thread at a time. Every C call of SQLite is in this file.
@safe package final class SQLiteDatabase {
    private let connection: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens the database of a file, and creates it if necessary.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - isReadOnly: whether to change and create nothing.
    package init(path: String, isReadOnly: Bool = false) throws(SQLiteError) {
        var opened: OpaquePointer?
        let flags = (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_NOMUTEX
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let connection = unsafe opened else {
            unsafe sqlite3_close_v2(opened)
            throw SQLiteError(description: "cannot open `\(path)`: \(unsafe String(cString: sqlite3_errstr(code)))")
        }
        unsafe self.connection = connection
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(connection)
    }

    /// Runs statements without results.
    package func run(_ sql: String) throws(SQLiteError) {
        guard unsafe sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql) }
    }

    /// Returns the prepared statement of a text. It is prepared once.
    package func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let known = statements[sql] { return known }
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard unsafe sqlite3_prepare_v3(connection, sql, -1, flags, &prepared, nil) == SQLITE_OK, let prepared = unsafe prepared
        else {
            throw error(sql)
        }
        let statement = unsafe SQLiteStatement(prepared)
        statements[sql] = statement
        return statement
    }

    private func error(_ sql: String) -> SQLiteError {
        SQLiteError(description: "`\(sql)`: \(unsafe String(cString: sqlite3_errmsg(connection)))")
    }
}

/// A value of a parameter or a column.
package enum SQLiteValue: Hashable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

/// A prepared statement.
@safe package final class SQLiteStatement {
    private let statement: OpaquePointer

    fileprivate init(_ statement: OpaquePointer) { unsafe self.statement = statement }

    deinit { unsafe sqlite3_finalize(statement) }

    /// The names of the columns of a row.
    package var columnNames: [String] {
        (0..<(unsafe sqlite3_column_count(statement))).map { index in
            unsafe sqlite3_column_name(statement, index).map { unsafe String(cString: $0) } ?? ""
        }
    }

    /// Runs the statement and passes each row to the body. The rows are read before this returns, so that no read stays open.
    package func forEachRow(_ parameters: [SQLiteValue] = [], _ body: ([SQLiteValue]) throws -> Void) throws {
        defer {
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
        }
        for (index, value) in parameters.enumerated() { try bind(Int32(index + 1), value) }
        let columns = unsafe sqlite3_column_count(statement)
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW: try body((0..<columns).map { unsafe column($0) })
            case SQLITE_DONE: return
            default: throw error()
            }
        }
    }

    /// Runs the statement and returns all rows.
    package func rows(_ parameters: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
        var rows: [[SQLiteValue]] = []
        try forEachRow(parameters) { rows.append($0) }
        return rows
    }

    /// Runs the statement and ignores its rows.
    package func run(_ parameters: [SQLiteValue] = []) throws { try forEachRow(parameters) { _ in } }

    private func bind(_ index: Int32, _ value: SQLiteValue) throws(SQLiteError) {
        // SQLite copies the bytes before the call ends.
        let copy = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code =
            switch value {
            case .null: unsafe sqlite3_bind_null(statement, index)
            case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
            case .text(let text): unsafe sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), copy)
            case .bytes(let bytes):
                bytes.isEmpty
                    ? unsafe sqlite3_bind_zeroblob(statement, index, 0)
                    : unsafe sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), copy)
            }
        guard code == SQLITE_OK else { throw error() }
    }

    @unsafe private func column(_ index: Int32) -> SQLiteValue {
        switch unsafe sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, index))
        case SQLITE_NULL: return .null
        case let type:
            let start = unsafe sqlite3_column_blob(statement, index)
            let count = Int(unsafe sqlite3_column_bytes(statement, index))
            let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
            return type == SQLITE_TEXT ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(bytes)
        }
    }

    private func error() -> SQLiteError {
        let sql = unsafe String(cString: sqlite3_sql(statement))
        return SQLiteError(description: "`\(sql)`: \(unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(statement))))")
    }
}
