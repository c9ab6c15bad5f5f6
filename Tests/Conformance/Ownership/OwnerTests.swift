import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Owners and groups: owners")
struct OwnerTests {
    @Test(
        "G1: A new object has an owner and an access list: everything for its owner, nothing for everyone",
        arguments: [Preset.locked, .open])
    func defaultList(_ preset: Preset) async throws {
        try await withKennel(preset) { kennel in
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            #expect(try rex.owner == "user:ann")
            #expect(
                try rex.acl.lines() == [
                    .init(subject: "user:ann", isOwner: true, permissions: [.query, .read, .write, .writeACL, .writeOwner]),
                    .init(subject: .everyone, isOwner: false, permissions: []),
                ])
            #expect(
                try kennel.fixture.privileges("user:ann", "dog:rex") == [
                    "delete", "query", "read", "setOwner", "setPermissions", "update",
                ])
            for other: Name in ["user:bob", .everyone, .anonymous, "user:never-seen"] {
                #expect(try kennel.fixture.privileges(other, "dog:rex") == [])
            }
        }
    }

    @Test("G1: The list shows every entry as a set of the five permissions")
    func listing() async throws {
        try await withKennel { kennel in
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            try await rex.acl.add("user:bob", [.query, .read, .write])
            try await rex.acl.add(.everyone, .read)
            #expect(
                try rex.acl.lines().map { "\($0.subject): \($0.permissions)" } == [
                    "user:ann: query | read | write | writeACL | writeOwner", "everyone: read", "user:bob: query | read | write",
                ])
            #expect(try kennel.cleo.object("dog:rex").acl.lines().count == 3)
            try await rex.acl.remove(.everyone)
            #expect(try await refusalCode { _ = try kennel.cleo.object("dog:rex").acl.lines() } == .noPrivilege)
            #expect(try await refusalCode { _ = try kennel.cleo.object("dog:rex").owner } == .noPrivilege)
            #expect(try await refusalCode { _ = try kennel.ann.object("dog:max").acl.lines() } == .unknownObject)
        }
    }

    @Test("G3: A new object's owner is the current user")
    func currentUserOwns() async throws {
        try await withKennel { kennel in
            let me = try CurrentUser(keptIn: kennel.fixture.path + "/../current-user")
            let mine = try await Ownership(in: kennel.fixture.store, as: me)
            let rex = try await mine.create("dog:rex")
            #expect(try rex.owner == me.name)
            #expect(try rex.acl.lines().first == .init(subject: me.name, isOwner: true, permissions: .all))
            #expect(try kennel.fixture.store.read { try $0.owner(of: "dog:rex") } == Name("user:" + me.id))
            #expect(try await kennel.bob.create("dog:max").owner == "user:bob")
        }
    }

    @Test(
        "G4: Another user has exactly the granted permissions, in any combination",
        arguments: Ownership.Permissions.combinations)
    func anyCombination(_ given: Ownership.Permissions) async throws {
        try await withKennel { kennel in
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            try await rex.acl.add("user:bob", given)
            #expect(try rex.acl.lines().first { $0.subject == "user:bob" }?.permissions ?? [] == given)
            #expect(try await kennel.deeds(of: kennel.bob, on: "dog:rex", owner: kennel.ann) == given.deeds)
        }
    }

    @Test(
        "G4: Ownership gives the same access as an equal entry: an owner with that entry can do the same",
        arguments: Ownership.Permissions.combinations)
    func ownerWithTheSame(_ given: Ownership.Permissions) async throws {
        try await withKennel { kennel in
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            // Bob has the same access. He removes all but the given privileges from the owner.
            try await rex.acl.add("user:bob", .all)
            try await kennel.bob.object("dog:rex").acl.remove("user:ann", Ownership.Permissions.all.subtracting(given))
            #expect(try kennel.fixture.store.read { try $0.owner(of: "dog:rex") } == "user:ann")
            #expect(try await kennel.deeds(of: kennel.ann, on: "dog:rex", owner: kennel.ann) == given.deeds)
        }
    }

    @Test("G4: An owner's entry can be removed completely by a user with the same access")
    func ownerShutOut() async throws {
        try await withKennel { kennel in
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            try await rex.acl.add("user:bob", .all)
            try await kennel.bob.object("dog:rex").acl.remove("user:ann")
            #expect(try await refusalCode { _ = try rex.fetch() } == .noPrivilege)
            #expect(
                try kennel.bob.object("dog:rex").acl.lines().map { "\($0.subject) \($0.isOwner) \($0.permissions)" } == [
                    "user:ann true ", "everyone false ", "user:bob false query | read | write | writeACL | writeOwner",
                ])
        }
    }

    @Test("G5: A change of the access list needs write-ACL, and no other privilege replaces it")
    func writeACL() async throws {
        try await withKennel { kennel in
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            try await rex.acl.add("user:bob", [.query, .read, .write, .writeOwner])
            let bobs = kennel.bob.object("dog:rex")
            #expect(try await refusalCode { try await bobs.acl.add("user:cleo", .read) } == .noPrivilege)
            #expect(try await refusalCode { try await bobs.acl.remove("user:ann") } == .noPrivilege)
            try await rex.acl.add("user:bob", .writeACL)
            #expect(try await refusalCode { try await bobs.acl.add("user:cleo", .read) } == nil)
            #expect(try kennel.cleo.object("dog:rex").fetch() == text("Rex"))
            #expect(try await refusalCode { try await bobs.acl.remove("user:cleo") } == nil)
            #expect(try await refusalCode { _ = try kennel.cleo.object("dog:rex").fetch() } == .noPrivilege)
        }
    }

    @Test("G5: Callers cannot give access that they lack")
    func ownLevel() async throws {
        try await withKennel { kennel in
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            try await rex.acl.add("user:bob", [.read, .writeACL])
            let bobs = kennel.bob.object("dog:rex")
            #expect(try await refusalCode { try await bobs.acl.add("user:cleo", [.read, .write]) } == .aboveOwnLevel)
            #expect(try kennel.fixture.privileges("user:cleo", "dog:rex") == [])
            #expect(try await refusalCode { try await bobs.acl.add("user:cleo", [.read, .writeACL]) } == nil)
        }
    }

    @Test("G5: Changing the owner needs write-owner; the new owner has everything, and the old owner keeps the entry")
    func changeOwner() async throws {
        try await withKennel { kennel in
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            try await rex.acl.add("user:bob", [.query, .read, .write, .writeACL])
            let bobs = kennel.bob.object("dog:rex")
            #expect(try await refusalCode { try await bobs.changeOwner(to: "user:cleo") } == .noPrivilege)
            #expect(try rex.owner == "user:ann")
            try await rex.acl.add("user:bob", .writeOwner)
            try await bobs.changeOwner(to: "user:cleo")
            #expect(try rex.owner == "user:cleo")
            #expect(
                try rex.acl.lines().map { "\($0.subject) \($0.isOwner) \($0.permissions == .all)" } == [
                    "user:cleo true true", "everyone false false", "user:ann false true", "user:bob false true",
                ])
            try await kennel.cleo.object("dog:rex").acl.remove("user:ann")
            #expect(try await refusalCode { _ = try rex.fetch() } == .noPrivilege)
            #expect(try await refusalCode { try await bobs.changeOwner(to: "user:zoe") } == .unknownPrincipal)
            #expect(try await refusalCode { try await kennel.bob.object("dog:max").changeOwner(to: "user:ann") } == .unknownObject)
        }
    }

    @Test("G8: An object with read but without query is fetched by name and never listed; query alone lists nothing")
    func queryPrivilege() async throws {
        try await withKennel { kennel in
            for (name, permissions) in [("a", Ownership.Permissions.read), ("b", [.query]), ("c", [.query, .read]), ("d", [])] {
                try await kennel.ann.create(Name("dog:" + name), text(name)).acl.add("user:bob", permissions)
            }
            #expect(try kennel.bob.object("dog:a").fetch() == text("a"))
            #expect(try kennel.bob.list(class: "dog") == ["dog:c"])
            #expect(
                try kennel.fixture.store.read {
                    try $0.list(class: "dog", where: .compare("text", .equal, .string("a")), as: "user:bob")
                } == [])
            #expect(try await refusalCode { _ = try kennel.bob.object("dog:b").fetch() } == .noPrivilege)
            #expect(try kennel.ann.list(class: "dog") == ["dog:a", "dog:b", "dog:c", "dog:d"])
            try await kennel.ann.object("dog:a").acl.add("user:bob", .query)
            #expect(try kennel.bob.list(class: "dog") == ["dog:a", "dog:c"])
            try kennel.fixture.commit(.revoke(.everyone, on: "class:dog", ["query"]))
            #expect(try await refusalCode { _ = try kennel.bob.list(class: "dog") } == .noPrivilege)
        }
    }
}
