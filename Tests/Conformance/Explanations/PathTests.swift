import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Explanations: each kind of path, with the event, the actor and the time of each step")
struct PathTests {
    @Test("E11: An entry is explained with its event, and the event's actor, time, request and comment")
    func entry() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"), .register("user:ann"), .register("user:boss"))
            try fixture.commit(.appointAdministrator("user:boss"))
            try fixture.commit(.createObject("doc:plan"))
            fixture.clock.advance(seconds: 60)
            try fixture.commit(
                .grant("user:ann", on: "doc:plan", ["read"]), as: "user:boss",
                origin: Origin(requestID: "ticket-7", comment: "for the audit"))
            fixture.clock.advance(seconds: 60)
            try fixture.commit(.grant("user:ann", on: "doc:plan", ["read", "update"]))
            let witness = try fixture.witness("user:ann", "read", on: "doc:plan")
            #expect(witness.isAllowed)
            #expect(witness.outcomes.map(\.decider) == [.object])
            let path = try #require(witness.paths(at: .object).first)
            #expect(witness.line(path) == "user:ann; user:ann has read on doc:plan (r4 user:boss)")
            let citation = try #require(path.facts.last?.citation)
            #expect(citation.time == Instant.newYear.later(seconds: 60))
            #expect(citation.kind == .accessGranted)
            #expect(citation.origin.requestID == "ticket-7")
            #expect(citation.origin.comment == "for the audit")
        }
    }

    @Test("E11: Every chain of roles is explained, from the caller or from `everyone`, with the event of each membership")
    func memberships() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:plan"), .register("user:ann"))
            for role: Name in ["role:a", "role:b", "role:c", "role:all"] { try fixture.commit(.createRole(role)) }
            try fixture.commit(.addMember("user:ann", to: "role:a"), .addMember("user:ann", to: "role:b"))
            try fixture.commit(.addMember("role:a", to: "role:c"), .addMember("role:b", to: "role:c"))
            try fixture.commit(.addMember(.everyone, to: "role:all"))
            try fixture.commit(.grant("role:c", on: "doc:plan", ["read"]))
            try fixture.commit(.grant("role:all", on: "doc:plan", ["read"]))
            try fixture.commit(.grant(.anonymous, on: "doc:plan", ["read"]))
            #expect(
                Set(try fixture.why("user:ann", "read", on: "doc:plan")) == [
                    "user:ann; user:ann of role:a (r6 user:root); role:a of role:c (r7 user:root); "
                        + "role:c has read on doc:plan (r9 user:root)",
                    "user:ann; user:ann of role:b (r6 user:root); role:b of role:c (r7 user:root); "
                        + "role:c has read on doc:plan (r9 user:root)",
                    "everyone; everyone of role:all (r8 user:root); role:all has read on doc:plan (r10 user:root)",
                    "anonymous; anonymous has read on doc:plan (r11 user:root)",
                ])
            #expect(
                try fixture.why(.anonymous, "read", on: "doc:plan") == ["anonymous; anonymous has read on doc:plan (r11 user:root)"]
            )
        }
    }

    @Test("E11: Inherited access is explained with every parent on the path, each mask, and the move of the object")
    func inheritance() throws {
        try withStore(.open) { fixture in
            try fixture.commit(
                .defineClass("box", ClassSettings(inherits: .everything)),
                .defineClass("doc", ClassSettings(inherits: .only(["read"]))),
                .register("user:ann"))
            try fixture.commit(.createObject("box:top"), .createObject("box:low", parent: "box:top"))
            try fixture.commit(.createObject("doc:plan"))
            try fixture.commit(.grant("user:ann", on: "box:top", ["read", "update"]))
            #expect(try fixture.why("user:ann", "read", on: "doc:plan") == [])
            try fixture.commit(.moveObject("doc:plan", parent: "box:low"))
            #expect(
                try fixture.why("user:ann", "read", on: "doc:plan") == [
                    "user:ann; user:ann has read on box:top (r4 user:root); "
                        + "box:top: class:box (r2 user:root); box:low in box:top (r2 user:root); class:box (r1 user:root); "
                        + "box:low: class:box (r2 user:root); doc:plan in box:low (r5 user:root); class:doc (r1 user:root)"
                ])
            let update = try fixture.witness("user:ann", "update", on: "doc:plan")
            #expect(!update.isAllowed)
            #expect(update.paths(at: .object) == [])
        }
    }

    @Test("E11: A class without object ACLs gives everything, to its objects and to their descendants")
    func openClass() throws {
        try withStore(.open) { fixture in
            try fixture.commit(
                .defineClass("note", ClassSettings(objectACL: ObjectACL.none)),
                .defineClass("doc", ClassSettings(inherits: .everything)), .register("user:ann"))
            try fixture.commit(.createObject("note:1"))
            try fixture.commit(.createObject("doc:1", parent: "note:1"))
            #expect(try fixture.why("user:ann", "read", on: "note:1") == ["class:note (r1 user:root)"])
            #expect(
                try fixture.why("user:ann", "read", on: "doc:1") == [
                    "class:note (r1 user:root); note:1: class:note (r2 user:root); doc:1 in note:1 (r3 user:root); "
                        + "class:doc (r1 user:root)"
                ])
            #expect(try fixture.witness("user:ann", "read", on: "note:1").outcomes.map(\.decider) == [.class])
        }
    }

    @Test("E11: A permission is explained with its last definition and its attachment, at every level")
    func permission() throws {
        try withStore { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"), .register("user:ann"))
            try fixture.commit(.definePermission("permission:p", subject: "user:ann", ["read"]))
            try fixture.commit(.attachPermission("permission:p", to: "doc:1"), .attachPermission("permission:p", to: .class("doc")))
            try fixture.commit(.attachPermission("permission:p", to: .store))
            try fixture.commit(.changePermission("permission:p", subject: "user:ann", ["read", "query"]))
            func path(_ object: String, _ revision: Int) -> [String] {
                ["user:ann; permission:p gives user:ann read (r5 user:root); permission:p on \(object) (r\(revision) user:root)"]
            }
            #expect(try fixture.why("user:ann", "read", on: "doc:1") == path("doc:1", 3))
            #expect(try fixture.why("user:ann", "read", on: "doc:1", .class) == path("class:doc", 3))
            #expect(try fixture.why("user:ann", "read", on: "doc:1", .store) == path("store", 4))
            let before = try fixture.why("user:ann", "read", on: "doc:1", at: .revision(Revision(4)))
            #expect(before == ["user:ann; permission:p gives user:ann read (r2 user:root); permission:p on doc:1 (r3 user:root)"])
        }
    }

    @Test("E11: An object read through links is explained with each link, and with the access to the first object")
    func links() throws {
        try withStore(.open) { fixture in
            try fixture.commit(
                .defineClass("page", ClassSettings()), .defineClass("image", ClassSettings(readThroughLinks: true)),
                .register("user:ann"))
            try fixture.commit(.createObject("image:2"))
            try fixture.commit(.createObject("image:1", value: .object(["next": .link("image:2")])))
            try fixture.commit(.createObject("page:1"))
            try fixture.commit(.writeObject("page:1", .value(.array([.link("image:1")]))))
            #expect(try fixture.why("user:ann", "read", on: "image:2") == [])
            try fixture.commit(.grant("user:ann", on: "page:1", ["read"]))
            // Another value with the same link does not create the link again.
            try fixture.commit(.writeObject("page:1", .value(.array([.link("image:1"), .bool(true)]))))
            #expect(
                try fixture.why("user:ann", "read", on: "image:2") == [
                    "image:1 links to image:2 (r3 user:root); page:1 links to image:1 (r5 user:root)"
                ])
            // A linked object makes its own links readable only if its class is readable through links. The class `page` is not.
            try fixture.commit(.createObject("image:3"), .createObject("page:2", value: .array([.link("image:3")])))
            try fixture.commit(.writeObject("page:1", .value(.array([.link("image:1"), .link("page:2")]))))
            #expect(try fixture.why("user:ann", "read", on: "image:3") == [])
            #expect(try !fixture.may("user:ann", "read", "image:3"))
            let witness = try fixture.witness("user:ann", "read", on: "image:2")
            let source = try #require(witness.paths(at: .object).first?.sources.last)
            #expect(source.objectPart.map(witness.line) == ["user:ann; user:ann has read on page:1 (r6 user:root)"])
            #expect(source.classLevel.map(witness.line) == ["everyone; everyone has read on class:page (r1 user:root)"])
        }
    }

    @Test("E11: An administrator's access is explained with the appointment, independent of other access")
    func administrator() throws {
        try withStore { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"), .register("user:ann"))
            try fixture.commit(.appointAdministrator("user:ann"))
            let witness = try fixture.witness("user:ann", "read", on: "doc:1")
            #expect(witness.outcomes == [PrivilegeResult(privilege: "read", isAllowed: true, decider: .administrator, failing: [])])
            #expect(witness.appointment?.citation.revision == Revision(2))
            #expect(try fixture.witness("user:root", "read", on: "doc:1").appointment?.citation.revision == .genesis)
        }
    }

    @Test("E11: Permanent access of an owner is explained as such, and ends when the object gets another owner")
    func permanent() throws {
        try withStore(.open) { fixture in
            let settings = ClassSettings(creatorPrivileges: ["read", "update"], creatorPermanent: true)
            try fixture.commit(.defineClass("doc", settings), .register("user:ann"), .register("user:ben"))
            try fixture.commit(.createObject("doc:1", owner: "user:ann"))
            func path() throws -> WitnessedPath? { try fixture.witness("user:ann", "read", on: "doc:1").paths(at: .object).first }
            #expect(try path()?.isPermanent == true)
            #expect(
                try fixture.witness("user:ann", "read", on: "doc:1").lines.contains { $0.contains(", permanently  r2") })
            try fixture.commit(.setOwner("doc:1", owner: "user:ben"))
            #expect(try path()?.isPermanent == false)
            #expect(try path()?.facts.last?.citation.revision == Revision(2))
        }
    }

    @Test("E11: For a widening class, the explanation has the access from the class and from the object")
    func widening() throws {
        try withStore(.open) { fixture in
            try fixture.commit(
                .defineClass("doc", ClassSettings(composition: .widening)), .createObject("doc:1"), .register("user:ann"))
            try fixture.commit(.revoke(.everyone, on: .class("doc")))
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            #expect(try fixture.witness("user:ann", "read", on: "doc:1").outcomes.map(\.decider) == [.object])
            try fixture.commit(.grant("user:ann", on: .class("doc"), ["read"]))
            #expect(try fixture.witness("user:ann", "read", on: "doc:1").outcomes.map(\.decider) == [.class])
            #expect(try fixture.why("user:ann", "read", on: "doc:1").count == 1)
            #expect(try fixture.why("user:ann", "read", on: "doc:1", .class).count == 1)
        }
    }
}

extension JSONValue {
    static func link(_ name: Name) -> JSONValue { .object(["$ref": .string(name.text)]) }
}
