import Events
import Foundation
import Importers
import SQLite
import Testing

@Suite("Importing tables of SQLite")
struct SQLiteTests {
    private static let rights = """
        CREATE TABLE rights (who TEXT, sheet, can TEXT, until TEXT, note);
        INSERT INTO rights VALUES ('ann', 'budget', 'edit', NULL, 1), ('bob', 7, 'read', '2999-01-01', NULL);
        CREATE TABLE "odd ""name" (role, member);
        INSERT INTO "odd ""name" VALUES ('staff', 'cleo'), ('staff', NULL);
        CREATE VIEW entries AS SELECT 'role:staff' AS who, 'sheet:budget' AS sheet, 'read' AS can, NULL AS until, NULL AS note;
        """
    private static let mapping = """
        {"tables":["rights","odd \\"name","entries"],"columns":{"subject":"who","object":"sheet","privileges":"can","valid_to":"until"},
         "ignore":["note"],"objects":"sheet","privileges":{"edit":["read","update"]}}
        """

    private func facts(_ files: SourceFiles, _ sql: String, _ mapping: String? = nil) throws -> SourceFacts {
        let path = files.folder + "/app.db"
        if !FileManager.default.fileExists(atPath: path) { try SQLiteDatabase(path: path).run(sql) }
        guard let mapping else { return try SourceFormat.sqlite.facts(in: [path]) }
        try Data(mapping.utf8).write(to: URL(filePath: files.folder + "/mapping.json"))
        return try SourceFormat.sqlite.facts(in: [path], try ImportMapping(file: files.folder + "/mapping.json"))
    }

    @Test("The rows of tables and views are grants and memberships; the database is not changed")
    func access() throws {
        try SourceFiles.inFreshFolder { files in
            _ = try facts(files, Self.rights, Self.mapping)
            let before = try Data(contentsOf: URL(filePath: files.folder + "/app.db"))
            let facts = try facts(files, Self.rights, Self.mapping)
            #expect(
                files.reasons(facts) == [
                    "app.db, table odd \"name, row 2: it has empty fields, and states neither a grant, a membership nor a parent"
                ])
            try files.load(facts)
            #expect(try files.may("user:ann", "update", "sheet:budget"))
            #expect(try files.may("user:bob", "read", "sheet:7"))
            #expect(try !files.may("user:bob", "read", "sheet:7", at: "2999-01-01T00:00:00Z"))
            #expect(try files.may("user:cleo", "read", "sheet:budget"))
            #expect(try !files.may("user:cleo", "update", "sheet:budget"))
            #expect(try files.differences(facts).isEmpty)
            #expect(try Data(contentsOf: URL(filePath: files.folder + "/app.db")) == before)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: files.folder).sorted() == ["app.db", "mapping.json", "store"])
        }
    }

    private func facts(_ files: SourceFiles, query: String) throws -> SourceFacts {
        let path = files.folder + "/app.db"
        try SQLiteDatabase(path: path).run(Self.rights)
        var mapping = ImportMapping()
        mapping.query = query
        return try SourceFormat.sqlite.facts(in: [path], mapping)
    }

    @Test(
        "The rows of a query are read without a mapping, also with a comment at its end",
        arguments: ["", " -- all", "\n/* all */"])
    func query(end: String) throws {
        try SourceFiles.inFreshFolder { files in
            let sql = "SELECT who AS subject, 'sheet:' || sheet AS object, 'read' AS privileges FROM rights ORDER BY who" + end
            let facts = try facts(files, query: sql)
            #expect(files.reasons(facts) == [])
            try files.load(facts)
            #expect(try files.may("user:ann", "read", "sheet:budget"))
            #expect(try files.may("user:bob", "read", "sheet:7"))
            #expect(try !files.may("user:ann", "update", "sheet:budget"))
        }
    }

    @Test(
        "A query that is not one SELECT with known columns is an error with the reason",
        arguments: [
            ("", "syntax error"), ("DROP TABLE rights", "syntax error"),
            ("SELECT who FROM rights; DELETE FROM rights", "syntax error"),
            ("SELECT 1) -- ", "syntax error"), ("SELECT who FROM right", "no such table: right"),
            ("SELECT who AS subject, sheet AS object, can FROM rights", "has neither `subject`, `object` and `privileges`"),
        ])
    func refusedQuery(sql: String, reason: String) throws {
        try SourceFiles.inFreshFolder { files in
            let error = try #require(throws: SourceFileError.self) { try facts(files, query: sql) }
            #expect(error.description.contains(reason), "\(error)")
        }
    }

    @Test(
        "What cannot be read is an error with the reason and the remedy, and changes nothing",
        arguments: [
            (
                nil,
                "no table is chosen; name some in `tables` of the mapping, or write a `SELECT` (`--query`). The database has "
                    + "`entries`, `odd \"name`, `rights`"
            ),
            (#"{"tables":["right"]}"#, "it has no table `right`; correct `tables` of the mapping. It has `entries`"),
            (#"{"tables":["sqlite_schema"]}"#, "it has no table `sqlite_schema`"),
            (#"{"tables":["rights; DROP TABLE rights"]}"#, "it has no table `rights; DROP TABLE rights`"),
            (
                #"{"tables":["rights"],"columns":{"subject":"who","object":"sheet","privileges":"can"}}"#,
                "the meaning of `until`, `note`"
            ),
        ])
    func refused(mapping: String?, reason: String) throws {
        try SourceFiles.inFreshFolder { files in
            let error = try #require(throws: SourceFileError.self) { try facts(files, Self.rights, mapping) }
            #expect(error.description.contains(reason), "\(error)")
        }
    }

    @Test("A text that is not UTF-8 is an error: after a repair it could be another name")
    func notUTF8() throws {
        try SourceFiles.inFreshFolder { files in
            let sql =
                "CREATE TABLE grants (subject, object, privileges); INSERT INTO grants VALUES (CAST(x'ff61' AS TEXT), 'a', 'read')"
            let error = try #require(throws: SourceFileError.self) { try facts(files, sql, #"{"tables":["grants"]}"#) }
            #expect(error.description.contains("app.db, table grants, row 1: a text is not UTF-8"), "\(error)")
        }
    }

    @Test("A file that does not exist or is not a database is an error, and no file is created", arguments: [true, false])
    func noDatabase(exists: Bool) throws {
        try SourceFiles.inFreshFolder { files in
            let path = files.folder + "/app.db"
            if exists { try Data(repeating: 65, count: 10_000).write(to: URL(filePath: path)) }
            let error = try #require(throws: SourceFileError.self) { try SourceFormat.sqlite.facts(in: [path]) }
            #expect("\(error)".contains(exists ? "file is not a database" : "unable to open"), "\(error)")
            #expect(FileManager.default.fileExists(atPath: path) == exists)
        }
    }
}
