import Foundation
import PostgreSQLLog
import TestSupport
import Testing

/// The tables of a shared log are those that the script makes, and belong to the role that runs it.
@Suite("The schema of shared logs")
struct SchemaTests {
    /// Returns the error of the script in the database `muniment`; nil if it made the tables.
    private func failure(_ server: PostgreSQLServer, role: String = "muniment") -> String? {
        do { try server.run(PostgreSQLSchema.sql(role: role)) } catch { return "\(error)" }
        return nil
    }

    /// Tables, functions and rights that others made first, and a part of the error.
    private static let foreign: [(made: String, message: String)] = [
        ("CREATE SCHEMA muniment AUTHORIZATION mallory", "the schema belongs to mallory"),
        (
            """
            CREATE SCHEMA muniment; GRANT CREATE, USAGE ON SCHEMA muniment TO mallory;
            SET ROLE mallory; CREATE TABLE muniment.version (version bigint PRIMARY KEY); SET ROLE postgres;
            REVOKE CREATE ON SCHEMA muniment FROM mallory
            """, "muniment.version belongs to mallory"
        ),
        ("CREATE SCHEMA muniment; GRANT CREATE ON SCHEMA muniment TO PUBLIC", "PUBLIC may create objects in the schema"),
        (
            """
            CREATE SCHEMA muniment; CREATE FUNCTION muniment.confirm() RETURNS void LANGUAGE sql AS 'SELECT 1';
            ALTER FUNCTION muniment.confirm() OWNER TO mallory
            """, "muniment.confirm() belongs to mallory"
        ),
        ("CREATE SCHEMA muniment; CREATE TABLE muniment.heads (store text PRIMARY KEY)", "the table heads has other columns"),
        (
            "CREATE SCHEMA muniment; CREATE UNLOGGED TABLE muniment.version (version bigint PRIMARY KEY)",
            "the table version has other storage"
        ),
        (
            "CREATE SCHEMA muniment; CREATE TABLE muniment.version (version bigint NOT NULL)",
            "the table version has other keys or indexes"
        ),
    ]

    /// Changes of the tables that the script made, and a part of the error.
    private static let changed: [(change: String, message: String)] = [
        (
            """
            CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN CREATE TABLE public.hit(); RETURN NEW; END';
            CREATE TRIGGER t BEFORE INSERT ON muniment.version FOR EACH ROW EXECUTE FUNCTION public.f()
            """, "the table version has other triggers, rules or policies"
        ),
        (
            "CREATE RULE r AS ON INSERT TO muniment.commits DO INSTEAD NOTHING",
            "the table commits has other triggers, rules or policies"
        ),
        ("ALTER TABLE muniment.heads ENABLE ROW LEVEL SECURITY", "the table heads has other triggers, rules or policies"),
        ("CREATE INDEX ON muniment.commits (hash)", "the table commits has other keys or indexes"),
        ("ALTER TABLE muniment.commits ADD CHECK (length(store) > 0)", "the table commits has other keys or indexes"),
        ("ALTER TABLE muniment.heads ALTER store SET DEFAULT 'x'", "the table heads has other columns"),
        (#"ALTER TABLE muniment.heads ALTER store TYPE text COLLATE "C""#, "the table heads has other columns"),
        ("GRANT INSERT ON muniment.commits TO muniment", "the table commits has other rights"),
        ("GRANT UPDATE (hash) ON muniment.refusals TO mallory", "the table refusals has other rights"),
    ]

    @Test("The script refuses what another role has made first, and tables of another form, and then changes nothing")
    func foreign() throws {
        let server = try PostgreSQLServer.withDatabase()
        try server.run("CREATE ROLE mallory")
        let drop = "DROP SCHEMA IF EXISTS muniment CASCADE; DROP TABLE IF EXISTS public.hit; DROP FUNCTION IF EXISTS public.f"
        let tables = "SELECT oid FROM pg_class WHERE relnamespace = 'muniment'::regnamespace ORDER BY 1"
        for (made, message) in Self.foreign {
            try server.run(made)
            let before = try server.run(tables)
            let found = failure(server)
            #expect(found?.contains(message) == true, "\(made): \(found ?? "accepted")")
            #expect(try server.run(tables) == before)
            try server.run(drop)
        }
        for (change, message) in Self.changed {
            #expect(failure(server) == nil)
            // Without a version, the script would write one, and fire a trigger.
            try server.run("DELETE FROM muniment.version; \(change)")
            let found = failure(server)
            #expect(found?.contains(message) == true, "\(change): \(found ?? "accepted")")
            #expect(try server.run("SELECT count(*) FROM muniment.version") == "0\n")
            #expect(try server.run("SELECT to_regclass('public.hit')") == "\n")
            try server.run(drop)
        }
    }

    @Test(
        "The script runs again, after a monitoring role was given the right to read, and refuses a role that could change the tables"
    )
    func again() throws {
        let server = try PostgreSQLServer.withDatabase()
        try server.run(#"CREATE ROLE "o'd""d"; CREATE ROLE owner SUPERUSER; CREATE ROLE member IN ROLE postgres"#)
        try server.run(
            "CREATE ROLE maker CREATEROLE; CREATE ROLE writer IN ROLE pg_write_all_data; CREATE ROLE indirect IN ROLE maker")
        #expect(failure(server) == nil)
        let logs = PostgreSQLLogs(try PostgreSQLAddress(server.address()), allowsNoStandby: true)
        defer { logs.close() }
        try logs.check()
        try server.run(#"GRANT SELECT ON muniment.heads TO "o'd""d""#)
        #expect(failure(server) == nil)
        #expect(failure(server, role: #"o'd"d"#) == nil)
        try logs.check()
        for role in ["postgres", "owner", "member", "maker", "writer", "indirect"] {
            let found = failure(server, role: role)
            #expect(found?.contains("the role \(role) of the service could change the tables") == true, "\(found ?? "accepted")")
        }
        #expect(failure(server, role: "nobody")?.contains("the role nobody does not exist") == true)
        // Another owner does not take the tables over.
        let taken = "SET SESSION AUTHORIZATION owner; " + PostgreSQLSchema.sql(role: "muniment")
        #expect(throws: (any Error).self) { try server.run(taken) }
    }
}
