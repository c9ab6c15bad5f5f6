import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Roles and levels: shared permissions")
struct SharedPermissionTests {
    /// Three persons in a class with full access for everyone, and a role of editors.
    private func withPersons(_ body: (StoreFixture, Roles) async throws -> Void) async throws {
        try await withStore { fixture in
            try fixture.register("user:ann", "user:bob")
            try fixture.commit(.defineClass("Person"))
            for id in 1...3 { try fixture.commit(.createObject(Name("Person:\(id)"))) }
            try await fixture.openUpperLevels("Person")
            try await fixture.roles().create("role:editors", members: ["user:ann"])
            try await body(fixture, fixture.roles())
        }
    }

    @Test("R11: A permission can be attached to several objects, and one event changes it on all of them")
    func oneEvent() async throws {
        try await withPersons { fixture, roles in
            try await roles.define(
                "permission:editing", for: "role:editors", [.read, .update], at: .object("Person:1"), .object("Person:2"))
            for (object, held) in [("Person:1", [.read, .update]), ("Person:2", [.read, .update]), ("Person:3", [])]
                as [(Name, Privileges)]
            { #expect(try fixture.roles("user:ann").privileges(at: .object(object)) == held, "\(object)") }

            let receipt = try await roles.redefine("permission:editing", for: "role:editors", [.read])
            let events = try #require(try fixture.commits(from: receipt.head).last).events
            #expect(events.count == 1)
            guard case .permissionChanged? = events.first else {
                Issue.record("the event is \(events)")
                return
            }
            for object: Name in ["Person:1", "Person:2"] {
                #expect(try fixture.roles("user:ann").privileges(at: .object(object)) == .read, "\(object)")
            }
        }
    }

    @Test("R11: The role of a permission can be replaced on all objects at once")
    func anotherRole() async throws {
        try await withPersons { fixture, roles in
            try await roles.define("permission:editing", for: "role:editors", .read, at: .object("Person:1"), .object("Person:2"))
            try await roles.redefine("permission:editing", for: "user:bob", .read)
            for object: Name in ["Person:1", "Person:2"] {
                #expect(try !fixture.canRead(object, "user:ann") && fixture.canRead(object, "user:bob"), "\(object)")
            }
        }
    }

    @Test("R11: A permission has an effect only while it is attached to the store, a class or an object")
    func attaching() async throws {
        try await withPersons { fixture, roles in
            let levels: [PermissionLevel] = [.store, .class("Person"), .object("Person:1")]
            for level in levels { try await roles.set([], for: .everyone, at: level) }
            try await roles.define("permission:reading", for: "user:bob", [.read])
            #expect(try !fixture.canRead("Person:1", "user:bob"))
            for level in levels {
                #expect(try !fixture.canRead("Person:1", "user:bob"))
                try await roles.attach("permission:reading", at: level)
            }
            #expect(try fixture.canRead("Person:1", "user:bob"))
            #expect(try roles.permissions().first?.objects == ["Person:1", "class:Person", "store"])
            try await roles.detach("permission:reading", from: .class("Person"))
            #expect(try !fixture.canRead("Person:1", "user:bob"))
        }
    }

    @Test("R9: A caller cannot attach a permission with more than the caller's access, or change one without setPermissions")
    func ownLevel() async throws {
        try await withPersons { fixture, roles in
            try await roles.define("permission:editing", for: "role:editors", [.read, .update], at: .object("Person:1"))
            try await roles.set([.read, .setPermissions], for: "user:bob", at: .object("Person:2"))
            try await roles.set([.read, .create, .update], for: .everyone, at: .class("permission"))
            let bob = fixture.roles("user:bob")
            #expect(try await refusal { try await bob.attach("permission:editing", at: .object("Person:2")) } == .aboveOwnLevel)
            #expect(try await refusal { try await bob.attach("permission:editing", at: .object("Person:3")) } == .noPrivilege)
            #expect(try await refusal { try await bob.redefine("permission:editing", for: "user:bob", .read) } == .noPrivilege)
            try await bob.define("permission:reading", for: "role:editors", .read, at: .object("Person:2"))
            #expect(try fixture.canRead("Person:2", "user:ann"))
            #expect(
                try await refusal { try await bob.redefine("permission:reading", for: "user:bob", .delete) } == .aboveOwnLevel)
        }
    }
}
