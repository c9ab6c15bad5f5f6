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

    @Test("A file without organizations is an error")
    func empty() throws {
        try SourceFiles.inFreshFolder { files in
            #expect { try files.facts(#"{"orgs":{}}"#, .github) } throws: { "\($0)".contains("there is no access in it") }
        }
    }
}
