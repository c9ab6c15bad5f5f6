import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Roles and levels: the three levels")
struct LevelTests {
    /// `Person:1` in a locked store. Everyone has everything at all three levels.
    private func withPerson(_ body: (StoreFixture) async throws -> Void) async throws {
        try await withStore { fixture in
            try fixture.commit(.defineClass("Person"), .createObject("Person:1"))
            try fixture.register("user:ann", "user:bob")
            try await fixture.openUpperLevels("Person")
            try await fixture.roles().set(.builtIn, for: .everyone, at: .object("Person:1"))
            try await body(fixture)
        }
    }

    @Test(
        "R4: Without read at a higher level, nothing at a lower level is readable",
        arguments: [PermissionLevel.store, .class("Person"), .object("Person:1")])
    func hierarchy(level: PermissionLevel) async throws {
        try await withPerson { fixture in
            #expect(try fixture.canRead("Person:1", "user:ann"))
            try await fixture.roles().change(.everyone, at: level, deny: .read)
            #expect(try !fixture.canRead("Person:1", "user:ann"))
            #expect(try fixture.query("Person", "user:ann") == [])
            #expect(try fixture.store.read { try $0.objects(for: "user:ann", with: ["read"]) } == [])
        }
    }

    @Test("R4: Read at a higher level does not make everything at the lower levels readable")
    func visibleAbove() async throws {
        try await withPerson { fixture in
            try fixture.commit(.createObject("Person:2"), .defineClass("Diary"), .createObject("Diary:1"))
            #expect(try fixture.query("Person", "user:ann") == ["Person:1"])
            #expect(try !fixture.canRead("Person:2", "user:ann"))
            #expect(try fixture.query("Diary", "user:ann") == nil)
        }
    }

    @Test("R5: setOwner, which the document does not have, changes an object's owner if all three levels give it")
    func setOwner() async throws {
        try await withPerson { fixture in
            for level: PermissionLevel in [.store, .class("Person"), .object("Person:1")] {
                try await fixture.roles().change(.everyone, at: level, deny: .setOwner)
                #expect(try fixture.refusal(.setOwner("Person:1", owner: "user:bob"), as: "user:ann")?.code == .noPrivilege)
                try await fixture.roles().change(.everyone, at: level, allow: .setOwner)
            }
            try fixture.commit(.setOwner("Person:1", owner: "user:bob"), as: "user:ann")
            #expect(try fixture.store.read { try $0.owner(of: "Person:1") } == "user:bob")
        }
    }

    @Test("R6: With create and without update a new object can be modified in the transaction that creates it, and not after")
    func createWithoutUpdate() async throws {
        try await withPerson { fixture in
            try await fixture.roles().change(.everyone, at: .class("Person"), deny: .update)
            let value = JSONValue.object(["name": .string("Ada")])
            try fixture.commit(.createObject("Person:2"), .writeObject("Person:2", .value(value)), as: "user:ann")
            #expect(try fixture.store.read { try $0.value(of: "Person:2", as: "user:root") } == value)
            let rename = Change.writeObject("Person:2", .merge(.object(["name": .string("Eve")])))
            #expect(try fixture.refusal(rename, as: "user:ann")?.code == .noPrivilege)
            // Creating one object does not allow changes of another object.
            let both = [Change.createObject("Person:3"), .writeObject("Person:1", .value(.null))]
            #expect(try fixture.refusal(of: both, as: "user:ann")?.change == 1)
        }
    }

    /// Every privilege that acts on an object, at a level above it.
    static let narrowings = ["read", "update", "delete", "query", "setPermissions", "setOwner", "modifySchema"].flatMap {
        privilege in [(privilege, PermissionLevel.store), (privilege, .class("Person"))]
    }

    @Test("R7: A lower level narrows the access of a higher one, and never widens it", arguments: narrowings)
    func narrowing(privilege: String, level: PermissionLevel) async throws {
        try await withPerson { fixture in
            #expect(try fixture.may("user:ann", privilege, "Person:1"))
            try fixture.commit(.revoke(.everyone, on: level.name, [privilege]))
            #expect(try !fixture.may("user:ann", privilege, "Person:1"))
            // A grant at a lower level, even to the user directly, has no effect.
            for lower: Name in ["class:Person", "Person:1"] where lower != level.name {
                try fixture.commit(.grant("user:ann", on: lower, [privilege]))
            }
            #expect(try !fixture.may("user:ann", privilege, "Person:1"))
            try fixture.commit(.grant("user:ann", on: level.name, [privilege]))
            #expect(try fixture.may("user:ann", privilege, "Person:1"))
            #expect(try !fixture.may("user:bob", privilege, "Person:1"))
        }
    }

    @Test("R8: Objects of a class without object ACLs have the access of the class")
    func withoutACL() async throws {
        try await withStore { fixture in
            try await fixture.openUpperLevels()
            try fixture.commit(.defineClass("Note", ClassSettings(objectACL: ObjectACL.none)), .createObject("Note:1"))
            let roles = fixture.roles("user:ann")
            #expect(try roles.privileges(at: .object("Note:1")) == [])
            for held: Privileges in [[.read], [.read, .update, .query], .builtIn] {
                try await fixture.roles().set(held, for: .everyone, at: .class("Note"))
                #expect(try roles.privileges(at: .object("Note:1")) == held)
            }
        }
    }

    @Test("R8: With object ACLs and without entries, only administrators have access, and the creator has none")
    func emptyACL() async throws {
        try await withPerson { fixture in
            try fixture.commit(.createObject("Person:2", value: .string("mine")), as: "user:ann")
            #expect(try fixture.entries("Person:2").isEmpty)
            #expect(try fixture.roles("user:ann").privileges(at: .object("Person:2")) == [])
            #expect(try !fixture.canRead("Person:2", "user:ann"))
            #expect(try fixture.canRead("Person:2", "user:root"))
        }
    }

    @Test("R9: Callers cannot grant more than they have, and cannot grant without setPermissions")
    func ownLevel() async throws {
        try await withPerson { fixture in
            let root = fixture.roles()
            let ann = fixture.roles("user:ann")
            let object = PermissionLevel.object("Person:1")
            try await root.set([.read, .update], for: .everyone, at: object)
            #expect(try await refusal { try await ann.change("user:bob", at: object, allow: .read) } == .noPrivilege)

            try await root.change("user:ann", at: object, allow: .setPermissions)
            try await ann.change("user:bob", at: object, allow: [.read, .setPermissions])
            #expect(try await refusal { try await ann.change("user:bob", at: object, allow: .delete) } == .aboveOwnLevel)
            #expect(try await refusal { try await ann.change("user:ann", at: object, allow: .delete) } == .aboveOwnLevel)
            #expect(try await refusal { try await ann.set([.read, .delete], for: "user:bob", at: object) } == .aboveOwnLevel)

            // A caller cannot grant a privilege that a higher level removes from the caller.
            try await root.change(.everyone, at: .class("Person"), deny: .update)
            #expect(try await refusal { try await ann.change("user:bob", at: object, allow: .update) } == .aboveOwnLevel)
        }
    }

    @Test("R12: A link alone makes nothing readable; if a class opts in, the targets of a readable object are readable")
    func links() async throws {
        try await withPerson { fixture in
            try fixture.commit(
                .defineClass("Photo"), .createObject("Photo:1"), .createObject("Photo:2"),
                .writeObject("Photo:1", .value(link("Photo:2"))),
                .writeObject("Person:1", .value(.object(["album": .array([.string("summer"), link("Photo:1")])]))))
            try await fixture.roles().set(.builtIn, for: .everyone, at: .class("Photo"))
            for photo: Name in ["Photo:1", "Photo:2"] { #expect(try !fixture.canRead(photo, "user:ann"), "\(photo)") }

            try fixture.commit(.changeClass("Photo", ClassSettings(readThroughLinks: true)))
            // Directly, through a collection, and from one linked object to the next.
            for photo: Name in ["Photo:1", "Photo:2"] { #expect(try fixture.canRead(photo, "user:ann"), "\(photo)") }
            #expect(try fixture.roles("user:ann").privileges(at: .object("Photo:1")) == .read)

            // The access through the link ends if the linking object is not readable.
            try await fixture.roles().change(.everyone, at: .object("Person:1"), deny: .read)
            for photo: Name in ["Photo:1", "Photo:2"] { #expect(try !fixture.canRead(photo, "user:ann"), "\(photo)") }
        }
    }

    private func link(_ target: String) -> JSONValue { .object(["$ref": .string(target)]) }

    @Test("R16: A query needs the query privilege; a class with query but without read gives an empty result")
    func query() async throws {
        try await withPerson { fixture in
            #expect(try fixture.query("Person", "user:ann") == ["Person:1"])
            try await fixture.roles().change(.everyone, at: .class("Person"), deny: .query)
            #expect { try fixture.store.read { try $0.list(class: "Person", as: "user:ann") } } throws: {
                ($0 as? Refusal)?.code == .noPrivilege
            }
            try await fixture.roles().change(.everyone, at: .class("Person"), allow: .query, deny: .read)
            #expect(try fixture.query("Person", "user:ann") == [])
        }
    }

    @Test("R20: modifySchema at the store level adds classes; at the class level it adds properties to that class")
    func schema() async throws {
        try await withPerson { fixture in
            let root = fixture.roles()
            try await root.change(.everyone, at: .store, deny: .modifySchema)
            for level: PermissionLevel in [.store, .class("store"), .class("class")] {
                try await root.change("user:ann", at: level, allow: .modifySchema)
            }
            try await root.change(.everyone, at: .class("Person"), deny: .modifySchema)
            let addProperty = Change.changeClass("Person", ClassSettings(properties: ["name"]))
            try fixture.commit(.defineClass("Dog"), as: "user:ann")
            #expect(try fixture.refusal(addProperty, as: "user:ann")?.code == .noPrivilege)
            #expect(try fixture.refusal(.defineClass("Cat"), as: "user:bob")?.code == .noPrivilege)

            try await root.change("user:ann", at: .class("Person"), allow: .modifySchema)
            try fixture.commit(addProperty, as: "user:ann")
            try await root.change("user:ann", at: .class("store"), deny: .modifySchema)
            #expect(try fixture.refusal(.defineClass("Cat"), as: "user:ann")?.code == .noPrivilege)
            try fixture.commit(.changeClass("Person", ClassSettings(properties: ["name", "age"])), as: "user:ann")
        }
    }
}
