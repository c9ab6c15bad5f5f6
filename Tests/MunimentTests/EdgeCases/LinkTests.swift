import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Fine print: links")
struct LinkTests {
    private func link(_ targets: Name...) -> JSONValue {
        .object(["see": .array(targets.map { .object(["$ref": .string($0.text)]) })])
    }

    /// `doc` does not read through links, `pic` does. `user:ann` may read `doc:1`.
    private func prepare(_ fixture: StoreFixture, _ pictures: ClassSettings = ClassSettings(readThroughLinks: true)) throws {
        try fixture.commit(
            .defineClass("doc"), .defineClass("pic", pictures), .register("user:ann"), .createObject("doc:1"),
            .grant("user:ann", on: "doc:1", ["read"]))
    }

    @Test("R12: a link gives no read access unless the target's class allows it")
    func byDefaultNothing() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(
                .createObject("doc:2"), .createObject("pic:1"), .writeObject("doc:1", .value(link("doc:2", "pic:1"))))
            #expect(try fixture.privileges("user:ann", "doc:2") == [])
            #expect(try fixture.privileges("user:ann", "pic:1") == ["read"])
            #expect(try fixture.privileges("user:ben", "pic:1") == [])
            #expect(try fixture.store.read { try $0.objects(for: "user:ann", with: ["read"]) } == ["doc:1", "pic:1"])
            #expect(try fixture.store.read { try $0.subjects(with: ["read"], on: "pic:1") } == ["user:ann"])
            try fixture.commit(.changeClass("pic", ClassSettings(readThroughLinks: false)))
            #expect(try fixture.privileges("user:ann", "pic:1") == [])
        }
    }

    @Test("R12: chains and cycles of links are followed; a cycle without a readable object gives nothing")
    func chainsAndRings() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(
                .createObject("pic:1", value: link("pic:2")), .createObject("pic:2", value: link("pic:3")),
                .createObject("pic:3", value: link("pic:1", "pic:3")), .createObject("pic:own", value: link("pic:own")))
            let ring: [Name] = ["pic:1", "pic:2", "pic:3"]
            for picture in ring { #expect(try !fixture.may("user:ann", "read", picture)) }
            let linked = try fixture.commit(.writeObject("doc:1", .value(link("pic:2"))))
            for picture in ring { #expect(try fixture.may("user:ann", "read", picture)) }
            #expect(try !fixture.may("user:ann", "read", "pic:own"))
            try fixture.commit(.writeObject("doc:1", .merge(.object(["see": .null]))))
            for picture in ring {
                #expect(try !fixture.may("user:ann", "read", picture))
                #expect(try fixture.may("user:ann", "read", picture, at: .revision(linked.head)))
            }
        }
    }

    @Test("R12: children do not inherit access from a link, and a link never exceeds the store and class levels")
    func limitsOfLinks() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture, ClassSettings(inherits: .everything, readThroughLinks: true))
            try fixture.commit(
                .createObject("pic:1"), .createObject("pic:2", parent: "pic:1"), .writeObject("doc:1", .value(link("pic:1"))))
            #expect(try fixture.may("user:ann", "read", "pic:1"))
            #expect(try !fixture.may("user:ann", "read", "pic:2"))
            try fixture.commit(.revoke(.everyone, on: .class("pic"), ["read"]))
            #expect(try !fixture.may("user:ann", "read", "pic:1"))
        }
    }

    @Test(
        "R12, E14: a link counts while its source exists and is readable, for the object that had the name when it was written")
    func sourcesAndTargets() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            let write = Change.writeObject("doc:1", .value(link("pic:later")))
            try fixture.commit(write)
            try fixture.commit(.createObject("pic:later"))
            #expect(try !fixture.may("user:ann", "read", "pic:later"))
            try fixture.commit(write)
            #expect(try fixture.may("user:ann", "read", "pic:later"))
            try fixture.commit(.deleteObject("pic:later"))
            try fixture.commit(.createObject("pic:later"))
            #expect(try !fixture.may("user:ann", "read", "pic:later"))
            try fixture.commit(write)
            #expect(try fixture.may("user:ann", "read", "pic:later"))
            try fixture.commit(.revoke("user:ann", on: "doc:1"))
            #expect(try !fixture.may("user:ann", "read", "pic:later"))
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]), .deleteObject("doc:1"))
            #expect(try !fixture.may("user:ann", "read", "pic:later"))
        }
    }

    @Test("R12: an object readable through a link is listed for more than read if a widening class gives the other privileges")
    func listedWithMore() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture, ClassSettings(composition: .widening, readThroughLinks: true))
            try fixture.commit(
                .setAccess(.everyone, on: .class("pic"), ["query"]), .createObject("pic:1"), .createObject("pic:2"),
                .writeObject("doc:1", .value(link("pic:1"))))
            #expect(try fixture.privileges("user:ann", "pic:1") == ["query", "read"])
            try fixture.store.read { (snapshot) throws in
                #expect(try snapshot.objects(for: "user:ann", with: ["query", "read"]) == ["pic:1"])
                #expect(try snapshot.subjects(with: ["query", "read"], on: "pic:1") == ["user:ann"])
                #expect(try snapshot.list(class: "pic", as: "user:ann") == ["pic:1"])
            }
        }
    }
}
