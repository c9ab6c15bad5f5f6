// guide begins
import Events
import Foundation
import Muniment
import Permissions
// guide ends
import StoreSupport
import Testing

@Suite("Docs/Guides/explain.md")
struct ExplainGuideTests {
    @Test("E11: The code of the guide runs unchanged and gives the documented results")
    func codeRuns() throws {
        // guide begins
        // A new store, which begins open, in a new folder: for trying this out.
        let folder = NSTemporaryDirectory() + UUID().uuidString
        let store = try Store.create(at: folder + "/store", preset: .open)

        // Fay works in the office, the office belongs to the staff, and the staff may read the objects in the handbook's folder.
        try store.commit(
            Transaction(
                "user:root",
                [
                    .defineClass("folder", ClassSettings(creatorPrivileges: ["read", "query", "update"])),
                    .defineClass("doc", ClassSettings(inherits: .everything, creatorPrivileges: ["read", "query", "update"])),
                    .register("user:fay"), .register("user:gus"), .createRole("role:office"), .createRole("role:staff"),
                    .addMember("user:fay", to: "role:office"), .addMember("role:office", to: "role:staff"),
                    .createObject("folder:shared"), .createObject("doc:handbook", parent: "folder:shared"),
                    .grant("role:staff", on: "folder:shared", ["read"]),
                ], origin: Origin(comment: "the first day")))
        // guide ends
        let fixture = StoreFixture(of: store, at: folder + "/store")
        defer { fixture.closeAndRemove(folder) }

        // guide begins
        let explanation = try store.read { try $0.explain("user:fay", ["read", "update"], on: "doc:handbook") }
        print(explanation.isAllowed)  // false: both are asked for
        for outcome in explanation.outcomes {
            print(outcome.privilege, outcome.isAllowed, outcome.decider, outcome.failing.map(\.rawValue))
        }
        // read true object []
        // update false object ["object"]
        // guide ends
        #expect(!explanation.isAllowed)
        #expect(explanation.outcomes.map(\.isAllowed) == [true, false])
        #expect(explanation.outcomes.map(\.decider) == [.object, .object])
        #expect(explanation.outcomes.map(\.failing) == [[], [.object]])

        // guide begins
        let witness = try store.read { snapshot in
            try snapshot.witness(of: snapshot.explain("user:fay", ["read"], on: "doc:handbook"))
        }
        print(witness)
        // guide ends
        let sentences = witness.lines.map { $0.split(separator: "  r", maxSplits: 1)[0].trimmingCharacters(in: .whitespaces) }
        #expect(
            sentences == [
                "yes: user:fay may read doc:handbook", "├─ store gives read", "│  └─ everyone has read on store",
                "├─ class:doc gives read", "│  └─ everyone has read on class:doc", "└─ doc:handbook gives read: this decides",
                "└─ role:staff has read on folder:shared", "├─ user:fay is a member of role:office",
                "├─ role:office is a member of role:staff", "├─ doc:handbook is in folder:shared",
                "└─ objects of class:doc inherit everything",
            ])

        // guide begins
        for path in witness.paths(at: .object) {
            for step in path.facts {
                print(witness.sentence(step.fact), step.citation.revision, witness.name(step.citation.actor), step.citation.time)
            }
        }
        // guide ends
        #expect(witness.paths(at: .object).map(\.facts.count) == [6])
        #expect(witness.paths(at: .object).flatMap(\.facts).allSatisfy { $0.citation.revision == Revision(1) })

        // guide begins
        let proposals = try store.read { snapshot in
            try snapshot.proposals(for: snapshot.explain("user:gus", ["read"], on: "doc:handbook"))
        }
        for proposal in proposals.proposals { print(proposal.changes) }
        // user:gus is granted read on doc:handbook, or becomes a member of role:staff

        if let proposal = proposals.proposals.last {
            try store.commit(Transaction("user:root", proposal.changes))
        }
        print(try store.read { try $0.check("user:gus", ["read"], on: "doc:handbook").isAllowed })  // true
        // guide ends
        #expect(
            proposals.proposals.map(\.changes) == [
                [.grant("user:gus", on: "doc:handbook", ["read"])], [.addMember("user:gus", to: "role:staff")],
            ])
        #expect(try fixture.may("user:gus", "read", "doc:handbook"))

        // guide begins
        let before = try store.read(at: .revision(Revision(1))) { try $0.explain("user:gus", ["read"], on: "doc:handbook") }
        print(before.isAllowed, before.outcomes.first?.decider as Any)  // false, decided by the object

        try store.close()
        // guide ends
        #expect(!before.isAllowed)
        #expect(before.outcomes.map(\.decider) == [.object])
    }

    @Test("The guide's code equals the code of this test")
    func codeIsTheGuides() throws {
        let blocks = try GuideCode.blocks(ofGuide: "explain")
        #expect(blocks == (try GuideCode.markedCode(inFile: #filePath)))
        #expect(blocks.count > 3)
    }
}
