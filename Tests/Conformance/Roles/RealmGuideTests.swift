// guide begins
import Events
import Foundation
import Muniment
import MunimentRecipes
import Permissions
// guide ends
import StoreSupport
import Testing

@Suite("Docs/Guides/coming-from-realm.md")
struct RealmGuideTests {
    @Test("The code of the guide runs unchanged and gives the documented results")
    func codeRuns() async throws {
        // guide begins
        // A new store, which begins open, in a new folder: for trying this out.
        let folder = NSTemporaryDirectory() + UUID().uuidString
        let store = try Store.create(at: folder + "/store", preset: .open)

        // A prototype: three users who are known to the store, a class, an object of it, and a role that it is to be shared with.
        try await store.commit(
            Transaction(
                "user:root",
                [
                    .register("user:ann"), .register("user:bob"), .register("user:eve"),
                    .defineClass("Person"), .createObject("Person:1"),
                    .createRole("role:shared-objects"), .addMember("user:bob", to: "role:shared-objects"),
                ]))
        // guide ends
        let fixture = StoreFixture(of: store, at: folder + "/store")
        defer { fixture.closeAndRemove(folder) }

        // guide begins
        let roles = Roles(store, as: "user:root")

        // List all roles, find one, make one, and give it a member.
        for role in try roles.all() { print(role.name, role.members) }
        try await roles.create("role:my-role")
        try await roles.add("user:ann", to: "role:my-role")
        let role = try roles.find("role:my-role")
        // guide ends
        #expect(role?.members == ["user:ann"])

        // guide begins
        // Realm-level permissions: whatever a role has already, make some true and some false. The role must be there.
        try await roles.change("role:my-role", at: .store, allow: [.read, .query], deny: [.update, .delete])

        // Class-level permissions.
        try await roles.change("role:my-role", at: .class("Person"), deny: .read)

        // Object-level permissions.
        try await roles.change("role:shared-objects", at: .object("Person:1"), allow: [.read, .query, .update, .delete])
        try await roles.change("role:shared-objects", at: .object("Person:1"), deny: [.update, .delete])

        // All permissions of a level.
        for entry in try roles.permissions(at: .object("Person:1")) { print(entry.subject, entry.privileges) }
        // guide ends
        #expect(try roles.permissions(at: .object("Person:1")).map(\.privileges) == [["query", "read"]])
        #expect(try roles.permissions(at: .store).map(\.subject) == ["everyone", "role:my-role"])

        // guide begins
        // One permission in several places: changing it changes all of them, in one event.
        try await roles.define("permission:viewing", for: "role:my-role", .read, at: .object("Person:1"), .class("Person"))
        try await roles.redefine("permission:viewing", for: "role:my-role", [.read, .query])
        // guide ends
        #expect(try fixture.query("Person", "user:ann") == ["Person:1"])

        // guide begins
        let privileges = try Roles(store, as: "user:bob").privileges(at: .object("Person:1"))
        print(privileges.contains(.update) ? "the edit button is shown" : "the edit button is hidden")
        // guide ends
        #expect(privileges.contains(.read) && !privileges.contains(.update))

        // guide begins
        // How do I prevent users from adding themselves to roles?
        try await roles.change(.everyone, at: .class("role"), deny: [.create, .update, .delete])
        // guide ends
        let eve = fixture.roles("user:eve")
        #expect(try await refusal { try await eve.add("user:eve", to: "role:my-role") } == .noPrivilege)

        // guide begins
        // How do I share an object with another user? One transaction makes the object and says who may do what with it.
        try await store.commit(
            Transaction(
                "user:ann",
                [
                    .createObject("Person:2", value: .object(["name": .string("Ada")])),
                    .grant("user:ann", on: "Person:2", ["read", "query", "update", "delete", "setPermissions"]),
                    .grant("user:bob", on: "Person:2", ["read", "query"]),
                ]))
        // guide ends
        #expect(try fixture.query("Person", "user:bob") == ["Person:1", "Person:2"])
        #expect(try fixture.query("Person", "user:eve") == [])
        #expect(try fixture.refusal(.deleteObject("Person:2"), as: "user:bob")?.code == .noPrivilege)

        // guide begins
        // From a prototype to a product. Everyone keeps reading and querying persons, and writing what is shared with them.
        try await roles.lockDown(
            to: "role:administrators", members: ["user:ann"],
            everyoneKeeps: [
                .store: [.create, .read, .update, .delete, .query, .setPermissions],
                .class("Person"): [.create, .read, .update, .delete, .query, .setPermissions],
            ])
        // guide ends
        #expect(try fixture.refusal(.defineClass("Joke"), as: "user:eve")?.code == .noPrivilege)
        #expect(try fixture.refusal(.grant("user:eve", on: "class:Person", ["read"]), as: "user:eve")?.code == .noPrivilege)
        #expect(try fixture.query("Person", "user:bob") == ["Person:1", "Person:2"])
        try fixture.commit(.defineClass("Report"), .grant("user:eve", on: "Person:2", ["read"]), as: "user:ann")

        // guide begins
        // The raw records, as far as the caller may read them; now, or as they were.
        let users = try roles.users()
        let permissions = try roles.permissions()
        let rolesAtFirst = try roles.all(.revision(.genesis))
        // guide ends
        #expect(users.map(\.name).contains("user:eve"))
        #expect(permissions.map(\.name) == ["permission:viewing"])
        #expect(rolesAtFirst.isEmpty)
    }

    @Test("The guide's code equals the code of this test")
    func codeIsTheGuides() throws {
        let blocks = try GuideCode.blocks(ofGuide: "coming-from-realm")
        #expect(blocks == (try GuideCode.markedCode(inFile: #filePath)))
        #expect(blocks.count > 3)
    }
}
