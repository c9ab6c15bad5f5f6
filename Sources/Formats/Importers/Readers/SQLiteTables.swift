internal import SQLite

/// Reads tables and views of an SQLite database, as of one moment. Changes nothing.
enum SQLiteTables {
    /// - Parameters:
    ///   - file: the path of the database.
    ///   - names: the tables and views to read.
    /// - Throws: ``SourceFileError`` if there are no names, the database has no such table, or the file cannot be read.
    static func read(_ file: String, _ names: [String]) throws -> [SourceTable] {
        do { return try tables(names, in: file) } catch let error as SQLiteError {
            throw SourceFileError(file: file, "it cannot be read as an SQLite database: \(error). Check the path and the file.")
        }
    }

    private static func tables(_ names: [String], in file: String) throws -> [SourceTable] {
        guard file != "-" else {
            throw SourceFileError(file: SourceFile.standardInput, "a database cannot be read from it; write the path of a file")
        }
        let database = try SQLiteDatabase(path: file, isReadOnly: true)
        try database.run("BEGIN")
        let known = try database.statement(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name"
        ).rows().compactMap { utf8Text($0[0]) }
        let list = known.map { "`\($0)`" }.joined(separator: ", ")
        guard !names.isEmpty else {
            throw SourceFileError(file: file, "no table is chosen; name some in `tables` of the mapping. The database has \(list)")
        }
        if let name = names.first(where: { !known.contains($0) }) {
            throw SourceFileError(file: file, "it has no table `\(name)`; correct `tables` of the mapping. It has \(list)")
        }
        return try names.map { try table($0, of: database, in: file) }
    }

    private static func table(_ name: String, of database: SQLiteDatabase, in file: String) throws -> SourceTable {
        let header = try database.statement("SELECT name FROM pragma_table_info(?)").rows([.text(name)]).compactMap {
            utf8Text($0[0])
        }
        // As bytes, because SQLite does not check that a text is UTF-8.
        let columns = header.map { "CAST(CAST(\(quoted($0)) AS TEXT) AS BLOB)" }.joined(separator: ", ")
        var records: [SourceTable.Record] = []
        try database.statement("SELECT \(columns) FROM \(quoted(name))").forEachRow { row in
            let place = "\(file), table \(name), row \(records.count + 1)"
            records.append(
                SourceTable.Record(
                    place: place,
                    fields: try row.map { value in
                        if case .null = value { return "" }
                        guard let text = utf8Text(value) else {
                            throw SourceFileError(file: place, "a text is not UTF-8; correct it in the database")
                        }
                        return text
                    }))
        }
        return SourceTable(name: "\(file), table \(name)", header: header, records: records)
    }

    private static func utf8Text(_ value: SQLiteValue) -> String? {
        switch value {
        case .text(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        case .null, .integer: nil
        }
    }

    /// Returns a name as an identifier of SQL.
    private static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}
