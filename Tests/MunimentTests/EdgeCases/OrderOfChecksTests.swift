import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Fine print: the order of the checks of a command")
struct OrderOfChecksTests {
    /// A change with several errors, and the error that is reported. `user:ann` has no access; `user:ben` only has setPermissions
    /// and update.
    private static let faults: [(what: String, caller: Name, change: Change, code: Refusal.Code)] = [
        ("form before presence", "user:ann", .grant("nobody", on: "doc:none", ["fly"]), .malformed),
        ("form before presence", "user:ann", .createObject("doc:", parent: "doc:none"), .malformed),
        (
            "size before presence", "user:ann", .moveObject("doc:none", parent: Name("doc:" + String(repeating: "x", count: 513))),
            .tooLarge
        ),
        ("presence before privileges of the class", "user:ann", .grant("user:none", on: "doc:none", ["fly"]), .unknownObject),
        (
            "presence before an end in the past", "user:ann", .grant("user:ann", on: "doc:none", ["read"], until: .newYear),
            .unknownObject
        ),
        ("absence before the privilege", "user:ann", .createObject("doc:1"), .alreadyExists),
        ("absence before the privilege", "user:ann", .createRole("role:r"), .alreadyExists),
        ("absence before the privilege", "user:ann", .defineClass("doc"), .alreadyExists),
        (
            "absence before the privilege", "user:ann", .definePermission("permission:p", subject: "user:none", ["fly"]),
            .alreadyExists
        ),
        ("the parent's presence before the privilege", "user:ann", .createObject("doc:9", parent: "doc:none"), .unknownObject),
        ("the class's privileges before the caller's", "user:ann", .grant("user:none", on: "doc:1", ["fly"]), .malformed),
        (
            "an end in the past before the caller's privilege", "user:ann",
            .grant("user:none", on: "doc:1", ["read"], until: .newYear), .malformed
        ),
        ("the caller's privilege before the subject", "user:ann", .grant("user:none", on: "doc:1", ["read"]), .noPrivilege),
        ("the caller's privilege before the member", "user:ann", .addMember("user:none", to: "role:r"), .noPrivilege),
        ("the caller's privilege before the owner", "user:ann", .setOwner("doc:1", owner: "user:none"), .noPrivilege),
        ("the caller's privilege before a cycle", "user:ann", .moveObject("doc:1", parent: "doc:1"), .noPrivilege),
        (
            "the caller's privilege before a conflict", "user:ann",
            .writeObject("doc:1", .value(.null), expectedRevision: .genesis), .noPrivilege
        ),
        ("the subject before the granter's own level", "user:ben", .grant("user:none", on: "doc:1", ["delete"]), .unknownPrincipal),
        (
            "own level before what is there already", "user:ben", .grant("user:root", on: "doc:1", ["delete"], strict: true),
            .aboveOwnLevel
        ),
        ("a form that no class can have before all else", .anonymous, .register("role:r"), .malformed),
        ("administration before the principal", "user:ann", .appointAdministrator("user:none"), .notAdministrator),
    ]

    @Test("The first error in the documented order is reported", arguments: faults)
    func firstFault(what: String, caller: Name, change: Change, code: Refusal.Code) throws {
        try withStore { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .createObject("doc:1"), .createRole("role:r"), .register("user:ann"), .register("user:ben"),
                .definePermission("permission:p", subject: "user:ann", ["read"]),
                .grant("user:ben", on: .store, Privileges.builtInNames),
                .grant("user:ben", on: .class("doc"), Privileges.builtInNames),
                .grant("user:ben", on: "doc:1", ["setPermissions", "update"]), .grant("user:root", on: "doc:1", ["delete"]))
            let refusal = try fixture.refusal(change, as: caller)
            #expect(refusal?.code == code, "\(what)")
            #expect(refusal?.change == 0)
            #expect(try fixture.head == Revision(1))
        }
    }
}
