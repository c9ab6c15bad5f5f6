import Events
import Importers
import Muniment
import TestSupport
import Testing

@Suite("Importing Keycloak")
struct KeycloakTests {
    private static let realm = """
        {"realm":"firm","enabled":true,
         "roles":{"realm":[{"name":"manager","composite":true,"composites":{"realm":["staff"],"client":{"shop":["buy"]}}},
                           {"name":"staff"}],
                  "client":{"shop":[{"name":"buy"},{"name":"sell"}]}},
         "groups":[{"id":"g1","name":"sales","path":"/sales","realmRoles":["staff"],"clientRoles":{"shop":["sell"]},
                    "subGroups":[{"id":"g2","name":"north","path":"/sales/north","subGroups":[]}]}],
         "clients":[{"id":"c1","clientId":"shop"}],
         "users":[{"id":"1","username":"ann","enabled":true,"realmRoles":["manager"],"groups":[]},
                  {"id":"2","username":"bob","enabled":true,"groups":["/sales/north"]},
                  {"id":"3","username":"eve","enabled":false,"realmRoles":["manager"]}]}
        """

    @Test("Composites, groups with their parents and client roles become nested roles; a disabled user is in none")
    func roles() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(Self.realm, .keycloak)
            #expect(facts.unmapped.isEmpty)
            try files.load(facts)
            let members = try files.withStore { store in
                try store.read { snapshot in
                    try ["role:manager", "role:staff", "role:shop/buy", "role:shop/sell", "role:group:/sales"].map {
                        try snapshot.members(of: Name($0)).joined(separator: " ")
                    }
                }
            }
            #expect(
                members == [
                    "user:ann", "role:group:/sales role:manager", "role:manager", "role:group:/sales", "role:group:/sales/north",
                ])
            #expect(try files.differences(facts).isEmpty)
        }
    }

    @Test("Admin events give memberships their times, also those that ended")
    func events() throws {
        try SourceFiles.inFreshFolder { files in
            func event(_ time: String, _ operation: String, _ kind: String, _ path: String, _ roles: String) throws -> String {
                let milliseconds = try Instant(time).microseconds / 1_000
                return #"{"time":\#(milliseconds),"operationType":"\#(operation)","resourceType":"\#(kind)","#
                    + #""resourcePath":"\#(path)","representation":\#(roles)}"#
            }
            let manager = #""[{\"id\":\"r\",\"name\":\"manager\"}]""#
            let sell = #""[{\"id\":\"s\",\"name\":\"sell\",\"clientRole\":true,\"containerId\":\"c1\"}]""#
            let events = try [
                event("2024-05-01T00:00:00Z", "CREATE", "REALM_ROLE_MAPPING", "users/1/role-mappings/realm", manager),
                event("2024-02-01T00:00:00Z", "CREATE", "CLIENT_ROLE_MAPPING", "users/2/role-mappings/clients/c1", sell),
                event("2024-03-01T00:00:00Z", "DELETE", "CLIENT_ROLE_MAPPING", "users/2/role-mappings/clients/c1", sell),
                event("2024-03-01T00:00:00Z", "DELETE", "REALM_ROLE_MAPPING", "users/2/role-mappings/clients/c1", "null"),
                event("2024-04-01T00:00:00Z", "CREATE", "GROUP_MEMBERSHIP", "users/2/groups/g2", #""{}""#),
                event("2024-04-01T00:00:00Z", "CREATE", "GROUP_MEMBERSHIP", "users/9/groups/g2", #""{}""#),
            ]
            let facts = try files.facts(["a": Self.realm, "b": "[\(events.joined(separator: ","))]"], .keycloak)
            #expect(
                files.reasons(facts) == [
                    "b: event 6: its user, group or role is not in the realm, or its representation was not recorded"
                ])
            try files.load(facts)
            func members(of role: Name, at time: String) throws -> [String] {
                try files.withStore { try $0.read(at: .time(try Instant(time))) { try $0.members(of: role) } }
            }
            #expect(try members(of: "role:shop/sell", at: "2024-02-15T00:00:00Z") == ["user:bob"])
            #expect(try members(of: "role:shop/sell", at: "2024-03-15T00:00:00Z") == [])
            #expect(try members(of: "role:group:/sales/north", at: "2024-04-15T00:00:00Z") == ["user:bob"])
            #expect(try members(of: "role:manager", at: "2024-04-15T00:00:00Z") == [])
            #expect(try members(of: "role:manager", at: "2024-05-01T00:00:00Z") == ["user:ann"])
            let again = try files.load(facts)
            #expect((again.steps.count, again.notes) == (0, []))
        }
    }

    @Test("A user name is a user, also if it is a name that the store knows")
    func userNames() throws {
        try SourceFiles.inFreshFolder { files in
            let names = ["everyone", "anonymous", "role:staff", "user:ann"]
            let users = names.map { #"{"username":"\#($0)","realmRoles":["boss"]}"# }.joined(separator: ",")
            let facts = try files.facts(#"{"realm":"firm","users":[\#(users)]}"#, .keycloak)
            #expect(Set(facts.memberships.keys.map(\.member)) == Set(names.map { Name("user:" + $0) }))
        }
    }

    @Test("Federated users with roles or groups are reported, since the export does not contain their names")
    func federatedUsers() throws {
        try SourceFiles.inFreshFolder { files in
            let federated =
                #"[{"id":"f:1:ann","realmRoles":["boss"]},{"id":"f:1:bob","groups":["/g"]},{"id":"f:1:cleo","groups":[]}]"#
            let text = #"{"realm":"firm","users":[],"roles":{"realm":[{"name":"boss"}]},"federatedUsers":\#(federated)}"#
            let facts = try files.facts(text, .keycloak)
            #expect(
                files.reasons(facts).map { String($0.prefix(52)) } == [
                    "source: federated user f:1:ann: it has roles or grou", "source: federated user f:1:bob: it has roles or grou",
                ])
        }
    }

    @Test("A realm that was exported without its users is an error")
    func noUsers() throws {
        try SourceFiles.inFreshFolder { files in
            let text = #"{"realm":"firm","roles":{"realm":[{"name":"staff"}]}}"#
            #expect { try files.facts(text, .keycloak) } throws: { "\($0)".contains("has no `users`") }
        }
    }

    @Test("Two roles that would have one name in the store, and two realms, are errors")
    func oneName() throws {
        try SourceFiles.inFreshFolder { files in
            let roles = #"{"realm":[{"name":"shop/sell"}],"client":{"shop":[{"name":"sell"}]}}"#
            #expect { try files.facts(#"{"realm":"firm","users":[],"roles":\#(roles)}"#, .keycloak) } throws: {
                "\($0)".contains("would be a realm role and a role of the client `shop`")
            }
            #expect {
                try files.facts(["a": Self.realm, "b": Self.realm.replacing("firm", with: "other")], .keycloak)
            } throws: { "\($0)".contains("another realm") }
        }
    }

    @Test("Admin events with a time that no text can have are unmapped")
    func eventTimes() throws {
        try SourceFiles.inFreshFolder { files in
            // The first two overflow in microseconds, and the last two are before year 1 and after year 9999.
            let times = ["9223372036854775807", "-9223372036854775807", "-62135596800001", "253402300800000"]
            let events = times.map {
                #"{"time":\#($0),"operationType":"CREATE","resourceType":"GROUP_MEMBERSHIP","#
                    + #""resourcePath":"users/2/groups/g2","representation":"{}"}"#
            }
            let facts = try files.facts(
                ["realm.json": Self.realm, "events.json": "[" + events.joined(separator: ",") + "]"], .keycloak)
            #expect(files.reasons(facts).count == times.count)
            for time in times { #expect(files.reasons(facts).contains { $0.contains("its time \(time) is outside the years") }) }
            try files.load(facts)
            let export = try files.withStore { try $0.head.time }
            #expect(export == files.clock.now)
        }
    }
}
