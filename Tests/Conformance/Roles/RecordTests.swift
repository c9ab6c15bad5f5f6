import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Roles and levels: viewing permissions")
struct RecordTests {
    private func withRecords(_ body: (StoreFixture) async throws -> Void) async throws {
        try await withStore { fixture in
            try fixture.register("user:ann", "thing:robot")
            try fixture.commit(.defineClass("Person"), .createObject("Person:1"))
            try await fixture.openUpperLevels("Person")
            let roles = fixture.roles()
            try await roles.create("role:staff", members: ["user:ann", "thing:robot"])
            try await roles.create("role:all", members: ["role:staff", "everyone"])
            try await roles.set([.read, .update], for: "role:staff", at: .object("Person:1"))
            try await roles.define("permission:p", for: "role:staff", [.query], at: .object("Person:1"), .class("Person"))
            try await body(fixture)
        }
    }

    @Test("R19: Permissions are viewed per store, class and object")
    func levels() async throws {
        try await withRecords { fixture in
            let ann = fixture.roles("user:ann")
            #expect(try ann.permissions(at: .store).map(\.subject) == ["everyone"])
            #expect(try ann.permissions(at: .store).map(\.privileges) == [Privileges.builtInNames.sorted()])
            #expect(try ann.permissions(at: .class("Person")).map(\.subject) == ["everyone", "role:staff"])
            let entries = try ann.permissions(at: .object("Person:1"))
            #expect(entries.map(\.subject) == ["role:staff", "role:staff"])
            #expect(entries.map(\.privileges) == [["read", "update"], ["query"]])
            #expect(entries.map(\.permission) == [nil, "p"])
            #expect(try ann.permissions(at: .object("Person:9")).isEmpty)
        }
    }

    @Test("R19: Permissions are also available as raw records of roles, users and permissions")
    func records() async throws {
        try await withRecords { fixture in
            let ann = fixture.roles("user:ann")
            #expect(try ann.all().map(\.name) == ["role:all", "role:staff"])
            #expect(try ann.all().map(\.members) == [["everyone", "role:staff"], ["thing:robot", "user:ann"]])
            #expect(try ann.users().map(\.name) == ["thing:robot", "user:ann", "user:root"])
            #expect(try ann.users().map(\.roles) == [["role:staff"], ["role:staff"], []])
            let permission = try #require(try ann.permissions().first)
            #expect(permission.name == "permission:p" && permission.subject == "role:staff")
            #expect(permission.privileges == ["query"])
            #expect(permission.objects == ["Person:1", "class:Person"])
        }
    }

    @Test("R19: A caller sees only the values that it may read")
    func readable() async throws {
        try await withRecords { fixture in
            let robot = fixture.roles("thing:robot")
            let root = fixture.roles()
            try await root.set([], for: "role:staff", at: .object("Person:1"))
            #expect(try robot.permissions(at: .object("Person:1")).isEmpty)
            #expect(try robot.permissions().first?.objects == ["class:Person"])
            #expect(try root.permissions().first?.objects == ["Person:1", "class:Person"])

            // With access lists on roles, only some roles are visible.
            try fixture.commit(.changeClass("role", ClassSettings(objectACL: .required)))
            try await root.set(.read, for: .everyone, at: .object("role:all"))
            #expect(try robot.all().map(\.name) == ["role:all"])
            #expect(try robot.find("role:staff") == nil)
            #expect(try robot.users().allSatisfy { $0.roles.isEmpty })
            for (className, isEmpty) in [
                ("role", { try robot.all().isEmpty }), ("user", { try robot.users().map(\.name) == ["thing:robot"] }),
                ("permission", { try robot.permissions().isEmpty }),
                ("store", { try robot.permissions(at: .store).isEmpty }),
                ("class", { try robot.permissions(at: .class("Person")).isEmpty }),
            ] as [(String, () throws -> Bool)] {
                #expect(try !isEmpty(), "\(className)")
                try await root.change(.everyone, at: .class(className), deny: .read)
                #expect(try isEmpty(), "\(className)")
            }
        }
    }

    @Test("R19: Permissions can be viewed at any earlier time")
    func earlier() async throws {
        try await withRecords { fixture in
            let before = Moment.revision(try fixture.head)
            let root = fixture.roles()
            try await root.delete("role:staff")
            #expect(try root.all().map(\.name) == ["role:all"])
            #expect(try root.permissions().isEmpty)
            #expect(try root.all(before).map(\.name) == ["role:all", "role:staff"])
            #expect(try root.find("role:staff", before)?.members == ["thing:robot", "user:ann"])
            #expect(try root.permissions(before).map(\.privileges) == [["query"]])
            #expect(try root.permissions(at: .object("Person:1"), before).count == 2)
            #expect(try fixture.roles("user:ann").privileges(at: .object("Person:1"), before) == [.read, .update, .query])
        }
    }
}
