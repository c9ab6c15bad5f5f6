import Events
import Muniment
import Permissions
import StoreSupport
import Testing

@Suite("What-if: something is first moved below a thing, and then deleted with it")
struct DraftedDeletionTests {
    @Test("E12: Objects below an object that the draft moves are lost when the draft deletes the new parent")
    func movedAndDeleted() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("box", ClassSettings(objectACL: .required)), .defineClass("doc", ClassSettings(objectACL: .required)),
                .register("user:ann"), .createObject("box:1"), .createObject("box:2"), .createObject("doc:1", parent: "box:1"),
                .grant("user:ann", on: "doc:1", ["read"]))
            let predicted = try fixture.store.whatIf([
                Transaction("user:root", [.moveObject("box:1", parent: "box:2")]),
                Transaction("user:root", [.deleteObject("box:2")]),
            ])
            #expect(
                predicted.differences.filter { $0.subject == "user:ann" } == [
                    WhatIf.Difference(subject: "user:ann", object: "doc:1", before: ["read"], after: [])
                ])
        }
    }

    @Test("E12: A permission that the draft changes to a role is lost when the draft deletes the role")
    func changedAndDeleted() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc", ClassSettings(objectACL: .required, inherits: .everything)), .register("user:ann"),
                .register("user:bob"),
                .createRole("role:crew"), .definePermission("permission:p", subject: "user:bob", ["read"]),
                .createObject("doc:1", parent: "permission:p"))
            // The store is open: she has every privilege on the permission, and so on what inherits from it.
            let had = try fixture.privileges("user:ann", "permission:p")
            let predicted = try fixture.store.whatIf([
                Transaction("user:root", [.changePermission("permission:p", subject: "role:crew", ["read"])]),
                Transaction("user:root", [.deleteRole("role:crew")]),
            ])
            #expect(!had.isEmpty)
            #expect(
                predicted.differences.filter { $0.subject == "user:ann" && $0.object != "role:crew" } == [
                    WhatIf.Difference(subject: "user:ann", object: "doc:1", before: had, after: []),
                    WhatIf.Difference(subject: "user:ann", object: "permission:p", before: had, after: []),
                ])
        }
    }
}
