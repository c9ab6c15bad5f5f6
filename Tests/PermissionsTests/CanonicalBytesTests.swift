import Events
import Hashing
import Permissions
import Testing

@Suite("The content that an idempotency key identifies")
struct CanonicalBytesTests {
    /// One change of each kind. Each optional part is present in one change and missing in another.
    private static let changes: [Change] = [
        .defineClass("doc"),
        .defineClass(
            "box",
            ClassSettings(
                objectACL: ObjectACL.none, composition: .widening, inherits: .only(["read", "query"]),
                creatorPrivileges: ["read"], creatorPermanent: true, readThroughLinks: false, privileges: ["approve"],
                properties: ["n", "s"])),
        .changeClass("doc", ClassSettings(inherits: .everything)), .changeClass("doc", ClassSettings(inherits: .nothing)),
        .createObject("doc:1"),
        .createObject("doc:2", parent: "doc:1", value: .object(["b": .integer(1), "a": .null]), owner: "user:ann"),
        .writeObject("doc:1", .value(.string("x"))), .writeObject("doc:1", .merge(.string("x")), expectedRevision: Revision(7)),
        .moveObject("doc:1", parent: nil), .moveObject("doc:1", parent: "doc:2"), .deleteObject("doc:1"),
        .setOwner("doc:1", owner: "user:ann"), .grant("user:ann", on: "doc:1", ["update", "read"]),
        .grant("user:ann", on: "doc:1", [], until: Instant(microseconds: 1_767_225_600_000_000), strict: true),
        .setAccess("user:ann", on: "doc:1", ["read"]), .revoke("user:ann", on: "doc:1"),
        .revoke("user:ann", on: "doc:1", ["read"], strict: true), .createRole("role:r"), .deleteRole("role:r"),
        .addMember("user:ann", to: "role:r"), .addMember("user:ann", to: "role:r", strict: true),
        .removeMember("user:ann", from: "role:r"), .register("user:ann"),
        .definePermission("permission:p", subject: "role:r", ["read"]),
        .changePermission("permission:p", subject: "role:r", ["read"]), .attachPermission("permission:p", to: "doc:1"),
        .detachPermission("permission:p", from: "doc:1"), .appointAdministrator("user:ann"), .dismissAdministrator("user:ann"),
    ]

    private func digest(_ changes: [Change]) -> String { Digest(of: changes.canonicalBytes.span).description }

    @Test("E8: the bytes are the same in every process and version, because logs keep their hash")
    func golden() {
        #expect(digest(Self.changes) == "07c0ff21ebb72776127b838baabda1cb893302f6167d2ad98ff88353b53eeed8")
    }

    @Test("E8: different changes have different bytes")
    func distinct() {
        #expect(Set(Self.changes.map { [$0].canonicalBytes }).count == Self.changes.count)
        let (first, second): (Change, Change) = (.createRole("role:r"), .deleteRole("role:r"))
        #expect([first, second].canonicalBytes != [second, first].canonicalBytes)
        #expect([first].canonicalBytes != [first, first].canonicalBytes)
        #expect([Change].init().canonicalBytes.isEmpty)
    }

    @Test("E8: aliases make settings differ, in any order; settings without aliases keep their old bytes")
    func aliases() {
        let settings: [ClassSettings] = [
            ClassSettings(), ClassSettings(aliases: []), ClassSettings(aliases: [.init("see", for: ["read"])]),
            ClassSettings(aliases: [.init("see", for: ["read", "query"])]), ClassSettings(aliases: [.init("seer", for: ["ead"])]),
            ClassSettings(aliases: [.init("see", for: ["read"]), .init("do", for: ["update"])]),
        ]
        #expect(Set(settings.map { [Change.changeClass("doc", $0)].canonicalBytes }).count == settings.count)
        let turned = ClassSettings(aliases: [.init("do", for: ["update"]), .init("see", for: ["read"])])
        #expect([Change.changeClass("doc", turned)].canonicalBytes == [Change.changeClass("doc", settings[5])].canonicalBytes)
        #expect(digest([.changeClass("doc", settings[5])]) == "659ffdcd4243ef7cbdd0f329fb67f51f2acce070777039e2cb6f6fc85a001edb")
    }

    @Test("E8: an expected revision of an access list makes changes differ")
    func expectedAccess() {
        let revision = Revision(7)
        let changes: [(Change, Change)] = [
            (.grant("user:a", on: "doc:1", ["read"]), .grant("user:a", on: "doc:1", ["read"], expectedRevision: revision)),
            (.setAccess("user:a", on: "doc:1", ["read"]), .setAccess("user:a", on: "doc:1", ["read"], expectedRevision: revision)),
            (.revoke("user:a", on: "doc:1"), .revoke("user:a", on: "doc:1", expectedRevision: revision)),
        ]
        for (any, expecting) in changes { #expect([any].canonicalBytes != [expecting].canonicalBytes) }
    }

    @Test("E8: adjacent texts stay distinct")
    func boundaries() {
        let one: Change = .grant("user:a", on: "doc:bc", ["read"])
        let other: Change = .grant("user:ab", on: "doc:c", ["read"])
        #expect([one].canonicalBytes != [other].canonicalBytes)
        let all: Change = .revoke("user:a", on: "doc:1")
        let none: Change = .revoke("user:a", on: "doc:1", [])
        #expect([all].canonicalBytes != [none].canonicalBytes)
        let anyState: Change = .deleteObject("doc:1")
        let oneState: Change = .deleteObject("doc:1", expectedRevision: .genesis)
        #expect([anyState].canonicalBytes != [oneState].canonicalBytes)
        let empty: Change = .createObject("doc:1", value: .null)
        #expect([empty].canonicalBytes != [Change.createObject("doc:1")].canonicalBytes)
    }

    @Test("E8: the order of privileges and of a value's members does not matter")
    func order() {
        let (one, other): (Change, Change) = (
            .grant("user:ann", on: "doc:1", ["read", "update"]), .grant("user:ann", on: "doc:1", ["update", "read"])
        )
        #expect([one].canonicalBytes == [other].canonicalBytes)
        let names = (0..<40).map { "member \($0)" }
        let values = (0..<2).map { _ in
            JSONValue.object(JSONObject(names.shuffled().map { ($0, JSONValue.null) }))
        }
        #expect(
            [Change.writeObject("doc:1", .value(values[0]))].canonicalBytes
                == [Change.writeObject("doc:1", .value(values[1]))].canonicalBytes)
    }
}
