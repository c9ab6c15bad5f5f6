internal import SQLite

/// Reads tables, views, or the rows of a query from an SQLite database, as of one moment. Changes nothing.
enum SQLiteTables {
    /// - Parameters:
    ///   - file: the path of the database.
    ///   - mapping: its query or its tables are read.
    /// - Throws: ``SourceFileError`` if it has neither, the database has no such table, or the file cannot be read.
    static func read(_ file: String, _ mapping: ImportMapping) throws -> [SourceTable] {
        guard file != "-" else {
            throw SourceFileError(file: SourceFile.standardInput, "a database cannot be read from it; write the path of a file")
        }
        do {
            let database = try SQLiteDatabase(path: file, isReadOnly: true)
            try database.run("BEGIN")
            let names = try chosenTables(mapping, of: database, in: file)
            guard let query = mapping.query else {
                return try names.map { try rows(of: quoted($0), called: "\(file), table \($0)", in: database) }
            }
            // A part of another statement: only one `SELECT` is allowed there.
            return [try rows(of: "(\(query)\n)", called: "\(file), query", in: database)]
        } catch let error as SQLiteError {
            let remedy = mapping.query == nil ? "Check the path and the file." : "Check the path, the file and the query."
            throw SourceFileError(file: file, "it cannot be read as an SQLite database: \(error). \(remedy)")
        }
    }

    private static func chosenTables(
        _ mapping: ImportMapping, of database: SQLiteDatabase, in file: String
    ) throws -> [String] {
        let known = try database.statement(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name"
        ).rows().compactMap { utf8Text($0[0]) }
        guard mapping.query == nil else { return [] }
        let list = known.map { "`\($0)`" }.joined(separator: ", ")
        guard !mapping.tables.isEmpty else {
            throw SourceFileError(
                file: file,
                "no table is chosen; name some in `tables` of the mapping, or write a `SELECT` (`--query`). The database has \(list)"
            )
        }
        if let name = mapping.tables.first(where: { !known.contains($0) }) {
            throw SourceFileError(file: file, "it has no table `\(name)`; correct `tables` of the mapping. It has \(list)")
        }
        return mapping.tables
    }

    /// Reads all rows of a table or a query, which is an expression of SQL.
    private static func rows(of expression: String, called name: String, in database: SQLiteDatabase) throws -> SourceTable {
        let header = try database.statement("SELECT * FROM \(expression)").columnNames
        // As bytes, because SQLite does not check that a text is UTF-8.
        let columns = header.map { "CAST(CAST(\(quoted($0)) AS TEXT) AS BLOB)" }.joined(separator: ", ")
        var records: [SourceTable.Record] = []
        try database.statement("SELECT \(columns) FROM \(expression)").forEachRow { row in
            let place = "\(name), row \(records.count + 1)"
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
        return SourceTable(name: name, header: header, records: records)
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
