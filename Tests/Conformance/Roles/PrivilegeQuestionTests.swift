import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Roles and levels: queries about the caller's privileges")
struct PrivilegeQuestionTests {
    private func withPerson(_ body: (StoreFixture) async throws -> Void) async throws {
        try await withStore { fixture in
            try fixture.register("user:ann", "user:bob", "thing:robot")
            try fixture.commit(.defineClass("Person"), .createObject("Person:1"))
            try await fixture.openUpperLevels("Person")
            try await fixture.roles().set([.read, .update], for: "user:ann", at: .object("Person:1"))
            try await fixture.roles().set([.read], for: "user:bob", at: .object("Person:1"))
            try await fixture.roles().set([.read], for: "thing:robot", at: .object("Person:1"))
            try await body(fixture)
        }
    }

    @Test("R13: One call returns the caller's privileges on the store, a class or an object, as a set")
    func levels() async throws {
        try await withPerson { fixture in
            // The edit button is enabled for Ann and disabled for Bob.
            #expect(try fixture.roles("user:ann").privileges(at: .object("Person:1")).contains(.update))
            #expect(try !fixture.roles("user:bob").privileges(at: .object("Person:1")).contains(.update))
            #expect(try fixture.roles("user:bob").privileges(at: .object("Person:1")) == .read)
            #expect(try fixture.roles("user:bob").privileges(at: .object("Person:9")) == [])
            #expect(try fixture.roles("user:bob").privileges(at: .class("Ghost")) == [])

            let root = fixture.roles()
            try await root.set([.read, .create, .query], for: .everyone, at: .class("Person"))
            #expect(try fixture.roles("user:ann").privileges(at: .class("Person")) == [.read, .create, .query])
            try await root.set([.read, .query], for: .everyone, at: .store)
            #expect(try fixture.roles("user:ann").privileges(at: .class("Person")) == [.read, .query])
            #expect(try fixture.roles("user:ann").privileges(at: .store) == [.read, .query])
        }
    }

    @Test("R13: The result for a class matches the effect: creating, querying, setting permissions, adding properties")
    func answersHold() async throws {
        let changes: [(Privileges, Change)] = [
            (.create, .createObject("Person:2")), (.setPermissions, .grant("user:bob", on: "class:Person", ["read"])),
            (.modifySchema, .changeClass("Person", ClassSettings(properties: ["name"]))),
        ]
        for (privilege, change) in changes {
            for holds in [true, false] {
                try await withPerson { fixture in
                    try await fixture.roles().set(.builtIn, for: .everyone, at: .class("class"))
                    if !holds { try await fixture.roles().change(.everyone, at: .class("Person"), deny: privilege) }
                    #expect(try fixture.roles("user:ann").privileges(at: .class("Person")).contains(privilege) == holds)
                    #expect(try fixture.refusal(change, as: "user:ann")?.code == (holds ? nil : .noPrivilege))
                }
            }
        }
    }

    /// The classes of the permission system, with the queries that use them.
    static let metadata: [(String, Name)] =
        ["store", "class", "role", "permission", "user"].map { ($0, "user:ann") }
        + ["store", "class", "role", "permission", "thing"].map { ($0, "thing:robot") }

    @Test(
        "R14: Without read on a class of the permission system, queries return no privileges; access stays", arguments: metadata)
    func hiddenMetadata(className: String, caller: Name) async throws {
        try await withPerson { fixture in
            let asked = fixture.roles(caller)
            let levels: [PermissionLevel] = [.store, .class("Person"), .object("Person:1")]
            for level in levels { #expect(try asked.privileges(at: level).contains(.read), "\(level)") }
            try await fixture.roles().change(.everyone, at: .class(className), deny: .read)
            for level in levels { #expect(try asked.privileges(at: level) == [], "\(level)") }
            #expect(try fixture.canRead("Person:1", caller))
            // Administrators see everything.
            #expect(try fixture.roles().privileges(at: .object("Person:1")) == .builtIn)
        }
    }

    @Test("R14: A user does not need read on the class of things, and a thing does not need read on the class of users")
    func otherMetadata() async throws {
        try await withPerson { fixture in
            try await fixture.roles().change(.everyone, at: .class("thing"), deny: .read)
            #expect(try fixture.roles("user:ann").privileges(at: .object("Person:1")) == [.read, .update])
            try await fixture.roles().set(.read, for: .everyone, at: .class("thing"))
            try await fixture.roles().change(.everyone, at: .class("user"), deny: .read)
            #expect(try fixture.roles("thing:robot").privileges(at: .object("Person:1")) == .read)
        }
    }

    /// A level, the class of its permissions, and the changes that need it.
    static let setting: [(PermissionLevel, String)] = [(.store, "store"), (.class("Person"), "class")]

    @Test(
        "R14: Setting store or class permissions needs setPermissions on the class of stores or of classes too", arguments: setting)
    func setPermissions(level: PermissionLevel, className: String) async throws {
        try await withPerson { fixture in
            let root = fixture.roles()
            let ann = fixture.roles("user:ann")
            let change = { try await ann.change("user:bob", at: level, allow: .read) }
            // Everyone has setPermissions on the store and on the class, but not on the classes of stores and of classes.
            #expect(try ann.privileges(at: level).contains(.setPermissions) == false)
            #expect(try await refusal { _ = try await change() } == .noPrivilege)

            try await root.change("user:ann", at: .class(className), allow: .setPermissions)
            #expect(try ann.privileges(at: level).contains(.setPermissions))
            _ = try await change()
            try await root.change(.everyone, at: level, deny: .setPermissions)
            #expect(try await refusal { _ = try await change() } == .noPrivilege)
        }
    }

    @Test("R14: Roles, users, classes, the store and permissions are objects under the same rules")
    func objects() async throws {
        try await withPerson { fixture in
            let root = fixture.roles()
            try await root.create("role:staff", members: ["user:ann"])
            try await root.define("permission:p", for: "role:staff", .read)
            let levels = ["role:staff", "user:bob", "class:Person", "store", "permission:p"] as [Name]
            for object in levels {
                #expect(try fixture.may("user:ann", "read", object), "\(object)")
                #expect(try !fixture.may("user:ann", "delete", object), "\(object)")
            }
            try await root.set([], for: .everyone, at: .store)
            for object in levels { #expect(try !fixture.may("user:ann", "read", object), "\(object)") }
        }
    }
}
