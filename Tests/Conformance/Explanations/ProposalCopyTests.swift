import Events
import Foundation
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Proposals on a copy of the store: each allows the denied access, and does not if one change is left out")
struct ProposalCopyTests {
    /// A firm with many callers and many missing privileges.
    private func withFirm(_ body: (StoreFixture) throws -> Void) throws {
        try withStore { fixture in
            try fixture.commit(
                .defineClass("box"), .defineClass("doc", ClassSettings(inherits: .everything, privileges: ["approve"])),
                .defineClass("wide", ClassSettings(composition: .widening)),
                .defineClass("open", ClassSettings(objectACL: ObjectACL.none)), .register("user:ann"))
            for role: Name in ["role:staff", "role:store", "role:doc", "role:box"] { try fixture.commit(.createRole(role)) }
            try fixture.commit(.addMember("role:staff", to: "role:store"), .addMember("role:staff", to: "role:doc"))
            try fixture.commit(.grant("role:store", on: .store, Privileges.builtInNames))
            try fixture.commit(.grant("role:doc", on: .class("doc"), ["read", "update", "delete"]))
            try fixture.commit(.createObject("box:1"), .createObject("doc:1", parent: "box:1"), .createObject("wide:1"))
            try fixture.commit(.createObject("open:1"), .grant("role:box", on: "box:1", ["read", "delete"]))
            try body(fixture)
        }
    }

    static let questions: [(subject: Name, privileges: [String], object: Name)] = [
        ("user:ann", ["read"], "doc:1"), ("user:ann", ["read", "delete"], "doc:1"), ("user:ann", ["update", "delete"], "wide:1"),
        ("user:ann", ["read"], "open:1"), ("user:new", ["read"], "doc:1"), ("user:new", ["approve"], "doc:1"),
        ("user:ann", ["triage", "read"], "doc:1"), ("role:staff", ["delete"], "doc:1"), (.everyone, ["read"], "doc:1"),
        (.anonymous, ["delete"], "wide:1"), ("user:ann", ["read"], .store), ("user:ann", ["update"], "role:staff"),
        ("user:ann", ["modifySchema"], .class("doc")), ("user:ann", ["approve"], .class("doc")), ("user:root", ["triage"], "doc:1"),
    ]

    @Test("E11: On a copy of the store, each proposal allows the access, and no part of a proposal does", arguments: questions)
    func onCopies(_ question: (subject: Name, privileges: [String], object: Name)) throws {
        try withFirm { fixture in
            let (subject, privileges, object) = question
            let found = try fixture.store.read { try $0.proposals(for: $0.explain(subject, privileges, on: object)) }
            #expect(found.obstacle == nil)
            #expect(!found.proposals.isEmpty)
            #expect(found.isComplete)
            try fixture.whileClosed { () throws -> Void in
                for proposal in found.proposals {
                    for changes in proposal.changes.properSubsets {
                        #expect(try !allows(changes, question, copyOf: fixture), "\(changes) of \(proposal) is enough")
                    }
                    #expect(try allows(proposal.changes, question, copyOf: fixture), "\(proposal) is not enough")
                }
            }
        }
    }

    /// Returns whether a copy of the store allows the access after an administrator has made some changes in one transaction.
    private func allows(
        _ changes: [Change], _ question: (subject: Name, privileges: [String], object: Name), copyOf fixture: StoreFixture
    ) throws -> Bool {
        try withTemporaryFolder { folder in
            try FileManager.default.copyItem(atPath: fixture.path, toPath: folder + "/copy")
            let store = try Store.open(
                at: folder + "/copy", .writing, options: StoreOptions { [clock = fixture.clock] in clock.now })
            defer { try? store.close() }
            do { try store.commit(Transaction("user:root", changes)) } catch is Refusal { return false }
            return try store.read { try $0.check(question.subject, question.privileges, on: question.object).isAllowed }
        }
    }
}

extension Array {
    /// All proper subsets.
    fileprivate var properSubsets: [[Element]] {
        (0..<(1 << count) - 1).map { choice in indices.filter { choice & (1 << $0) != 0 }.map { self[$0] } }
    }
}
