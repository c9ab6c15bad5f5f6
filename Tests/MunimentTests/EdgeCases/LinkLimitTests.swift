import Events
import Muniment
import Permissions
import StoreSupport
import Testing

@Suite("Links: effect and limits")
struct LinkLimitTests {
    private func link(_ number: Int, to target: String = "picture:plan") -> Change {
        .createObject(Name("note:\(number)"), value: .object(["to": .object(["$ref": .string(target)])]))
    }

    private func prepare(_ fixture: StoreFixture) throws {
        var pictures = ClassSettings()
        (pictures.readThroughLinks, pictures.creatorPrivileges) = (true, ["read", "update", "delete"])
        var notes = ClassSettings()
        notes.creatorPrivileges = ["read", "update", "delete", "setPermissions"]
        try fixture.commit(
            .defineClass("picture", pictures), .defineClass("note", notes), .register("user:ann"), .register("user:ben"),
            .grant("everyone", on: .store, ["create", "read", "update", "delete", "setPermissions"]),
            .grant("everyone", on: .class("picture"), ["create", "read", "update", "delete"]),
            .grant("everyone", on: .class("note"), ["create", "read", "update", "delete", "setPermissions"]),
            .createObject("picture:plan", value: .object([:]), owner: "user:ann"))
    }

    @Test("E14: imported links count up to the limit of each caller")
    func importedLinks() throws {
        try withStore { fixture in
            try prepare(fixture)
            let importer = try fixture.store.importer()
            let last = Limits.linksPerCaller
            for number in 0...last { try importer.add(Transaction("user:ann", [link(number)], authority: .importer)) }
            try importer.finish()
            func isReadThrough(_ number: Int) throws -> Bool {
                let note = Name("note:\(number)")
                try fixture.commit(.grant("user:ben", on: note, ["read"]))
                defer { _ = try? fixture.commit(.revoke("user:ben", on: note)) }
                return try fixture.may("user:ben", "read", "picture:plan")
            }
            #expect(try isReadThrough(0) && isReadThrough(last - 1))
            #expect(try !isReadThrough(last))
            try fixture.reopenWithoutIndex()
            #expect(try isReadThrough(last - 1) && !isReadThrough(last))
            // A value with a link over the limit can be changed, and the link counts if it is written when there is room.
            try fixture.commit(.writeObject(Name("note:\(last)"), .merge(.object(["n": .integer(1)]))), as: "user:ann")
            #expect(try fixture.refusal(link(last + 1), as: "user:ann")?.code == .tooLarge)
            try fixture.commit(.deleteObject("note:0"), link(last + 1), as: "user:ann")
            #expect(try isReadThrough(last + 1))
            #expect(try Store.verifyIsSound(fixture))
        }
    }

    @Test("Writing the same bytes again is a change if one of the links now leads to another object")
    func sameBytes() throws {
        try withStore { fixture in
            try prepare(fixture)
            try fixture.commit(link(1), as: "user:ann")
            let write = Change.writeObject("note:1", .value(.object(["to": .object(["$ref": .string("picture:plan")])])))
            let head = try fixture.head
            try fixture.commit(write, as: "user:ann")
            #expect(try fixture.head == head)
            try fixture.commit(.deleteObject("picture:plan"), .createObject("picture:plan", value: .object([:])), as: "user:ann")
            try fixture.commit(.grant("user:ben", on: "note:1", ["read"]), as: "user:ann")
            #expect(try !fixture.may("user:ben", "read", "picture:plan"))
            let receipt = try fixture.commit(write, as: "user:ann")
            #expect(receipt.revision == (try fixture.head))
            #expect(try fixture.may("user:ben", "read", "picture:plan"))
            let begin = try #require(receipt.revision)
            #expect(try !fixture.may("user:ben", "read", "picture:plan", at: .revision(Revision(begin.rawValue - 1))))
        }
    }

    @Test("A link counts within the transaction that creates the object under its name, in either order")
    func sameTransaction() throws {
        try withStore { fixture in
            try prepare(fixture)
            let creation = Change.createObject("picture:new", value: .object([:]))
            try fixture.commit(link(1, to: "picture:new"), creation, as: "user:ann")
            try fixture.commit(.grant("user:ben", on: "note:1", ["read"]), as: "user:ann")
            #expect(try fixture.may("user:ben", "read", "picture:new"))
            // An object deleted and created again in one transaction is a new object.
            try fixture.commit(.deleteObject("picture:new"), creation, as: "user:ann")
            #expect(try !fixture.may("user:ben", "read", "picture:new"))
            try fixture.commit(
                .deleteObject("picture:new"), .writeObject("note:1", .merge(.object(["n": .integer(2)]))), creation, as: "user:ann")
            #expect(try fixture.may("user:ben", "read", "picture:new"))
        }
    }
}

extension Store {
    fileprivate static func verifyIsSound(_ fixture: StoreFixture) throws -> Bool {
        try fixture.whileClosed { try Store.verify(at: fixture.path).isSound }
    }
}
