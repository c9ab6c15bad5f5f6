import Events
import Importers
import Muniment
import TestSupport
import Testing

@Suite("Importing SpiceDB")
struct SpiceDBTests {
    private static let schema = """
        use expiration
        /* Teams own
           documents. */
        definition user {}
        caveat weekday(day string) { day != "sunday" }
        definition team {
            relation direct: user | team#all // nested teams
            permission all = direct
        }
        definition org {
            relation admin: user
        }
        definition doc {
            relation org: org
            relation viewer: user | user:* | team#all | user with expiration
            relation editor: user
            permission view = viewer + edit
            permission edit = editor + org->admin
            permission odd = viewer - editor
        }
        """
    private static let relationships = """
        // direct
        doc:1#editor@user:ann
        doc:1#viewer@team:eng#all
        doc:1#org@org:acme
        team:eng#direct@user:bob
        team:eng#direct@team:core#all
        team:core#direct@user:cleo
        org:acme#admin@user:dan
        doc:2#viewer@user:ann[expiration:2026-06-01T00:00:00Z]
        """

    @Test("Relations, permissions, nested teams, arrows and expirations give the access of the schema")
    func access() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(["schema.zed": Self.schema, "tuples.txt": Self.relationships], .spicedb)
            #expect(files.reasons(facts).map { String($0.prefix(24)) } == ["`doc#odd`: only unions o"])
            try files.load(facts)
            for user: Name in ["user:ann", "user:bob", "user:cleo", "user:dan"] {
                #expect(try files.may(user, "view", "doc:1"), "\(user)")
                #expect(try files.may(user, "edit", "doc:1") == ["user:ann", "user:dan"].contains(user), "\(user)")
            }
            #expect(try !files.may("user:dan", "viewer", "doc:1"))
            #expect(try files.may("user:ann", "view", "doc:2"))
            files.clock.now = try Instant("2026-06-01T00:00:00Z")
            #expect(try !files.may("user:ann", "view", "doc:2"))
            #expect(try files.differences(facts).isEmpty)
        }
    }

    @Test("Privileges of the mapping replace relations, and an empty list leaves one out")
    func mapping() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                ["a": Self.schema, "b": "doc:1#editor@user:ann\ndoc:1#viewer@user:*"], .spicedb,
                mapping: #"{"privileges":{"view":"read","edit":["update"],"viewer":[],"editor":[]},"types":{"doc":"paper"}}"#)
            #expect(facts.privileges == ["read", "update"])
            try files.load(facts)
            #expect(try files.may("user:zoe", "read", "paper:1"))
            #expect(try files.may("user:ann", "update", "paper:1"))
            #expect(try !files.may("user:zoe", "update", "paper:1"))
        }
    }

    @Test("Relations that use one that cannot be mapped are reported too, through parents and other relations")
    func incompleteRelations() throws {
        try SourceFiles.inFreshFolder { files in
            let schema = """
                definition user {}
                definition org { relation admin: user
                    relation banned: user
                    permission manage = admin - banned }
                definition doc { relation org: org
                    relation reader: user
                    permission use = org->manage
                    permission show = reader + use
                    permission read = reader }
                """
            let facts = try files.facts(["a": schema, "b": "doc:1#org@org:o\ndoc:1#reader@user:ann"], .spicedb)
            #expect(
                Array(files.reasons(facts).dropFirst()) == [
                    "`doc#use`: it uses `org#manage`, which cannot be mapped, so not all of its holders have it",
                    "`doc#show`: it uses `doc#use`, which cannot be mapped, so not all of its holders have it",
                ])
            #expect(files.reasons(facts)[0].hasPrefix("`org#manage`: only unions"))
        }
    }

    @Test("Relationships are read as zed prints them, too")
    func printedRelationships() throws {
        try SourceFiles.inFreshFolder { files in
            let printed =
                "doc:1 editor user:ann\ndoc:1 viewer team:eng#all\ndoc:2 viewer user:bob[expiration:2026-06-01T00:00:00Z]\n"
            let facts = try files.facts(["a": Self.schema, "b": printed], .spicedb)
            #expect(Set(facts.grants.keys.map(\.subject)) == ["user:ann", "role:team:eng#all", "user:bob"])
        }
    }

    @Test("A caveat is reported, and a malformed file is an error with its line")
    func faults() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(["a": Self.schema, "b": #"doc:1#viewer@user:ann[weekday:{"day":"x"}]"#], .spicedb)
            #expect(files.reasons(facts).last == "b:1: it has a caveat, which is evaluated with each request")
            for (schema, relationships, problem) in [
                (Self.schema, "doc:1#viewer", "b:1: the line is not a relationship"),
                ("definition doc { relation }", "doc:1#a@user:b", "the name of a relation is missing"),
                ("doc:1#a@user:b", "doc:1#a@user:b", "the schema is missing"),
            ] {
                #expect { try files.facts(["a": schema, "b": relationships], .spicedb) } throws: { "\($0)".contains(problem) }
            }
        }
    }

    @Test("A schema with CRLF line ends keeps what follows a comment")
    func lineEnds() throws {
        try SourceFiles.inFreshFolder { files in
            let schema = """
                definition user {}
                definition doc {
                    relation viewer: user
                    relation banned: user
                    permission view = viewer // not these: /*
                        - banned
                }
                """
            let facts = try files.facts(
                ["a": schema.replacing("\n", with: "\r\n"), "b": "doc:1#viewer@user:ann\r\ndoc:1#banned@user:ann\r\n"], .spicedb)
            #expect(
                files.reasons(facts).map { String($0.prefix(25)) } == ["`doc#view`: only unions of"].map { String($0.prefix(25)) })
            #expect(facts.grants.count == 2)
        }
    }

    @Test("A schema that ends within a definition, or defines a name twice, is an error")
    func incompleteSchema() throws {
        try SourceFiles.inFreshFolder { files in
            let user = "definition user {}\n"
            for (schema, problem) in [
                (user + "definition doc { relation viewer: user", "`}` is missing"),
                (user + "caveat c(x int) { x > 1", "`}` is missing"), (user + "definition user {}", "`user` is defined twice"),
                (user + "definition doc { relation a: user relation a: user }", "`a` is defined twice"),
            ] {
                #expect { try files.facts(["a": schema, "b": "doc:1#viewer@user:ann"], .spicedb) } throws: {
                    "\($0)".contains(problem)
                }
            }
        }
    }

    /// A search that begins again at each blank line reads 10^11 characters, and does not end.
    @Test("Blank lines and open comments are read once")
    func blankLines() throws {
        let blank = String(repeating: "\n", count: 500_000)
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                ["schema.zed": blank + Self.schema, "tuples.txt": blank + Self.relationships + blank], .spicedb)
            try files.load(facts)
            #expect(try files.may("user:ann", "view", "doc:1"))
            let comments = String(repeating: "/* ", count: 500_000)
            let error = #expect(throws: SourceFileError.self) { try files.facts("definition user {}\n" + comments, .spicedb) }
            #expect(error?.description.contains("a comment has no `*/`") == true)
        }
    }
}
