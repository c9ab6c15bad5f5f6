internal import CSQLite

/// An error of SQLite.
struct SQLiteFault: Error, CustomStringConvertible {
    var doing: String
    var message: String

    var description: String { "SQLite could not do `\(doing)`: \(message)" }
}

/// A connection to an SQLite database, for one thread.
///
/// Every C call of the baseline is in this file.
@safe final class SQLiteDatabase {
    fileprivate let connection: OpaquePointer

    init(path: String) throws(SQLiteFault) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let connection = unsafe opened else {
            unsafe sqlite3_close(opened)
            throw SQLiteFault(doing: "open \(path)", message: unsafe String(cString: sqlite3_errstr(code)))
        }
        unsafe self.connection = connection
    }

    deinit { unsafe sqlite3_close_v2(connection) }

    /// Runs statements without results.
    func run(_ sql: String) throws(SQLiteFault) {
        guard unsafe sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw fault(sql) }
    }

    func prepare(_ sql: String) throws(SQLiteFault) -> SQLiteStatement {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard unsafe sqlite3_prepare_v3(connection, sql, -1, flags, &prepared, nil) == SQLITE_OK, let statement = unsafe prepared
        else { throw fault(sql) }
        return unsafe SQLiteStatement(statement: statement)
    }

    fileprivate func fault(_ doing: String) -> SQLiteFault {
        SQLiteFault(doing: doing, message: unsafe String(cString: sqlite3_errmsg(connection)))
    }
}

/// A value of a column.
enum SQLiteValue {
    case number(Int64)
    case text(String)
}

/// A prepared statement.
@safe final class SQLiteStatement {
    private let statement: OpaquePointer

    fileprivate init(statement: OpaquePointer) { unsafe self.statement = statement }

    deinit { unsafe sqlite3_finalize(statement) }

    /// Binds a value to parameter `index`, from 1.
    func bind(_ index: Int32, _ value: Int64) { unsafe sqlite3_bind_int64(statement, index, value) }
    func bind(_ index: Int32, _ value: Int64?) {
        guard let value else {
            unsafe sqlite3_bind_null(statement, index)
            return
        }
        unsafe sqlite3_bind_int64(statement, index, value)
    }
    func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bytes in
            // SQLite copies the bytes before this closure ends.
            let copy = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            unsafe sqlite3_bind_text(
                statement, index, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), copy
            )
        }
    }

    /// Runs the statement from its start with the bound values, and returns whether it has a row.
    func hasRow() throws(SQLiteFault) -> Bool {
        let code = unsafe sqlite3_step(statement)
        unsafe sqlite3_reset(statement)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw fault()
        }
    }

    /// Returns the first column of every row.
    func numbers() throws(SQLiteFault) -> [Int64] {
        var numbers: [Int64] = []
        var code = unsafe sqlite3_step(statement)
        while code == SQLITE_ROW {
            numbers.append(unsafe sqlite3_column_int64(statement, 0))
            code = unsafe sqlite3_step(statement)
        }
        unsafe sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw fault() }
        return numbers
    }

    /// Returns all columns of every row: numbers as `Int64`, everything else as text.
    func rows() throws(SQLiteFault) -> [[SQLiteValue]] {
        var rows: [[SQLiteValue]] = []
        let columns = unsafe sqlite3_column_count(statement)
        var code = unsafe sqlite3_step(statement)
        while code == SQLITE_ROW {
            rows.append((0..<columns).map { unsafe value(ofColumn: $0) })
            code = unsafe sqlite3_step(statement)
        }
        unsafe sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw fault() }
        return rows
    }

    @unsafe private func value(ofColumn column: Int32) -> SQLiteValue {
        if unsafe sqlite3_column_type(statement, column) == SQLITE_INTEGER {
            return .number(unsafe sqlite3_column_int64(statement, column))
        }
        guard let text = unsafe sqlite3_column_text(statement, column) else { return .text("") }
        return .text(unsafe String(cString: text))
    }

    /// Runs a statement without results.
    func run() throws(SQLiteFault) { _ = try hasRow() }

    private func fault() -> SQLiteFault {
        let sql = unsafe String(cString: sqlite3_sql(statement))
        return SQLiteFault(doing: sql, message: unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(statement))))
    }
}
