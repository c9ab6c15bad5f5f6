import Events
import Importers
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Importing CSV")
struct CSVTests {
    private static let people = "subject,object,privileges\nann,doc:1,read;update\nrole:staff,doc:1,read\n"
    private static let teams = "role,member\nstaff,bob\nstaff,user:cleo\n"

    @Test("Rows become grants, memberships and parents, and the store gives the access that they state")
    func access() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                ["a": Self.people, "b": Self.teams, "c": "object,parent\ndoc:2,doc:1\n"], .csv)
            #expect(facts.unmapped.isEmpty)
            try files.load(facts)
            #expect(try files.may("user:ann", "update", "doc:1"))
            #expect(try files.may("user:ann", "update", "doc:2"))
            #expect(try files.may("user:bob", "read", "doc:2"))
            #expect(try !files.may("user:bob", "update", "doc:1"))
            #expect(try !files.may("user:eve", "read", "doc:1"))
            #expect(try files.differences(facts).isEmpty)
        }
    }

    @Test("Columns, classes, types and privileges are mapped, and quotes follow RFC 4180")
    func mapping() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                "who,\"what, exactly\",rights,extra\r\nann,\"a \"\"b\"\"\nc\",edit,x\r\nbot:7,file:9,edit,\r\n", .csv,
                mapping: """
                    {"columns":{"subject":"who","object":"what, exactly","privileges":"rights"},"objects":"paper",
                     "types":{"bot":"thing","file":"doc"},"ignore":["extra"],"privileges":{"edit":["read","update"]}}
                    """)
            // A name has no control characters.
            #expect(files.reasons(facts) == ["source:2: `paper:a \"b\"c…` has a control character in it"])
            try files.load(facts)
            #expect(try files.may("thing:7", "update", "doc:9"))
        }
    }

    @Test("valid_from and valid_to become history: the access at each time is that of the source")
    func history() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                """
                subject,object,privileges,role,member,valid_from,valid_to
                ann,doc:1,read,,,2024-01-01,2024-07-01
                ann,doc:1,read,,,2025-01-01 12:00:00+02,
                ,,,staff,bob,2024-02-01,2024-03-01
                role:staff,doc:1,update,,,2023-06-01,2027-01-01

                """, .csv)
            #expect(facts.unmapped.isEmpty)
            let plan = try files.load(facts)
            #expect(plan.notes == [])
            let times = [
                ("2023-12-31T00:00:00Z", false), ("2024-01-01T00:00:00Z", true), ("2024-07-01T00:00:00Z", false),
                ("2025-01-01T09:59:59Z", false), ("2025-01-01T10:00:00Z", true),
            ]
            for (time, isAllowed) in times { #expect(try files.may("user:ann", "read", "doc:1", at: time) == isAllowed, "\(time)") }
            #expect(try !files.may("user:bob", "update", "doc:1", at: "2024-01-31T00:00:00Z"))
            #expect(try files.may("user:bob", "update", "doc:1", at: "2024-02-01T00:00:00Z"))
            #expect(try !files.may("user:bob", "update", "doc:1", at: "2024-03-01T00:00:00Z"))
            let until = try files.withStore { try $0.read { try $0.entries(on: "doc:1") } }.first { $0.subject == "role:staff" }?
                .until
            #expect(try until == Instant("2027-01-01T00:00:00Z"))
            // The same rows again bring nothing.
            let again = try files.load(facts)
            #expect((again.changeCount, again.notes) == (0, []))
        }
    }

    @Test("What begins later, and a membership that ends later, is not brought, and a note says so")
    func future() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                """
                subject,object,privileges,role,member,valid_from,valid_to
                ann,doc:1,read,,,2027-01-01,
                ,,,staff,bob,,2027-01-01

                """, .csv)
            let notes = try files.load(facts).notes
            #expect(notes.count == 2 && notes.allSatisfy { $0.hasPrefix("not brought") })
            #expect(try files.differences(facts) == ["- user:bob in role:staff"])
            files.clock.now = try Instant("2027-01-01T00:00:00Z")
            try files.load(facts)
            #expect(try files.may("user:ann", "read", "doc:1"))
        }
    }

    @Test("Lines that cannot be mapped are reported with their line and reason")
    func unmapped() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                "subject,object,privileges,parent,valid_from\nann,doc:1,read,,soon\nann,doc:1\n,,read,,\nann,user:bob,read,,\n"
                    + "ann,doc:1,read,doc:2,\nann,doc:1,read,doc:3,\nann,doc:2,read,doc:1,\n", .csv)
            #expect(
                files.reasons(facts) == [
                    "source:2: `soon` is not a time: write it like 2026-01-31T10:00:00Z or 2026-01-31",
                    "source:3: it has 2 fields, and the header has 5",
                    "source:4: it has empty fields, and states neither a grant, a membership nor a parent",
                    "source:5: `user:bob` is not an object: write `class:id`, with a class that is not built in",
                    "source:7: `doc:1` is in `doc:2` already, and an object has one parent",
                    "source:8: `doc:2` would be inside itself",
                ])
            for (text, problem) in [("a,b\n1,2\n", "has neither"), ("role,member\n\"a,b\n", "not closed"), (" \n", "is empty")] {
                #expect { try files.facts(text, .csv) } throws: { "\($0)".contains(problem) }
            }
        }
    }

    @Test("A row whose period is at no time gives no access")
    func noTime() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                "subject,object,privileges,valid_from,valid_to\nann,doc:1,read,infinity,\nann,doc:1,read,,-infinity\n"
                    + "bob,doc:1,read,-infinity,infinity\n", .csv)
            #expect(facts.grants.keys.map(\.subject) == ["user:bob"])
            #expect(facts.unmapped.count == 2)
        }
    }

    @Test("Missing columns of the mapping, columns in another case, and unknown ones that the mapping does not ignore are errors")
    func columns() throws {
        try SourceFiles.inFreshFolder { files in
            let header = "subject,object,privileges,ends"
            let row = "\nann,doc:1,read,2020-01-01\n"
            #expect {
                try files.facts(
                    header.replacing("ends", with: "remark") + row, .csv,
                    mapping: #"{"columns":{"valid_to":"ends_on"},"ignore":["remark"]}"#)
            } throws: {
                "\($0)".contains("no column is called `ends_on`")
            }
            #expect { try files.facts(header.replacing("ends", with: "Valid_To") + row, .csv) } throws: {
                "\($0)".contains("in case only")
            }
            for name in ["ends", "enabled", "Valid To", "remark"] {
                let text = header.replacing("ends", with: name) + row
                #expect { try files.facts(text, .csv) } throws: { "\($0)".contains("the meaning of `\(name)` is unknown") }
                let facts = try files.facts(text, .csv, mapping: #"{"ignore":["\#(name)"]}"#)
                #expect(facts.unmapped.isEmpty && facts.grants.count == 1)
            }
        }
    }

    @Test("An array of PostgreSQL is a list of privileges; other brackets, and a list without privileges, are reported")
    func arrays() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                "subject,object,privileges\nann,doc:1,\"{read,update}\"\nbob,doc:1,\"{\"\"read\"\",delete}\"\n"
                    + "cleo,doc:1,{}\ndan,doc:1,\"[read,update]\"\neve,doc:1,\"{read,{update}}\"\n", .csv)
            #expect(
                facts.grants.keys.map { "\($0.subject) \($0.privilege)" }.sorted() == [
                    "user:ann read", "user:ann update", "user:bob delete", "user:bob read",
                ])
            #expect(
                files.reasons(facts)
                    == [("4", "{}"), ("5", "[read,update]"), ("6", "{read,{update}}")].map { line, text in
                        "source:\(line): `\(text)` is not a list of privileges; write it like `read;update` or `{read,update}`, or give its "
                            + "words in `privileges` of the mapping"
                    })
        }
    }

    @Test(
        "Words that may take access away are no privileges, unless the mapping gives their meaning",
        arguments: [
            "not read", "deny", "!read", "-read", "read,NULL", "{read,none}", "*",
        ])
    func denials(words: String) throws {
        try SourceFiles.inFreshFolder { files in
            let text = "subject,object,privileges\nann,doc:1,\"\(words)\"\n"
            let facts = try files.facts(text, .csv)
            #expect(facts.grants.isEmpty && facts.unmapped.count == 1)
        }
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                "subject,object,privileges\nann,doc:1,none\n", .csv, mapping: #"{"privileges":{"none":["read"]}}"#)
            #expect(facts.grants.count == 1)
        }
    }

    @Test("A source is refused if the objects of its class inherit more in the store, since that would give more access")
    func wideInheritance() throws {
        try SourceFiles.inFreshFolder { files in
            try files.load(
                try files.facts("subject,object,privileges,parent\ncs,folder:z,viewer;owner,\n,doc:9,,folder:z\n", .csv),
                source: "table")
            let model = """
                {"schema_version":"1.1","type_definitions":[{"type":"user"},
                 {"type":"folder","relations":{"viewer":{"this":{}},"owner":{"this":{}}},
                  "metadata":{"relations":{"viewer":{"directly_related_user_types":[{"type":"user"}]},"owner":{"directly_related_user_types":[{"type":"user"}]}}}},
                 {"type":"doc","relations":{"parent":{"this":{}},"owner":{"this":{}},
                   "viewer":{"union":{"child":[{"this":{}},{"tupleToUserset":{"tupleset":{"relation":"parent"},"computedUserset":{"relation":"viewer"}}}]}}},
                  "metadata":{"relations":{"parent":{"directly_related_user_types":[{"type":"folder"}]},"viewer":{"directly_related_user_types":[{"type":"user"}]},
                   "owner":{"directly_related_user_types":[{"type":"user"}]}}}}]}
                """
            let tuples = """
                {"tuples":[{"key":{"user":"folder:x","relation":"parent","object":"doc:1"}},
                 {"key":{"user":"user:o","relation":"owner","object":"folder:x"}},{"key":{"user":"user:v","relation":"viewer","object":"folder:x"}}]}
                """
            let facts = try files.facts(["a": model, "b": tuples], .openfga)
            #expect { try files.load(facts, source: "model") } throws: {
                "\($0)".contains("objects of the class `doc` inherit more in the store than in the source")
            }
            #expect(try !files.may("user:o", "owner", "doc:1"))
        }
    }

    @Test("Subjects called everyone and anonymous are reported, unless the mapping names them")
    func builtInNames() throws {
        try SourceFiles.inFreshFolder { files in
            let text = "subject,object,privileges,role,member\neveryone,doc:1,read,,\nanonymous,doc:2,read,,\n,,,staff,everyone\n"
            let facts = try files.facts(text, .csv)
            #expect(facts.isEmpty && facts.unmapped.count == 3)
            let named = try files.facts(
                text, .csv, mapping: #"{"names":{"everyone":"user:everyone","anonymous":"anonymous"}}"#)
            #expect(named.unmapped.isEmpty && named.memberships.keys.map(\.member) == ["user:everyone"])
            #expect(Set(named.grants.keys.map(\.subject)) == ["user:everyone", .anonymous])
        }
    }

    @Test("Fields that are not separated by commas are an error with the reason", arguments: [";", "\t"])
    func delimiters(_ delimiter: String) throws {
        try SourceFiles.inFreshFolder { files in
            let text = "subject,object,privileges\nann,doc:1,read\n".replacing(",", with: delimiter)
            #expect { try files.facts(text, .csv) } throws: { "\($0)".contains("only commas are read") }
        }
    }

    @Test(
        "Access with a begin and the same access without one hold from the begin",
        arguments: [
            (["2024-01-01,", ","], true), ([",", "2024-01-01,2999-01-01"], true), (["2024-01-01,2024-03-01", ","], false),
            ([",", "2999-01-01,"], false),
        ])
    func undatedRow(periods: [String], isContinuous: Bool) throws {
        try SourceFiles.inFreshFolder { files in
            let rows = periods.map { "ann,doc:1,read,\($0)\n" }
            try files.load(files.facts("subject,object,privileges,valid_from,valid_to\n" + rows.joined(), .csv))
            #expect(try files.may("user:ann", "read", "doc:1"))
            #expect(
                try files.may("user:ann", "read", "doc:1", at: "2024-02-01T00:00:00Z") == periods[0].hasPrefix("2024")
                    || isContinuous)
            #expect(try files.may("user:ann", "read", "doc:1", at: "2024-04-01T00:00:00Z") == isContinuous)
            #expect(try !files.may("user:ann", "read", "doc:1", at: "2023-12-31T00:00:00Z"))
        }
    }

    @Test("A table without rows is an error: it would remove what earlier imports brought")
    func noRows() throws {
        try SourceFiles.inFreshFolder { files in
            #expect { try files.facts("subject,object,privileges\n", .csv) } throws: {
                "\($0)".contains("it contains no access")
            }
        }
    }

    @Test("Overlapping periods of a membership are one: it ends when the last of them does")
    func overlappingPeriods() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                "role,member,valid_from,valid_to\nstaff,bob,2024-01-01,2024-03-01\nstaff,bob,2024-02-01,2024-04-01\n"
                    + "staff,cleo,2024-01-01,2024-03-01\nstaff,cleo,2024-02-01,\n", .csv)
            try files.load(facts)
            func members(at time: String) throws -> [String] {
                try files.withStore { try $0.read(at: .time(try Instant(time))) { try $0.members(of: "role:staff") } }
            }
            #expect(try members(at: "2024-02-15T00:00:00Z") == ["user:bob", "user:cleo"])
            #expect(try members(at: "2024-03-15T00:00:00Z") == ["user:bob", "user:cleo"])
            #expect(try members(at: "2024-04-15T00:00:00Z") == ["user:cleo"])
            #expect(try files.load(facts).steps == [])
        }
    }
}
