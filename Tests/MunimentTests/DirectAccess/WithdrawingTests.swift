import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Withdrawing a principal removes all of its direct access")
struct WithdrawingTests {
    private let gone: Name = "user:gone"

    /// Gives the principal access in every possible way.
    private func give(_ store: StoreFixture) throws {
        try store.commit(
            .defineClass("doc", ClassSettings(creatorPrivileges: ["read", "update"], creatorPermanent: true)),
            .register("user:gone"), .register("user:ann"), .createRole("role:staff"),
            .grant("everyone", on: "store", ["read", "create", "update"]), .grant("everyone", on: "class:doc", ["read", "create"]),
            .createObject("doc:plan"), .createObject("doc:note"), .createObject("doc:list"))
        try store.commit(.createObject("doc:own", value: .string("mine")), as: gone)
        try store.commit(
            .grant(gone, on: "store", ["query"]), .grant(gone, on: "class:doc", ["delete"]),
            .grant(gone, on: "class:class", ["read"]),
            .grant(gone, on: "role:staff", ["update"]), .grant(gone, on: "user:ann", ["read"]),
            .grant(gone, on: "doc:plan", ["read", "setPermissions"]),
            .grant(gone, on: "doc:note", ["read"], until: store.clock.now.later(seconds: 60)),
            .addMember(gone, to: "role:staff"), .definePermission("permission:lists", subject: gone, ["read"]),
            .attachPermission("permission:lists", to: "doc:list"), .appointAdministrator(gone))
    }

    @Test("I9 One commit removes entries at every level, memberships, permissions and the administrator role of the principal")
    func everything() throws {
        try withStore { store in
            try give(store)
            let before = try store.head
            try store.store.revokeAllAccess(of: gone)
            #expect(try store.head == before.next)
            #expect(try store.store.read { try $0.directAccess(of: gone) }.isEmpty)
            #expect(try store.store.administrators == ["user:root"])
            let stranger: Name = "user:stranger"
            for object: Name in ["store", "class:doc", "role:staff", "user:ann", "doc:plan", "doc:note", "doc:list", "doc:own"] {
                #expect(try store.privileges(gone, object) == store.privileges(stranger, object), "\(object)")
                #expect(try store.entries(object).allSatisfy { $0.subject != gone.text }, "\(object)")
            }
            #expect(try store.store.read { try $0.members(of: "role:staff") } == [])
        }
    }

    @Test("Owned objects stay, and belong to an administrator if the owner's entry cannot be removed")
    func owned() throws {
        try withStore { store in
            try give(store)
            try store.store.revokeAllAccess(of: gone)
            #expect(try store.store.read { try $0.value(of: "doc:own", as: "user:root") } == .string("mine"))
            #expect(try store.store.read { try $0.owner(of: "doc:own") } == "user:root")
        }
    }

    @Test("Past access can still be queried")
    func past() throws {
        try withStore { store in
            try give(store)
            let before = try store.head
            try store.store.revokeAllAccess(of: gone)
            #expect(try store.privileges(gone, "doc:plan", at: .revision(before)).contains("setPermissions"))
            #expect(try store.store.verifyLog { _ in }.isSound)
        }
    }

    @Test("A repeated withdrawal changes nothing, and neither does the withdrawal of an unknown principal")
    func again() throws {
        try withStore { store in
            try give(store)
            try store.store.revokeAllAccess(of: gone)
            let head = try store.head
            try store.store.revokeAllAccess(of: gone)
            try store.store.revokeAllAccess(of: "user:nobody")
            #expect(try store.head == head)
        }
    }

    @Test("The last administrator keeps everything, and the error says what to do")
    func lastAdministrator() throws {
        try withStore { store in
            try store.commit(.register("user:ann"), .defineClass("doc"), .createObject("doc:plan"))
            try store.commit(.grant("user:root", on: "doc:plan", ["read"]))
            let head = try store.head
            let refusal = #expect(throws: Refusal.self) { try store.store.revokeAllAccess(of: "user:root") }
            #expect(refusal?.code == .lastAdministrator)
            #expect(refusal?.message.contains("appoint another one first") == true)
            #expect(try store.head == head)
        }
    }

    @Test("If the changes exceed one transaction, they are made in several, the widest access first")
    func many() throws {
        try withStore { store in
            let count = Limits.changesPerTransaction + 10
            try store.commit(.defineClass("doc"), .register(gone), .appointAdministrator(gone))
            for start in stride(from: 0, to: count, by: 5_000) {
                let objects = (start..<min(start + 5_000, count)).map { Name("doc:\($0)") }
                let changes = objects.flatMap { [Change.createObject($0), .grant(gone, on: $0, ["read"])] }
                _ = try store.store.commit(Transaction("user:root", changes))
            }
            let before = try store.head
            try store.store.revokeAllAccess(of: gone)
            #expect(try store.head == Revision(before.rawValue + 2))
            // If the process ends between the two transactions, the principal has already lost the administrator role.
            let between = Revision(before.rawValue + 1)
            #expect(try store.privileges(gone, "store", at: .revision(before)).contains("setPermissions"))
            #expect(
                try store.privileges(gone, "store", at: .revision(between))
                    == store.privileges("user:stranger", "store", at: .revision(between)))
            #expect(try store.store.read { try $0.directAccess(of: gone) }.isEmpty)
        }
    }
}
