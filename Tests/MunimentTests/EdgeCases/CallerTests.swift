import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Fine print: callers")
struct CallerTests {
    @Test("An anonymous caller without a privilege gets notAuthenticated, a known caller noPrivilege")
    func anonymousAndKnown() throws {
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            for change: Change in [.deleteObject("doc:1"), .createObject("doc:2"), .defineClass("box"), .createRole("role:r")] {
                #expect(try fixture.refusal(change, as: .anonymous)?.code == .notAuthenticated)
                #expect(try fixture.refusal(change, as: "user:ann")?.code == .noPrivilege)
            }
        }
    }

    @Test("A missing object gives unknownObject to every caller")
    func unknownToEveryone() throws {
        try withStore { (fixture) throws in
            for caller: Name in ["user:root", "user:ann", .anonymous] {
                #expect(try fixture.refusal(.deleteObject("doc:1"), as: caller)?.code == .unknownObject)
                #expect(throws: Refusal(.unknownObject, "the object `doc:1` does not exist")) {
                    try fixture.store.read { try $0.value(of: "doc:1", as: caller) }
                }
            }
        }
    }

    @Test("R2: a user exists from its first transaction on, even if it was refused or had no effect")
    func firstConnection() throws {
        try withStore { (fixture) throws in
            #expect(try fixture.refusal(.createRole("role:r"), .addMember("user:ann", to: "role:r"))?.code == .unknownPrincipal)
            #expect(try fixture.refusal(.createRole("role:x"), as: "user:ann")?.code == .noPrivilege)
            #expect(try fixture.head == Revision(1))
            #expect(try fixture.store.read { try $0.exists("user:ann") })
            #expect(try fixture.refusal(.createRole("role:r"), .addMember("user:ann", to: "role:r")) == nil)
            #expect(try fixture.commit(as: "thing:lamp").revision == nil)
            #expect(try fixture.store.read { try $0.exists("thing:lamp") })
            #expect(try fixture.commits().last?.events.map(\.kind) == [.principalRegistered])
        }
    }

    @Test("R2: in a query, any user or thing is a signed-in caller, and an unknown one has the access of everyone")
    func neverSeen() throws {
        try withStore { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .createObject("doc:1"), .createRole("role:all"), .addMember(.everyone, to: "role:all"),
                .grant(.everyone, on: .store, ["query", "read"]), .grant("role:all", on: .class("doc"), ["query", "read"]),
                .grant(.everyone, on: "doc:1", ["query"]), .grant("role:all", on: "doc:1", ["read"]))
            for subject: Name in ["user:never-seen", "thing:never-seen", .everyone] {
                #expect(try fixture.privileges(subject, "doc:1") == ["query", "read"])
                #expect(try fixture.store.read { try $0.objects(for: subject, with: ["read"]) } == ["doc:1"])
            }
            #expect(try fixture.privileges(.anonymous, "doc:1") == [])
            #expect(try fixture.store.read { try $0.list(class: "doc", as: "user:never-seen") } == ["doc:1"])
            #expect(try fixture.head == Revision(1))
        }
    }

    @Test(
        "R10: only a user or a thing can be an administrator, so the last administrator is a principal",
        arguments: [
            Name.everyone, .anonymous, "role:r", "doc:1",
        ])
    func administratorsAreCallers(_ name: Name) throws {
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"), .createRole("role:r"))
            #expect(try fixture.refusal(.appointAdministrator(name))?.code == .malformed)
        }
    }

    @Test("Unknown roles, objects, classes and privileges give the answer no, or an empty one")
    func unknownNames() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc", ClassSettings(objectACL: ObjectACL.none)), .createObject("doc:1"))
            try fixture.store.read { (snapshot) throws in
                #expect(try !snapshot.check("role:none", ["read"], on: "doc:1").isAllowed)
                #expect(try !snapshot.check("user:ann", ["read"], on: "doc:none").isAllowed)
                #expect(try !snapshot.check("user:ann", ["fly"], on: "doc:1").isAllowed)
                #expect(try !snapshot.check("user:ann", ["read", "fly"], on: "doc:1").isAllowed)
                #expect(try !snapshot.check("doc:1", ["read"], on: "doc:1").isAllowed)
                #expect(try snapshot.privileges(of: "user:root", on: "box:1") == [])
                #expect(try snapshot.subjects(with: ["read"], on: "box:1") == [])
                #expect(try snapshot.subjects(with: ["fly"], on: "doc:1") == [])
                #expect(try snapshot.objects(for: "user:root", with: ["fly"]) == [])
                #expect(try snapshot.objects(for: "role:none", with: ["read"]) == [])
                #expect(try snapshot.list(class: "doc", as: "role:none") == [])
                #expect(try snapshot.objects(for: "user:ann", with: ["read"], class: "box") == [])
                #expect(try snapshot.entries(on: "box:1") == [])
                #expect(try snapshot.members(of: "role:none") == [])
                #expect(throws: Refusal(.unknownClass, "the class `box` does not exist")) {
                    try snapshot.list(class: "box", as: "user:ann")
                }
            }
        }
    }

    @Test("An ill-formed name in a query is an error, and the store continues to answer")
    func illFormedNames() throws {
        try withStore(.open) { (fixture) throws in
            for name: Name in ["", "nobody", ":x", "doc:", "store:x", "doc:a\u{7}b"] {
                #expect(throws: Refusal.self) { try fixture.may(name, "read", .store) }
                #expect(throws: Refusal.self) { try fixture.may("user:ann", "read", name) }
                #expect(throws: Refusal.self) { try fixture.entries(name) }
            }
            #expect(try fixture.may("user:ann", "read", .store))
        }
    }
}
