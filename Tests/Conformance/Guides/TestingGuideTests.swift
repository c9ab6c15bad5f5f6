// guide begins
import Events
import Muniment
import MunimentTesting
import Notices
import Permissions
import Testing

/// Ann makes a plan and shares it with the staff, for a minute.
let sharing: History = {
    var history = History(
        "Ann shares her plan", preset: .open,
        [
            Transaction(
                "user:root",
                [
                    .defineClass("doc", ClassSettings(creatorPrivileges: ["read", "update", "setPermissions"])),
                    .register("user:ben"), .createRole("role:staff"), .addMember("user:ben", to: "role:staff"),
                ]),
            Transaction("user:ann", [.createObject("doc:plan")]),
        ])
    history.mark("made")
    let minute = history.start.advanced(byMicroseconds: 60_000_000)
    history.append(Transaction("user:ann", [.grant("role:staff", on: "doc:plan", ["read"], until: minute)]))
    history.append(Transaction("user:ben", [.deleteObject("doc:plan")]), expecting: .refused(.noPrivilege))
    history.moveClock(to: minute)
    return history
}()
// guide ends

// guide begins
@Test("The staff read the plan for a minute, and nobody else reads it")
func staffReadThePlan() throws {
    try sharing.replay { step in
        try step.expect("user:ben", mayNot: "update", on: "doc:plan")
        try step.expect("user:eve", mayNot: "read", on: "doc:plan")
        if step.marks["made"] != nil, step.time == sharing.start {
            try step.expect("user:ben", may: "read", on: "doc:plan")
        }
    }
    try sharing.replayToEnd { step in
        try step.expectSubjects(with: "read", on: "doc:plan", ["user:ann"])
        try step.expectPrivileges(of: "user:ben", on: "doc:plan", [])
    }
}
// guide ends

// guide begins
@Test("Ben is told when the plan is shared with him, and when that ends")
func benIsTold() throws {
    try sharing.replay { step in
        switch step.entry {
        case 3: try step.expectNotices(for: "user:ben", [.shared: ["doc:plan"]])
        case 5: try step.expectNotices(for: "user:ben", [.madeInaccessible: ["doc:plan"]])
        default: try step.expectNotices(for: "user:ben", [:])
        }
    }
}
// guide ends

// guide begins
@Test("A history is the same from a text and from a store")
func sameFromElsewhere() throws {
    let written = try History(text: sharing.scenarioText)
    #expect(try sharing.whatIf(written).isEmpty)

    try sharing.withStore { store in
        let taken = try History(of: store)
        #expect(try sharing.whatIf(taken).isEmpty)
    }
}
// guide ends

// guide begins
/// What random histories play with.
let names = Vocabulary(
    users: ["user:ann", "user:ben"], roles: ["role:staff"], objects: ["doc:plan", "doc:budget"],
    operations: ["createObject", "grant", "revoke", "addMember", "removeMember"])

@Test("Whatever happens, who is signed in may do what everybody may")
func signingInLosesNothing() throws {
    try forAllHistories(20, length: 30, after: sharing, drawnFrom: names) { step in
        for object in ["doc:plan", "doc:budget"] as [Name] {
            for privilege in try step.snapshot.privileges(of: .anonymous, on: object) {
                try step.expect("user:eve", may: privilege, on: object)
            }
        }
    }
}
// guide ends

// guide begins
@Test("What does not hold is found, and made short")
func strangersMayReadAfterAll() throws {
    let broken = #expect(throws: PropertyError.self) {
        try forAllHistories(200, after: sharing, drawnFrom: names, seed: 1) { step in
            try step.expect("user:eve", mayNot: "read", on: "doc:plan")
        }
    }
    print(broken?.description ?? "")
    #expect(broken?.shrunk.history.transactions.count == 3)
}
// guide ends

// guide begins
@Test("Were creators only to read what they make, Ann would lose the rest; without her grant the staff would read nothing")
func underAnotherRule() throws {
    let readOnly = sharing.changing(class: "doc") { $0.creatorPrivileges = ["read"] }
    #expect(try sharing.whatIf(readOnly).map(\.description) == ["user:ann  doc:plan  - setPermissions, update"])

    let kept = sharing.leavingOut { $0.caller == "user:ann" && $0.changes.contains { $0.operation == "grant" } }
    for step in try sharing.whatIfStepByStep(kept) {
        print(step.entry, step.differences.map(\.description))
    }
    // 3 ["user:ben  doc:plan  - read"]
    // 5 []
}
// guide ends

// guide begins
@Test("What a change would do to a store is told without making it")
func beforeMakingIt() throws {
    try sharing.withStore { store in
        let answer = try store.whatIf([
            Transaction("user:ann", [.grant("user:ben", on: "doc:plan", ["update"])]),
            Transaction("user:ben", [.deleteObject("doc:plan")]),
        ])
        #expect(answer.differences.map(\.description) == ["user:ben  doc:plan  + update"])
        #expect(answer.refusals.map { $0?.code } == [nil, .noPrivilege])
    }
}
// guide ends

@Suite("Docs/Guides/testing-with-histories.md")
struct TestingGuideTests {
    @Test("The guide's code equals the code of this file")
    func codeIsTheGuides() throws {
        let blocks = try GuideCode.blocks(ofGuide: "testing-with-histories")
        #expect(blocks == (try GuideCode.markedCode(inFile: #filePath)))
        #expect(blocks.count > 3)
    }
}
