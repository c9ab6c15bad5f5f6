import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

/// The document's "How do I …?" section with its original wording, and its steps from a prototype to a product.
@Suite("Roles and levels: recipes")
struct RecipeTests {
    @Test("R3: In a new open store everyone has all privileges")
    func openStore() throws {
        try withStore(.open) { fixture in
            let ann = fixture.roles("user:ann")
            #expect(try ann.privileges(at: .store) == .builtIn)
            try fixture.commit(.defineClass("Note", ClassSettings(objectACL: ObjectACL.none)), as: "user:ann")
            #expect(try ann.privileges(at: .class("Note")) == .builtIn)
            try fixture.commit(.createObject("Note:1"), as: "user:ann")
            #expect(try fixture.roles("user:bob").privileges(at: .object("Note:1")) == .builtIn)
        }
    }

    @Test("R3: One step locks the store down, and everyone keeps the listed access", arguments: ["user:root", "user:ann"])
    func lockDown(caller: Name) async throws {
        try await withStore(.open) { fixture in
            try fixture.register("user:ann", "user:bob", "user:eve")
            try fixture.commit(.defineClass("Note", ClassSettings(objectACL: ObjectACL.none, privileges: ["triage"])))
            try fixture.commit(.defineClass("Diary", ClassSettings(objectACL: ObjectACL.none)), .createObject("Note:1"))
            let before = try fixture.head
            let receipt = try await fixture.roles(caller).lockDown(
                to: "role:keepers", members: ["user:bob"],
                everyoneKeeps: [.store: [.read, .query], .class("Note"): [.read, .query, .update]])
            #expect(receipt.revision == before.next)
            #expect(try fixture.roles().find("role:keepers")?.members == [caller, "user:bob"].sorted())

            let eve = fixture.roles("user:eve")
            #expect(try eve.privileges(at: .store) == [.read, .query])
            // The store is read-only for her, with any class settings.
            #expect(try eve.privileges(at: .object("Note:1")) == [.read, .query])
            #expect(try eve.privileges(at: .class("Diary")) == [])
            for change in [
                .createObject("Note:2"), .writeObject("Note:1", .value(.null)), .deleteObject("Note:1"), .defineClass("Mine"),
                .createRole("role:mine"), .addMember("user:eve", to: "role:keepers"), .grant("user:eve", on: .store, ["update"]),
                .grant("user:eve", on: "class:Note", ["read"]), .register("user:friend"),
                .definePermission("permission:p", subject: "user:eve", ["read"]),
            ] as [Change] {
                #expect(try fixture.refusal(change, as: "user:eve")?.code == .noPrivilege, "\(change)")
            }

            #expect(try fixture.privileges("user:bob", "Note:1") == (Privileges.builtInNames + ["triage"]).sorted())
            try fixture.commit(.defineClass("Report"), .createRole("role:team"), as: "user:bob")
            try await fixture.roles("user:bob").change("user:eve", at: .store, allow: .update)
            try fixture.commit(.writeObject("Note:1", .value(.string("by Eve"))), as: "user:eve")
        }
    }

    @Test("R3: After a lockdown without options, users may query their own permissions and nothing else")
    func lockDownPlainly() async throws {
        try await withStore(.open) { fixture in
            try fixture.commit(.defineClass("Note", ClassSettings(objectACL: ObjectACL.none)), .createObject("Note:1"))
            try await fixture.roles().lockDown()
            let eve = fixture.roles("user:eve")
            #expect(try eve.privileges(at: .store) == .read)
            #expect(try eve.privileges(at: .object("Note:1")) == [])
            #expect(try eve.all().map(\.name) == ["role:administrators"])
            // The store level also limits classes that are defined later.
            try fixture.commit(.defineClass("Later", ClassSettings(objectACL: ObjectACL.none)), .createObject("Later:1"))
            #expect(try eve.privileges(at: .object("Later:1")) == .read)
            let again = try await refusal { try await fixture.roles().lockDown() }
            #expect(again == .alreadyExists)
            #expect(try await refusal { try await fixture.roles().lockDown(to: "role:others") } == .notThere)
        }
    }

    @Test("R3: A lockdown gives nobody access that it had not, and a locked store is not locked again")
    func lockDownLocked() async throws {
        try await withStore(.open) { fixture in
            try await fixture.roles().change(.everyone, at: .class("role"), deny: .all)
            try await fixture.roles().change(.everyone, at: .class("user"), deny: .update)
            try await fixture.roles().lockDown()
            let kept = try fixture.store.read { snapshot in
                try ["class:role", "class:user"].map { name in
                    try snapshot.entries(on: Name(name)).first { $0.subject == "everyone" }?.privileges
                }
            }
            #expect(kept == [nil, ["read"]])
        }
        try await withStore { fixture in
            try fixture.commit(.grant("everyone", on: "class:role", ["read"]))
            #expect(try await refusal { try await fixture.roles().lockDown() } == .notThere)
        }
    }

    @Test("R3: A caller without all privileges cannot lock the store down, and nothing changes")
    func lockDownRefused() async throws {
        try await withStore(.open) { fixture in
            try await fixture.roles().change(.everyone, at: .store, deny: .modifySchema)
            let before = try fixture.store.head
            try fixture.register("user:eve")
            #expect(try await refusal { try await fixture.roles("user:eve").lockDown() } == .aboveOwnLevel)
            #expect(try fixture.head == before.revision.next)
            #expect(try fixture.roles().all().isEmpty)
        }
    }

    @Test("R15: How do I prevent users from adding themselves to roles?")
    func readOnlyRoles() async throws {
        try await withStore(.open) { fixture in
            let root = fixture.roles()
            let eve = fixture.roles("user:eve")
            try await root.create("role:managers")
            // In an open store she can add herself to a role.
            try await eve.create("role:friends")
            try await eve.add("user:eve", to: "role:managers")
            try await root.remove("user:eve", from: "role:managers")

            try await root.change(.everyone, at: .class("role"), deny: [.create, .update, .delete])
            #expect(try await refusal { try await eve.add("user:eve", to: "role:managers") } == .noPrivilege)
            #expect(try await refusal { try await eve.add("role:friends", to: "role:managers") } == .noPrivilege)
            #expect(try await refusal { try await eve.create("role:more") } == .noPrivilege)
            #expect(try await refusal { try await eve.delete("role:managers") } == .noPrivilege)
            // She may still set permissions there, but she cannot grant privileges that she lacks.
            #expect(try await refusal { try await eve.change("user:eve", at: .class("role"), allow: .update) } == .aboveOwnLevel)
            #expect(try eve.find("role:managers")?.members == [])

            // Users modify roles if they are part of another role that grants it.
            try await root.create("role:gatekeepers", members: ["user:gus"].registered(in: fixture))
            try await root.change("role:gatekeepers", at: .class("role"), allow: .update)
            try await fixture.roles("user:gus").add("user:eve", to: "role:managers")
            #expect(try eve.find("role:managers")?.members == ["user:eve"])
        }
    }

    @Test("R8: How do I share an object with another user?")
    func sharing() throws {
        try withStore(.open) { fixture in
            try fixture.register("user:ann", "user:bob", "user:carl")
            // Without access lists, all users can see all objects of the class.
            try fixture.commit(.defineClass("Person", ClassSettings(objectACL: ObjectACL.none)), .createObject("Person:0"))
            #expect(try fixture.canRead("Person:0", "user:carl"))
            try fixture.commit(.changeClass("Person", ClassSettings(objectACL: .required)))
            #expect(try !fixture.canRead("Person:0", "user:carl"))

            // Gives the creator full privileges, because the creator has none by default, and another user read access.
            try fixture.commit(
                .createObject("Person:1"),
                .grant("user:ann", on: "Person:1", ["read", "query", "update", "delete", "setPermissions"]),
                .grant("user:bob", on: "Person:1", ["read", "query"]), as: "user:ann")
            #expect(
                try fixture.roles("user:ann").privileges(at: .object("Person:1"))
                    == [.read, .query, .update, .delete, .setPermissions])
            #expect(try fixture.roles("user:bob").privileges(at: .object("Person:1")) == [.read, .query])
            #expect(try fixture.query("Person", "user:bob") == ["Person:1"])
            #expect(try fixture.roles("user:carl").privileges(at: .object("Person:1")) == [])
            #expect(try fixture.query("Person", "user:carl") == [])
        }
    }

    @Test("R7: Changing the privileges of an existing permission sets some, clears some and leaves the rest")
    func findOrCreate() async throws {
        try await withStore { fixture in
            let roles = fixture.roles()
            try await roles.create("role:my-role")
            let held = { try roles.permissions(at: .store).first { $0.subject == "role:my-role" }?.privileges }
            try await roles.change("role:my-role", at: .store, allow: [.read, .query, .update])
            #expect(try held() == ["query", "read", "update"])
            try await roles.change("role:my-role", at: .store, allow: .create, deny: [.update, .delete])
            #expect(try held() == ["create", "query", "read"])
            try await roles.change("role:my-role", at: .store, allow: .read, deny: [.read, .query])
            #expect(try held() == ["create", "read"])
            try await roles.set([], for: "role:my-role", at: .store)
            #expect(try held() == nil)
        }
    }
}

extension [Name] {
    /// Registers the users and returns them.
    fileprivate func registered(in fixture: StoreFixture) throws -> [Name] {
        for user in self { try fixture.register(user) }
        return self
    }
}
