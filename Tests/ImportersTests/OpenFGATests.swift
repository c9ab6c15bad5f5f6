import Events
import Importers
import Muniment
import TestSupport
import Testing

@Suite("Importing OpenFGA")
struct OpenFGATests {
    private static func model(_ types: [String: String]) -> String {
        let definitions = types.sorted { $0.key < $1.key }.map { #"{"type":"\#($0.key)","relations":{\#($0.value)}}"# }
        return #"{"schema_version":"1.1","type_definitions":[\#(definitions.joined(separator: ","))]}"#
    }

    private static let this = #"{"this":{}}"#
    private static func union(_ parts: String...) -> String { #"{"union":{"child":[\#(parts.joined(separator: ","))]}}"# }
    private static func computed(_ relation: String) -> String { #"{"computedUserset":{"relation":"\#(relation)"}}"# }
    private static func from(_ parents: String, _ relation: String) -> String {
        #"{"tupleToUserset":{"tupleset":{"relation":"\#(parents)"},"computedUserset":{"relation":"\#(relation)"}}}"#
    }

    private static func tuples(_ lines: String...) -> String {
        let list = lines.map { line in
            let words = line.split(separator: " ")
            return #"{"key":{"user":"\#(words[0])","relation":"\#(words[1])","object":"\#(words[2])"}}"#
        }
        return #"{"tuples":[\#(list.joined(separator: ","))]}"#
    }

    /// Folders contain documents; editors are viewers; viewers of a folder are viewers of what is in it.
    private static let drive = model([
        "user": "", "group": #""member":\#(this)"#,
        "folder": #""parent":\#(this),"editor":\#(this),"viewer":\#(union(this, computed("editor"), from("parent", "viewer")))"#,
        "doc": #""parent":\#(this),"owner":\#(this),"viewer":\#(union(this, computed("owner"), from("parent", "viewer")))"#,
    ])

    @Test("Direct relations, implied ones, holders of relations and parents give the access of the model")
    func drive() throws {
        try SourceFiles.inFreshFolder { files in
            let tuples = Self.tuples(
                "user:ann owner doc:1", "folder:f parent doc:1", "folder:top parent folder:f", "group:eng#member viewer folder:top",
                "user:bob member group:eng", "user:cleo editor folder:f", "user:* viewer doc:2")
            let facts = try files.facts(["model": Self.drive, "tuples": tuples], .openfga)
            #expect(facts.unmapped.isEmpty)
            #expect(facts.roles == ["role:group:eng"])
            try files.load(facts)
            #expect(try files.may("user:ann", "viewer", "doc:1"))
            #expect(try files.may("user:bob", "viewer", "doc:1"))
            #expect(try files.may("user:cleo", "viewer", "doc:1"))
            #expect(try !files.may("user:cleo", "owner", "doc:1"))
            // A document has no editors.
            #expect(try !files.may("user:cleo", "editor", "doc:1"))
            #expect(try !files.may("user:ann", "viewer", "folder:f"))
            #expect(try files.may("user:zoe", "viewer", "doc:2"))
            #expect(try files.differences(facts).isEmpty)
            #expect(try files.load(facts).steps.isEmpty)
        }
    }

    @Test("A relation of a parent with another name is inherited, through several levels and by roles")
    func otherName() throws {
        try SourceFiles.inFreshFolder { files in
            let model = Self.model([
                "user": "", "platform": #""boss":\#(Self.this)"#,
                "org":
                    #""platform":\#(Self.this),"admin":\#(Self.union(Self.this, Self.from("platform", "boss"))),"member":\#(Self.this)"#,
                "repo":
                    #""org":\#(Self.this),"writer":\#(Self.this),"edit":\#(Self.union(Self.computed("writer"), Self.from("org", "admin")))"#,
            ])
            let tuples = Self.tuples(
                "platform:p platform org:o", "org:o org repo:r", "user:ann boss platform:p", "user:bob admin org:o",
                "user:cleo member org:o", "user:dan writer repo:r", "org:o#member writer repo:s")
            let facts = try files.facts(["model": model, "tuples": tuples], .openfga)
            #expect(files.reasons(facts) == [])
            try files.load(facts)
            let holders = ["ann", "bob", "cleo", "dan"].map { Name("user:" + $0) }
            #expect(try holders.map { try files.may($0, "edit", "repo:r") } == [true, true, false, true])
            #expect(try holders.map { try files.may($0, "edit", "repo:s") } == [false, false, true, false])
            #expect(try holders.map { try files.may($0, "admin", "org:o") } == [true, true, false, false])
            #expect(try holders.map { try files.may($0, "admin", "repo:r") } == [false, false, false, false])
        }
    }

    @Test("A relation that inheritance by name would give to others is reported and not inherited")
    func otherHolders() throws {
        try SourceFiles.inFreshFolder { files in
            // Editors of the folder view its documents; viewers of the folder do not.
            let model = Self.model([
                "user": "", "folder": #""editor":\#(Self.this),"viewer":\#(Self.this)"#,
                "doc": #""parent":\#(Self.this),"viewer":\#(Self.union(Self.this, Self.from("parent", "editor")))"#,
            ])
            let tuples = Self.tuples("folder:f parent doc:1", "user:ann editor folder:f", "user:bob viewer folder:f")
            let facts = try files.facts(["model": model, "tuples": tuples], .openfga)
            #expect(files.reasons(facts).map { String($0.prefix(32)) } == ["`doc#viewer`: it comes from `par"])
            try files.load(facts)
            #expect(try !files.may("user:ann", "viewer", "doc:1"))
            #expect(try !files.may("user:bob", "viewer", "doc:1"))
        }
    }

    @Test("Intersections, differences, conditions, unknown relations and subjects that are no users are reported")
    func unmapped() throws {
        try SourceFiles.inFreshFolder { files in
            let model = Self.model([
                "user": "", "doc": #""viewer":\#(Self.this),"both":{"intersection":{"child":[\#(Self.this)]}}"#,
            ])
            let tuples = """
                [{"user":"user:ann","relation":"viewer","object":"doc:1","condition":{"name":"office"}},
                 {"user":"user:ann","relation":"owner","object":"doc:1"},{"user":"user:ann","relation":"both","object":"doc:1"},
                 {"user":"team:a","relation":"viewer","object":"doc:1"}]
                """
            let facts = try files.facts(["model": model, "tuples": tuples], .openfga)
            #expect(facts.grants.isEmpty)
            #expect(
                files.reasons(facts) == [
                    "`doc#both`: an intersection or a difference takes access away, and a store has only grants",
                    "tuples: tuple 1: it has a condition, which is evaluated with each request",
                    "tuples: tuple 2: the model has no relation `doc#owner`", "tuples: tuple 3: `doc#both` cannot be mapped",
                    "tuples: tuple 4: subjects of the type `team` are no users; give its class, user or thing, in `types` of the mapping",
                ])
            #expect { try files.facts(tuples, .openfga) } throws: { "\($0)".contains("model is missing") }
        }
    }

    @Test("A mapping to the same privilege does not let holders of another relation inherit it")
    func sharedPrivilege() throws {
        try SourceFiles.inFreshFolder { files in
            // Only viewers of a folder view its documents, and the mapping lets editors read too.
            let model = Self.model([
                "user": "", "folder": #""editor":\#(Self.this),"viewer":\#(Self.this)"#,
                "doc": #""parent":\#(Self.this),"viewer":\#(Self.union(Self.this, Self.from("parent", "viewer")))"#,
            ])
            let tuples = Self.tuples("folder:f parent doc:1", "user:ann editor folder:f", "user:bob viewer folder:f")
            let facts = try files.facts(
                ["a": model, "b": tuples], .openfga, mapping: #"{"privileges":{"viewer":"read","editor":["read","update"]}}"#)
            #expect(files.reasons(facts).map { String($0.prefix(30)) } == ["`doc#read`: it comes from `par"])
            try files.load(facts)
            #expect(try files.may("user:ann", "read", "folder:f"))
            #expect(try !files.may("user:ann", "read", "doc:1"))
        }
    }

    @Test("Tuples that the model does not permit are reported")
    func restrictions() throws {
        try SourceFiles.inFreshFolder { files in
            let model = """
                {"type_definitions":[{"type":"user"},{"type":"group","relations":{"member":{"this":{}}}},
                 {"type":"doc","relations":{"viewer":{"this":{}}},"metadata":{"relations":{"viewer":
                   {"directly_related_user_types":[{"type":"user"}]}}}}]}
                """
            let tuples = Self.tuples("user:* viewer doc:1", "group:eng#member viewer doc:1", "user:ann viewer doc:1")
            let facts = try files.facts(["model": model, "tuples": tuples], .openfga)
            #expect(facts.grants.keys.map(\.subject) == ["user:ann"])
            #expect(
                files.reasons(facts) == [
                    "tuples: tuple 1: the model does not let `doc#viewer` have the subject `user:*`",
                    "tuples: tuple 2: the model does not let `doc#viewer` have the subject `group#member`",
                ])
        }
    }

    @Test("A page of tuples that others follow, and a model that is not JSON, are errors with the remedy")
    func incompleteFiles() throws {
        try SourceFiles.inFreshFolder { files in
            let tuples = String(Self.tuples("user:ann owner doc:1").dropLast()) + #","continuation_token":"x"}"#
            #expect { try files.facts(["a": Self.drive, "b": tuples], .openfga) } throws: {
                "\($0)".contains("`--max-pages 0`")
            }
            let last = try files.facts(["a": Self.drive, "b": tuples.replacing(#""x""#, with: #""""#)], .openfga)
            #expect(last.grants.count == 2)
            #expect { try files.facts("model\n  schema 1.1\ntype user\n", .openfga) } throws: {
                "\($0)".contains("`fga model transform ")
            }
        }
    }

    @Test("Objects of two types that the mapping gives one name, and what only one of them inherits, are reported")
    func oneClass() throws {
        try SourceFiles.inFreshFolder { files in
            let viewer = #""parent":\#(Self.this),"viewer":\#(Self.union(Self.this, Self.from("parent", "viewer")))"#
            let model = Self.model([
                "user": "", "folder": #""viewer":\#(Self.this)"#, "doc": viewer,
                "sheet": viewer + #","editor":\#(Self.union(Self.this, Self.from("parent", "viewer")))"#,
            ])
            let tuples = Self.tuples(
                "folder:f parent doc:1", "folder:f parent sheet:2", "user:ann viewer doc:1", "user:bob viewer sheet:1")
            let facts = try files.facts(["model": model, "tuples": tuples], .openfga, mapping: #"{"types":{"sheet":"doc"}}"#)
            #expect(facts.grants.keys.allSatisfy { $0.subject == "user:ann" })
            #expect(facts.inherited["doc"] == ["viewer"])
            #expect(
                files.reasons(facts) == [
                    "class `doc`: not all of its types inherit `editor`; give them classes of their own",
                    "tuples: tuple 4: the mapping gives `doc:1` to another type too; use another class",
                ])
        }
    }

    /// A search that begins again at each blank line reads 10^11 characters, and does not end.
    @Test("Blank lines are read once")
    func blankLines() throws {
        let blank = String(repeating: "\n", count: 500_000)
        try SourceFiles.inFreshFolder { files in
            let tuples = Self.tuples("user:ann owner doc:1")
            try files.load(try files.facts(["model": blank + Self.drive + blank, "tuples": blank + tuples], .openfga))
            #expect(try files.may("user:ann", "viewer", "doc:1"))
        }
    }
}
