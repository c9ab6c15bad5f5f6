import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Roles and levels: roles")
struct RoleTests {
    @Test("R1: A user's privileges are the sum over all roles of the user, including roles that contain these roles")
    func sum() async throws {
        try await withStore { fixture in
            try await fixture.openUpperLevels()
            let roles = fixture.roles()
            try fixture.register("user:ann", "user:bob")
            try fixture.commit(.defineClass("Person"), .createObject("Person:1"))
            try await roles.set(.builtIn, for: .everyone, at: .class("Person"))
            try await roles.create("role:readers", members: ["user:ann", "user:bob"])
            try await roles.create("role:writers", members: ["user:ann"])
            try await roles.create("role:staff", members: ["role:readers"])
            try await roles.change("role:readers", at: .object("Person:1"), allow: .read)
            try await roles.change("role:writers", at: .object("Person:1"), allow: .update)
            try await roles.change("role:staff", at: .object("Person:1"), allow: .query)
            #expect(try fixture.roles("user:ann").privileges(at: .object("Person:1")) == [.read, .update, .query])
            #expect(try fixture.roles("user:bob").privileges(at: .object("Person:1")) == [.read, .query])

            try await roles.remove("user:ann", from: "role:writers")
            #expect(try fixture.roles("user:ann").privileges(at: .object("Person:1")) == [.read, .query])
            try await roles.delete("role:readers")
            #expect(try fixture.roles("user:ann").privileges(at: .object("Person:1")) == [])
        }
    }

    @Test("R1: Roles are listed, found, created, given members and deleted like other objects")
    func upkeep() async throws {
        try await withStore(.open) { fixture in
            let roles = fixture.roles("user:ann")
            try fixture.register("user:bob", "thing:printer")
            try await roles.create("role:my-role")
            try await roles.add("user:bob", "thing:printer", "everyone", to: "role:my-role")
            try await roles.add("user:bob", to: "role:my-role")
            #expect(try roles.all().map(\.name) == ["role:my-role"])
            #expect(try roles.find("role:my-role")?.members == ["everyone", "thing:printer", "user:bob"])
            #expect(try roles.find("role:other") == nil)
            #expect(try await refusal { try await roles.create("role:my-role") } == .alreadyExists)
            #expect(try await refusal { try await roles.add("user:nobody", to: "role:my-role") } == .unknownPrincipal)
            #expect(try await refusal { try await roles.create("role:new", members: ["user:nobody"]) } == .unknownPrincipal)
            #expect(try roles.find("role:new") == nil)
            try await roles.remove("everyone", "thing:printer", from: "role:my-role")
            #expect(try roles.find("role:my-role")?.members == ["user:bob"])
            try await roles.delete("role:my-role")
            #expect(try roles.all().isEmpty)
        }
    }

    @Test("R2: From the first connection on, a user is a member of everyone, and can be named like a role")
    func firstConnection() async throws {
        try await withStore { fixture in
            try await fixture.openUpperLevels()
            try fixture.commit(.defineClass("Person"), .createObject("Person:1"))
            try await fixture.roles().set(.builtIn, for: .everyone, at: .class("Person"))
            let share = { try await fixture.roles().change("user:new", at: .object("Person:1"), allow: .read) }
            #expect(try await refusal { _ = try await share() } == .unknownPrincipal)

            // Its first attempt is refused; the connection is still recorded.
            #expect(try fixture.refusal(.deleteObject("Person:1"), as: "user:new")?.code == .noPrivilege)
            #expect(try fixture.roles().users().map(\.name).contains("user:new"))
            #expect(try fixture.roles("user:new").privileges(at: .store) == [.create, .read, .update, .delete, .query])
            _ = try await share()
            #expect(try fixture.canRead("Person:1", "user:new"))
            try await fixture.roles().change(.everyone, at: .object("Person:1"), allow: .update)
            #expect(try fixture.roles("user:new").privileges(at: .object("Person:1")) == [.read, .update])
        }
    }

    @Test("R2: An anonymous caller does not have the privileges of everyone")
    func anonymous() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("Person", ClassSettings(objectACL: ObjectACL.none)), .createObject("Person:1"))
            #expect(try fixture.canRead("Person:1", "user:new"))
            #expect(try !fixture.canRead("Person:1", "anonymous"))
            #expect(try fixture.refusal(.createObject("Person:2"), as: "anonymous")?.code == .notAuthenticated)
        }
    }

    @Test("R10: Administrators read and change everything, independent of the levels")
    func administrators() async throws {
        try await withStore { fixture in
            try fixture.commit(.defineClass("Person"), .createObject("Person:1", value: .string("secret")))
            #expect(try fixture.entries(.store).isEmpty && fixture.entries("class:Person").isEmpty)
            #expect(try fixture.store.read { try $0.value(of: "Person:1", as: "user:root") } == .string("secret"))
            #expect(try fixture.query("Person", "user:root") == ["Person:1"])
            #expect(try fixture.roles().privileges(at: .object("Person:1")) == .builtIn)
            try fixture.commit(.writeObject("Person:1", .value(.string("changed"))), .register("user:ann"))
            try await fixture.roles().set(.builtIn, for: "user:ann", at: .object("Person:1"))
            try fixture.commit(.deleteObject("Person:1"))
        }
    }

    @Test("R10: A role named admin, or a member of it, is not an administrator of the store")
    func adminRole() async throws {
        try await withStore { fixture in
            try fixture.register("user:ann", "user:bob")
            try fixture.commit(.defineClass("Person"), .createObject("Person:1"))
            try await fixture.roles().create("role:admin", members: ["user:ann"])
            #expect(try fixture.privileges("user:ann", "Person:1") == [])
            #expect(try fixture.refusal(.appointAdministrator("user:bob"), as: "user:ann")?.code == .notAdministrator)

            // The levels limit such a role even with everything at every level. They do not limit an administrator.
            for level: PermissionLevel in [.store, .class("Person")] {
                try await fixture.roles().set(.builtIn, for: "role:admin", at: level)
            }
            #expect(try fixture.privileges("user:ann", "Person:1") == [])
            try fixture.commit(.appointAdministrator("user:ann"))
            #expect(try fixture.privileges("user:ann", "Person:1") == Privileges.builtInNames.sorted())
            #expect(try fixture.refusal(.appointAdministrator("role:admin"))?.code == .malformed)
        }
    }
}
