import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("What is wrong is refused with its code, and nothing changes")
struct BadInputTests {
    struct Fault: CustomTestStringConvertible {
        let change: Change
        let code: Refusal.Code

        init(_ code: Refusal.Code, _ change: Change) {
            self.change = change
            self.code = code
        }

        var testDescription: String { String("\(code) \(change)".prefix(120)) }
    }

    private static let longID = String(repeating: "x", count: 513)
    private static let past = Instant.newYear
    /// Names of which each is ill-formed in its own way.
    private static let illFormed: [Name] = [
        "", ":", "doc", "doc:", ":1", "store:1", "doc:a\u{0}b", "doc:a\nb", "d\u{1B}oc:1", "doc:\u{85}",
    ]

    private static let faults: [Fault] =
        [
            // Classes.
            Fault(.alreadyExists, .defineClass("doc")), Fault(.alreadyExists, .defineClass("role")),
            Fault(.alreadyExists, .defineClass("store")), Fault(.malformed, .defineClass("")),
            Fault(.malformed, .defineClass("a:b")), Fault(.malformed, .defineClass("everyone")),
            Fault(.malformed, .defineClass("anonymous")), Fault(.malformed, .defineClass("a\tb")),
            Fault(.tooLarge, .defineClass(String(repeating: "c", count: 129))),
            Fault(.malformed, .defineClass("new", ClassSettings(inherits: .only(["fly"])))),
            Fault(.malformed, .defineClass("new", ClassSettings(creatorPrivileges: ["fly"]))),
            Fault(.malformed, .defineClass("new", ClassSettings(creatorPrivileges: ["approve"]))),
            Fault(.malformed, .defineClass("new", ClassSettings(privileges: ["read"]))),
            Fault(.malformed, .defineClass("new", ClassSettings(privileges: [""]))),
            Fault(.malformed, .defineClass("new", ClassSettings(privileges: ["a\u{7}"]))),
            Fault(.malformed, .defineClass("new", ClassSettings(properties: [""]))),
            Fault(.unknownClass, .changeClass("box", ClassSettings())),
            Fault(.malformed, .changeClass("doc", ClassSettings(creatorPrivileges: ["fly"]))),
            // Objects.
            Fault(.unknownClass, .createObject("box:1")), Fault(.unknownClass, .createObject("role:new")),
            Fault(.unknownClass, .createObject("user:new")), Fault(.unknownClass, .createObject("class:new")),
            Fault(.unknownClass, .createObject("permission:new")), Fault(.unknownClass, .createObject(.store)),
            Fault(.alreadyExists, .createObject("doc:1")), Fault(.unknownObject, .createObject("doc:new", parent: "doc:none")),
            Fault(.unknownObject, .createObject("doc:new", parent: "doc:new")),
            Fault(.unknownPrincipal, .createObject("doc:new", owner: "user:none")),
            Fault(.unknownPrincipal, .createObject("doc:new", owner: "doc:1")),
            Fault(.tooLarge, .createObject(Name("doc:" + longID))),
            Fault(.unknownObject, .writeObject("doc:none", .value(.null))),
            Fault(.malformed, .writeObject("role:r", .value(.null))),
            Fault(.malformed, .writeObject("user:ann", .value(.null))), Fault(.malformed, .writeObject(.store, .value(.null))),
            Fault(.conflict, .writeObject("doc:1", .value(.null), expectedRevision: .genesis)),
            Fault(.conflict, .writeObject("doc:1", .merge(.object([:])), expectedRevision: Revision(99))),
            Fault(.malformed, .writeObject("doc:1", .value(.number(.nan)))),
            Fault(.malformed, .writeObject("doc:1", .value(.number(.infinity)))),
            Fault(.cycle, .moveObject("doc:1", parent: "doc:1")), Fault(.cycle, .moveObject("doc:1", parent: "doc:leaf")),
            Fault(.unknownObject, .moveObject("doc:none", parent: nil)),
            Fault(.unknownObject, .moveObject("doc:1", parent: "doc:none")),
            Fault(.malformed, .moveObject("role:r", parent: nil)), Fault(.unknownObject, .deleteObject("doc:none")),
            Fault(.malformed, .deleteObject("role:r")), Fault(.malformed, .deleteObject("class:doc")),
            Fault(.malformed, .deleteObject("user:ann")), Fault(.unknownObject, .setOwner("doc:none", owner: "user:ann")),
            Fault(.unknownPrincipal, .setOwner("doc:1", owner: "user:none")),
            Fault(.malformed, .setOwner("role:r", owner: "user:ann")),
            // Entries.
            Fault(.unknownObject, .grant("user:ann", on: "doc:none", ["read"])),
            Fault(.unknownPrincipal, .grant("user:none", on: "doc:1", ["read"])),
            Fault(.unknownPrincipal, .grant("role:none", on: "doc:1", ["read"])),
            Fault(.unknownPrincipal, .grant("doc:1", on: "doc:1", ["read"])),
            Fault(.malformed, .grant("user:ann", on: "doc:1", ["fly"])),
            Fault(.malformed, .grant("user:ann", on: "doc:1", ["approve"])),
            Fault(.malformed, .grant("user:ann", on: "doc:1", ["read"], until: past)),
            Fault(.malformed, .grant("user:ann", on: "doc:1", ["read"], until: past.later(seconds: -1))),
            Fault(.alreadyExists, .grant("user:ann", on: "doc:1", ["read"], strict: true)),
            Fault(.unknownObject, .setAccess("user:ann", on: "doc:none", [])),
            Fault(.malformed, .setAccess("user:ann", on: "doc:1", ["fly"])),
            Fault(.unknownPrincipal, .setAccess("user:none", on: "doc:1", ["read"])),
            Fault(.unknownObject, .revoke("user:ann", on: "doc:none")),
            Fault(.malformed, .revoke("user:ann", on: "doc:1", ["fly"])),
            Fault(.unknownPrincipal, .revoke("user:none", on: "doc:1")),
            Fault(.notThere, .revoke("user:ben", on: "doc:1", strict: true)),
            // Roles and members.
            Fault(.alreadyExists, .createRole("role:r")), Fault(.malformed, .createRole("doc:r")),
            Fault(.malformed, .createRole("role:")),
            Fault(.tooLarge, .createRole(.role(longID))), Fault(.unknownObject, .deleteRole("role:none")),
            Fault(.malformed, .deleteRole("doc:1")), Fault(.unknownObject, .addMember("user:ann", to: "role:none")),
            Fault(.unknownPrincipal, .addMember("user:none", to: "role:r")),
            Fault(.malformed, .addMember(.anonymous, to: "role:r")),
            Fault(.malformed, .addMember("user:ann", to: "doc:1")), Fault(.unknownPrincipal, .addMember("doc:1", to: "role:r")),
            Fault(.cycle, .addMember("role:r", to: "role:r")), Fault(.cycle, .addMember("role:outer", to: "role:r")),
            Fault(.alreadyExists, .addMember("user:ann", to: "role:r", strict: true)),
            Fault(.notThere, .removeMember("user:ben", from: "role:r", strict: true)),
            Fault(.unknownPrincipal, .removeMember("user:none", from: "role:r")),
            // Principals, permissions, administrators.
            Fault(.malformed, .register("role:r")), Fault(.malformed, .register(.everyone)), Fault(.malformed, .register("doc:1")),
            Fault(.alreadyExists, .definePermission("permission:p", subject: "user:ann", ["read"])),
            Fault(.malformed, .definePermission("doc:p", subject: "user:ann", ["read"])),
            Fault(.malformed, .definePermission("permission:new", subject: "user:ann", ["fly"])),
            Fault(.unknownPrincipal, .definePermission("permission:new", subject: "user:none", ["read"])),
            Fault(.unknownPermission, .changePermission("permission:none", subject: "user:ann", ["read"])),
            Fault(.malformed, .changePermission("permission:p", subject: "user:ann", ["fly"])),
            Fault(.unknownPrincipal, .changePermission("permission:p", subject: "user:none", ["read"])),
            Fault(.unknownPermission, .attachPermission("permission:none", to: "doc:1")),
            Fault(.unknownObject, .attachPermission("permission:p", to: "doc:none")),
            Fault(.unknownPermission, .detachPermission("permission:none", from: "doc:1")),
            Fault(.unknownPrincipal, .appointAdministrator("user:none")),
            Fault(.unknownPrincipal, .dismissAdministrator("user:none")),
            Fault(.lastAdministrator, .dismissAdministrator("user:root")),
        ]
        + illFormed.flatMap { name in
            [
                Fault(.malformed, .createObject(name == "doc" ? ":" : name)),
                Fault(.malformed, .grant(name, on: "doc:1", ["read"])),
                Fault(.malformed, .grant("user:ann", on: name, ["read"])), Fault(.malformed, .addMember(name, to: "role:r")),
                Fault(.malformed, .moveObject("doc:1", parent: name)), Fault(.malformed, .register(name)),
                Fault(.malformed, .attachPermission("permission:p", to: name)), Fault(.malformed, .appointAdministrator(name)),
            ]
        }

    private func prepare(_ fixture: StoreFixture) throws {
        try fixture.commit(
            .defineClass("doc"), .defineClass("other", ClassSettings(privileges: ["approve"])), .register("user:ann"),
            .register("user:ben"), .createRole("role:r"), .createRole("role:outer"), .addMember("role:r", to: "role:outer"),
            .addMember("user:ann", to: "role:r"), .createObject("doc:1"), .createObject("doc:mid", parent: "doc:1"),
            .createObject("doc:leaf", parent: "doc:mid"), .grant("user:ann", on: "doc:1", ["read"]),
            .definePermission("permission:p", subject: "user:ann", ["read"]))
    }

    @Test("E9: a command that is refused has its code, and leaves the log as it was", arguments: faults)
    func refused(fault: Fault) throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            let refusal = try fixture.refusal(fault.change)
            #expect(refusal?.code == fault.code)
            #expect(refusal?.change == 0)
            #expect(try fixture.head == Revision(1))
            // Behind a change that works it takes that one back.
            let second = try fixture.refusal(.createRole("role:another"), fault.change)
            #expect(second?.code == fault.code)
            #expect(second?.change == 1)
            #expect(try fixture.head == Revision(1))
            #expect(try !fixture.store.read { try $0.exists("role:another") })
        }
    }

    /// Callers that cannot be.
    private static let callers: [Name] = ["role:r", .everyone, .store, "doc:1", "user:", "nobody", "", "user:a\u{0}b"]

    @Test("F1: whoever cannot act is refused, whatever the change", arguments: callers)
    func impossibleCaller(caller: Name) throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            let refusal = try fixture.refusal(.createRole("role:new"), as: caller)
            #expect(refusal?.code == .malformed)
            #expect(refusal?.change == nil)
            #expect(try fixture.head == Revision(1))
        }
    }

    @Test("A store is not made for an administrator that cannot be one")
    func impossibleAdministrator() throws {
        try withTemporaryFolder { folder in
            for name: Name in ["role:r", .everyone, "", "user:", "doc:1"] {
                #expect(throws: Refusal.self) { try Store.create(at: folder + "/store", administrator: name) }
                #expect(!Store.exists(at: folder + "/store"))
            }
        }
    }
}
