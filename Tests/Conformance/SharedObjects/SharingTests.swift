import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Shared objects: access")
struct SharedObjectAccessTests {
    @Test(
        "F4: A public object is readable by any signed-in user, and only specified users edit it",
        arguments: [Preset.locked, .open])
    func publicObject(_ preset: Preset) async throws {
        try await withNotes(preset) { notes in
            try await notes.ann.save(text("Hello"), id: "letter", isPublic: true, users: ["user:bob"])
            #expect(try notes.cleo.fetch("letter") == text("Hello"))
            // Even a user unknown to the store is a signed-in user. A missing user is not.
            #expect(try notes.fixture.may("user:never-seen", "read", "note:letter"))
            #expect(try notes.fixture.may(.anonymous, "read", "note:letter") == false)
            for privilege in ["update", "delete", "setPermissions", "setOwner", "create"] {
                #expect(try notes.fixture.may("user:cleo", privilege, "note:letter") == false)
            }
            #expect(try await refusalCode { try await notes.cleo.overwrite("letter", with: text("Mine")) } == .noPrivilege)
            #expect(try notes.fixture.refusal(.deleteObject("note:letter"), as: "user:cleo")?.code == .noPrivilege)
            #expect(try await refusalCode { try await notes.bob.overwrite("letter", with: text("Ours")) } == nil)
            #expect(try notes.fixture.refusal(.deleteObject("note:letter"), as: "user:bob") == nil)
        }
    }

    @Test("F4: Only its specified users can access a private object", arguments: [Preset.locked, .open])
    func privateObject(_ preset: Preset) async throws {
        try await withNotes(preset) { notes in
            try await notes.ann.save(text("Hello"), id: "letter", users: ["user:bob"])
            #expect(try notes.bob.fetch("letter") == text("Hello"))
            #expect(try await refusalCode { _ = try notes.cleo.fetch("letter") } == .noPrivilege)
            #expect(
                try notes.fixture.store.read { try $0.subjects(with: ["read"], on: "note:letter") } == ["user:ann", "user:bob"])
        }
    }

    static let changes: [(name: String, call: @Sendable (SharedObjects) async throws -> Void)] = [
        ("public", { try await $0.setPublic("letter", true) }), ("private", { try await $0.setPublic("letter", false) }),
        ("add", { try await $0.addUser("user:cleo", to: "letter") }),
        ("remove", { try await $0.removeUser("user:ann", from: "letter") }),
    ]

    @Test("F5: Only specified users change the access of an object, public or not", arguments: changes.indices, [true, false])
    func onlySpecifiedUsers(_ index: Int, isPublic: Bool) async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", isPublic: isPublic, users: ["user:bob"])
            let entries = try notes.fixture.entries("note:letter")
            let change = Self.changes[index].call
            #expect(try await refusalCode { try await change(notes.cleo) } == .noPrivilege)
            #expect(try notes.fixture.entries("note:letter") == entries)
            // Bob, named by Ann, has the same access as she has.
            #expect(try await refusalCode { try await change(notes.bob) } == nil)
        }
    }

    @Test("F5: Each change of access has the documented effect")
    func changesOfAccess() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter")
            func mayRead() throws -> [Bool] {
                try ["user:ann", "user:bob", "user:cleo"].map { try notes.fixture.may($0, "read", "note:letter") }
            }
            #expect(try mayRead() == [true, false, false])
            try await notes.ann.addUser("user:bob", to: "letter")
            #expect(try mayRead() == [true, true, false])
            #expect(try notes.fixture.privileges("user:bob", "note:letter") == SharedObjects.specifiedUserPrivileges.sorted())
            try await notes.bob.setPublic("letter", true)
            #expect(try mayRead() == [true, true, true])
            #expect(try notes.fixture.privileges("user:cleo", "note:letter") == SharedObjects.publicPrivileges.sorted())
            try await notes.ann.setPublic("letter", false)
            #expect(try mayRead() == [true, true, false])
            try await notes.bob.removeUser("user:ann", from: "letter")
            #expect(try mayRead() == [false, true, false])
            #expect(try await refusalCode { try await notes.ann.addUser("user:ann", to: "letter") } == .noPrivilege)
        }
    }

    @Test("F5: A removed user keeps read access while the object is public, but cannot edit it")
    func removedUser() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", isPublic: true, users: ["user:bob"])
            try await notes.ann.removeUser("user:bob", from: "letter")
            #expect(try notes.bob.fetch("letter") == text("Hello"))
            #expect(try await refusalCode { try await notes.bob.overwrite("letter", with: text("Mine")) } == .noPrivilege)
            #expect(try await refusalCode { try await notes.bob.setPublic("letter", true) } == .noPrivilege)
            try await notes.ann.setPublic("letter", false)
            #expect(try await refusalCode { _ = try notes.bob.fetch("letter") } == .noPrivilege)
        }
    }

    @Test("F5: An object made private is private for all users, even with earlier access by `anonymous`")
    func privateForAll() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", isPublic: true)
            try notes.fixture.commit(.grant(.anonymous, on: "note:letter", ["read"]))
            try await notes.ann.setPublic("letter", false)
            #expect(try notes.fixture.store.read { try $0.subjects(with: ["read"], on: "note:letter") } == ["user:ann"])
        }
    }

    @Test("F5: An unknown user or object throws an error that names it")
    func unknownNames() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter")
            let calls: [(Refusal.Code, String, () async throws -> Void)] = [
                (.unknownPrincipal, "`user:zoe`", { try await notes.ann.addUser("user:zoe", to: "letter") }),
                (.unknownPrincipal, "`user:zoe`", { try await notes.ann.removeUser("user:zoe", from: "letter") }),
                (.notThere, "`user:bob`", { try await notes.ann.removeUser("user:bob", from: "letter") }),
                (.unknownObject, "`note:nothing`", { try await notes.ann.addUser("user:bob", to: "nothing") }),
                (.unknownObject, "`note:nothing`", { try await notes.ann.removeUser("user:bob", from: "nothing") }),
                (.unknownObject, "`note:nothing`", { try await notes.ann.setPublic("nothing", true) }),
                (.unknownObject, "`note:nothing`", { try await notes.ann.setPublic("nothing", false) }),
            ]
            for (code, name, call) in calls {
                let refusal = await #expect(throws: Refusal.self) { try await call() }
                #expect(refusal?.code == code)
                #expect(refusal?.message.contains(name) == true)
            }
        }
    }

    @Test("F5: Adding an existing user, and making a public object public, changes nothing")
    func idempotent() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", isPublic: true, users: ["user:bob"])
            #expect(try await notes.ann.addUser("user:bob", to: "letter").revision == nil)
            #expect(try await notes.ann.setPublic("letter", true).revision == nil)
        }
    }

    @Test("F6: A path inside an object has no separate permissions: a reader of the object reads all of it")
    func paths() async throws {
        try await withNotes { notes in
            let value: JSONValue = .object(["title": .string("Plan"), "pages": .object(["1": .string("secret")])])
            try await notes.ann.save(value, id: "plan", users: ["user:bob"])
            #expect(try notes.bob.fetch("plan") == value)
            for path in ["note:plan/pages", "note:plan/pages/1"] {
                // No object with that name exists, so nothing can be granted on it.
                #expect(
                    try notes.fixture.refusal(.grant("user:cleo", on: Name(path), ["read"]), as: "user:ann")?.code == .unknownObject
                )
                #expect(try notes.fixture.may("user:bob", "read", Name(path)) == false)
                #expect(try notes.fixture.may("user:cleo", "read", Name(path)) == false)
            }
            // An object with an id that looks like a path is an ordinary object, not a part of another object.
            try await notes.ann.save(text("Page"), id: "plan/pages", users: ["user:cleo"])
            #expect(try await refusalCode { _ = try notes.bob.fetch("plan/pages") } == .noPrivilege)
            #expect(try await refusalCode { _ = try notes.cleo.fetch("plan") } == .noPrivilege)
        }
    }

    @Test("F6: A sibling that an object refers to by its id has separate permissions")
    func siblings() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Photo"), id: "photo")
            try await notes.ann.save(.object(["photo": .object(["$ref": .string("note:photo")])]), id: "plan", users: ["user:bob"])
            #expect(try notes.bob.fetch("plan")["photo"]?["$ref"] == .string("note:photo"))
            #expect(try await refusalCode { _ = try notes.bob.fetch("photo") } == .noPrivilege)
            try await notes.ann.addUser("user:bob", to: "photo")
            #expect(try notes.bob.fetch("photo") == text("Photo"))
            // Losing access to the object does not change the access to the sibling either.
            try await notes.ann.removeUser("user:bob", from: "plan")
            #expect(try notes.bob.fetch("photo") == text("Photo"))
            #expect(try await refusalCode { _ = try notes.bob.fetch("plan") } == .noPrivilege)
        }
    }

    @Test("F6: A child object inherits nothing from its parent")
    func children() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Plan"), id: "plan", isPublic: true, users: ["user:bob"])
            try notes.fixture.commit(.createObject("note:page", parent: "note:plan"), as: "user:ann")
            #expect(try notes.fixture.privileges("user:bob", "note:page") == [])
            #expect(try notes.fixture.privileges("user:cleo", "note:page") == [])
        }
    }
}
