import Events
import Importers
import Muniment
import Testing

@Suite("Importing Casbin policies")
struct CasbinTests {
    private static let policy = """
        # Who may do what
        p, alice, data1, read
        p, "bob", "data,2", write, allow
        p, editor, data1, write
        p, admin, data1, delete

        g, alice, editor
        g, admin, editor
        g, cleo, admin
        """

    @Test("p rules become grants, g rules memberships, and a subject with members is a role")
    func rules() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(Self.policy, .casbin)
            #expect(facts.unmapped.isEmpty)
            try files.load(facts)
            #expect(try files.may("user:alice", "read", "resource:data1"))
            #expect(try files.may("user:alice", "write", "resource:data1"))
            #expect(try files.may("user:cleo", "write", "resource:data1"))
            #expect(try files.may("user:cleo", "delete", "resource:data1"))
            #expect(try files.may("user:bob", "write", "resource:data,2"))
            #expect(try !files.may("user:bob", "read", "resource:data1"))
            #expect(try files.differences(facts).isEmpty)
            #expect(try files.load(facts).steps.isEmpty)
        }
    }

    @Test("A `deny` rule also keeps the rules away that it could cancel")
    func denials() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                "p, admins, data, read\np, bob, data, read, deny\np, admins, data, write\np, ann, /user/:id, get\ng, bob, admins\n",
                .casbin)
            #expect(facts.grants.keys.map(\.privilege) == ["write"])
            #expect(files.reasons(facts).map { String($0.prefix(8)) } == ["source:1", "source:2", "source:4"])
        }
    }

    @Test("Deny effects, patterns, domains and other rules are reported, and roles in a cycle")
    func unmapped() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                """
                p, alice, data1, read, deny
                p, alice, data*, read
                p, alice, domain1, data1, read, allow
                g, alice, admin, domain1
                g2, data1, group
                p, alice
                g, a, b
                g, b, a
                """, .casbin)
            #expect(facts.grants.isEmpty)
            #expect(
                files.reasons(facts).map { String($0.prefix(28)) }
                    == [
                        "source:1: a `deny` rule take", "source:2: the pattern `data*", "source:3: a rule with a doma",
                        "source:4: a rule with a doma", "source:5: `g2` rules need a ", "source:6: the rule has too f",
                        "role `role:b`: `role:a` canno",
                    ].map { String($0.prefix(28)) })
        }
    }

    @Test("A file with CRLF line ends has the rules of one with LF")
    func lineEnds() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts("# comment\r\np, ann, data1, read\r\np, ann, data2, read, deny\r\n", .casbin)
            #expect(facts.grants.count == 1)
            #expect(files.reasons(facts).map { String($0.prefix(17)) } == ["source:3: a `deny"])
        }
    }

    @Test("Subjects called everyone and anonymous are reported, since they are not the store's")
    func builtInNames() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts("p, everyone, data1, read\ng, anonymous, admin\n", .casbin)
            #expect(facts.isEmpty && facts.unmapped.count == 2)
        }
    }

    @Test("Two names that would be one in the store are reported")
    func oneName() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                "p, ann, data1, read\np, user:ann, data2, read\np, role:admin, data1, read\ng, bob, admin\n", .casbin)
            #expect(
                files.reasons(facts) == [
                    "source:2: `ann` and `user:ann` would be one name; rename one of them",
                    "source:4: `role:admin` and `admin` would be one name; rename one of them",
                ])
        }
    }
}
