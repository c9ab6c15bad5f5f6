import Events
import Importers
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Importing a GitHub organization")
struct GitHubTests {
    /// A part of the Kubernetes organizations, with pseudonyms.
    private static let organization = """
        {"orgs":{"kubernetes-client":{
          "admins":["u1f90650194"],"members":["u2cfa41416a","ua","ub"],"default_repository_permission":"read","has_issues":true,
          "repos":{"gen":{"description":"generator","collaborators":{"uc":"triage"}}},
          "teams":{"c-admins":{"privacy":"closed","maintainers":["ua"],"members":[],"repos":{"c":"admin"},
            "teams":{"c-maintainers":{"members":["ub"],"repos":{"c":"write"}}}}}}}}
        """

    @Test("Teams become nested roles, repositories objects of their organization, and levels nested privileges")
    func access() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(Self.organization, .github)
            #expect(facts.unmapped.isEmpty)
            try files.load(facts)
            #expect(try files.may("user:u1f90650194", "delete", "repo:kubernetes-client/c"))
            #expect(try files.may("user:u2cfa41416a", "read", "repo:kubernetes-client/gen"))
            #expect(try !files.may("user:u2cfa41416a", "triage", "repo:kubernetes-client/gen"))
            #expect(try files.may("user:uc", "triage", "repo:kubernetes-client/gen"))
            #expect(try files.may("user:ua", "setPermissions", "repo:kubernetes-client/c"))
            // A child team has what its parent has.
            #expect(try files.may("user:ub", "setPermissions", "repo:kubernetes-client/c"))
            #expect(try !files.may("user:ub", "update", "repo:kubernetes-client/gen"))
            #expect(try files.differences(facts).isEmpty)
            let next = try files.facts(Self.organization.replacing(#""maintainers":["ua"]"#, with: #""maintainers":[]"#), .github)
            #expect(
                try files.load(next).steps.map(\.changes) == [[.removeMember("user:ua", from: "role:kubernetes-client/c-admins")]])
        }
    }

    @Test("Logins and repositories in another case are the same, and what GitHub decides by itself gets a note")
    func cases() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(
                """
                {"orgs":{"a":{"members":["Bob"],"repos":{"w":{"archived":true}},"teams":{"t":{"members":["bob"],"repos":{"W":"admin"}}}}}}
                """, .github)
            #expect(facts.objects.keys.sorted() == ["org:a", "repo:a/w"])
            #expect(Set(facts.memberships.keys.map(\.member)) == ["user:Bob"])
            #expect(facts.notes.count == 2, "\(facts.notes)")
            #expect(
                facts.notes.contains { $0.contains("is archived") }
                    && facts.notes.contains { $0.contains("`default_repository_permission`") })
        }
    }

    @Test("An unknown level is reported, and another file is an error")
    func faults() throws {
        try SourceFiles.inFreshFolder { files in
            let text = Self.organization.replacing(#""c":"write""#, with: #""c":"ship""#)
            let reasons = files.reasons(try files.facts(text, .github))
            #expect(reasons.count == 1 && reasons[0].contains("repos.c: `ship` is not a level of GitHub"))
            #expect { try files.facts("{}", .github) } throws: { "\($0)".contains("has no `orgs`") }
        }
    }

    @Test("A login is a user, also if it is a name that the store knows")
    func logins() throws {
        try SourceFiles.inFreshFolder { files in
            let text = #"{"orgs":{"o":{"members":["everyone"],"repos":{"r":{"collaborators":{"anonymous":"read"}}}}}}"#
            let facts = try files.facts(text, .github)
            #expect(facts.memberships.keys.map(\.member) == ["user:everyone"])
            #expect(Set(facts.grants.keys.map(\.subject)).contains("user:anonymous"))
        }
    }

    @Test("Two teams with one name are reported, and the members of the second one get nothing")
    func teamsWithOneName() throws {
        try SourceFiles.inFreshFolder { files in
            let web = #""web":{"members":["ann"],"repos":{"site":"admin"}}"#
            let ops = #""ops":{"teams":{"web":{"members":["bob"]}}}"#
            let facts = try files.facts(#"{"orgs":{"o":{"teams":{\#(ops),\#(web)}}}}"#, .github)
            #expect(
                files.reasons(facts) == [
                    "source: orgs.o.teams.web: another team of the organization has the name `web`; rename one of them"
                ])
            #expect(!facts.memberships.keys.contains { $0.member == "user:ann" })
        }
    }

    @Test("Unknown keys are reported, and those of settings are not")
    func unknownKeys() throws {
        try SourceFiles.inFreshFolder { files in
            let text = """
                {"defaults":{},"orgs":{"o":{"admins":["ann"],"name":"O","has_issues":true,"members_can_create_repositories":true,
                  "outside_collaborators":["bob"],"repos":{"r":{"private":true,"teams":{"t":"admin"}},"s":null},
                  "teams":{"t":{"member":["bob"],"privacy":"closed","repo":{"r":"admin"}}}}}}
                """
            let facts = try files.facts(text, .github)
            #expect(
                files.reasons(facts) == [
                    "source: defaults: the key is unknown; correct or remove it",
                    "source: orgs.o.repos.r.teams: the key is unknown for a repository; correct or remove it",
                    "source: orgs.o.teams.t.member: the key is unknown for a team; correct or remove it",
                    "source: orgs.o.teams.t.repo: the key is unknown for a team; correct or remove it",
                    "source: orgs.o.outside_collaborators: the key is unknown for an organization; correct or remove it",
                ])
        }
    }

    @Test("A file without organizations is an error")
    func empty() throws {
        try SourceFiles.inFreshFolder { files in
            #expect { try files.facts(#"{"orgs":{}}"#, .github) } throws: { "\($0)".contains("it contains no access") }
        }
    }
}
