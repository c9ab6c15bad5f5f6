import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Every query at every point in time")
struct TimeTravelTests {
    private static let hour: Int64 = 3600

    /// Creates one revision per hour, starting with revision 1 at one o'clock.
    private func fill(_ fixture: StoreFixture) throws {
        let steps: [[Change]] = [
            [.defineClass("doc", ClassSettings(inherits: .everything)), .register("user:ann"), .createRole("role:r")],
            [.createObject("doc:1", value: .object(["n": .integer(1)]))],
            [.grant("role:r", on: "doc:1", ["query", "read"])],
            [.addMember("user:ann", to: "role:r")],
            [.writeObject("doc:1", .value(.object(["n": .integer(2)])))],
            [.createObject("doc:2", parent: "doc:1")],
            [.moveObject("doc:2", parent: nil)],
            [.removeMember("user:ann", from: "role:r")],
            [.deleteObject("doc:1")],
        ]
        for changes in steps {
            fixture.clock.advance(seconds: Self.hour)
            #expect(try fixture.refusal(of: changes) == nil)
        }
    }

    /// The expected answers from each revision on, starting with revision 0.
    private struct Expected {
        static let read = [false, false, false, false, true, true, true, true, false, false]
        static let readSecond = [false, false, false, false, false, false, true, false, false, false]
        static let subjects = [[], [], [], [], ["user:ann"], ["user:ann"], ["user:ann"], ["user:ann"], [], []]
        static let objects: [[String]] = [[], [], [], [], ["doc:1"], ["doc:1"], ["doc:1", "doc:2"], ["doc:1"], [], []]
        static let members = [[], [], [], [], ["user:ann"], ["user:ann"], ["user:ann"], ["user:ann"], [], []]
        static let entries = [0, 0, 0, 1, 1, 1, 1, 1, 1, 0]
        static let value: [Int64?] = [nil, nil, nil, nil, 1, 2, 2, 2, nil, nil]
    }

    private func check(_ fixture: StoreFixture, at moment: Moment, _ index: Int) throws {
        try fixture.store.read(at: moment) { (snapshot) throws in
            #expect(try snapshot.check("user:ann", ["read"], on: "doc:1").isAllowed == Expected.read[index])
            #expect(try snapshot.privileges(of: "user:ann", on: "doc:1") == (Expected.read[index] ? ["query", "read"] : []))
            #expect(try snapshot.check("user:ann", ["read"], on: "doc:2").isAllowed == Expected.readSecond[index])
            #expect(try snapshot.subjects(with: ["read"], on: "doc:1") == Expected.subjects[index])
            #expect(try snapshot.objects(for: "user:ann", with: ["read"]) == Expected.objects[index])
            #expect(try snapshot.members(of: "role:r") == Expected.members[index])
            #expect(try snapshot.entries(on: "doc:1").count == Expected.entries[index])
            let value = try? snapshot.value(of: "doc:1", as: "user:ann")
            #expect(value == Expected.value[index].map { .object(["n": .integer($0)]) })
            #expect(try snapshot.exists("doc:1") == (2...8).contains(index))
            #expect(try snapshot.owner(of: "doc:1") == ((2...8).contains(index) ? "user:root" : nil))
            if index > 0 {
                #expect(try snapshot.list(class: "doc", as: "user:root").count == [0, 0, 1, 1, 1, 1, 2, 2, 2, 1][index])
            }
        }
    }

    @Test("E5: every query at every revision gives the answer of that time", arguments: [false, true])
    func everyRevision(folded: Bool) throws {
        try withStore(.open) { (fixture) throws in
            try fill(fixture)
            if folded { try fixture.reopenWithoutIndex() }
            for index in [9, 0, 5, 4, 6, 3, 8, 1, 7, 2, 9, 4] { try check(fixture, at: .revision(Revision(UInt64(index))), index) }
        }
    }

    @Test("E5: a point in time means the last commit at or before it")
    func everyMoment() throws {
        try withStore(.open) { (fixture) throws in
            try fill(fixture)
            for index in 0...9 {
                let begin = Instant.newYear.later(seconds: Int64(index) * Self.hour)
                try check(fixture, at: .time(begin), index)
                try check(fixture, at: .time(begin.later(seconds: Self.hour - 1)), index)
                try check(fixture, at: .time(begin.advanced(byMicroseconds: -1)), max(index - 1, 0))
            }
            try check(fixture, at: .time(.forever), 9)
            try check(fixture, at: .time(.distantPast), 0)
        }
    }

    @Test("E5: every answer at the head equals the later answer about that revision")
    func headThenAndNow() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            var answers: [[String]] = []
            for privilege in Privileges.builtInNames {
                try fixture.commit(.grant("user:root", on: "doc:1", [privilege]), .grant(.everyone, on: "doc:1", [privilege]))
                answers.append(try fixture.privileges("user:ann", "doc:1"))
            }
            for (index, answer) in answers.enumerated() {
                #expect(try fixture.privileges("user:ann", "doc:1", at: .revision(Revision(UInt64(index) + 2))) == answer)
            }
        }
    }

    @Test("E5: of several commits at the same time, a point in time means the last one")
    func commitsAtOneTime() throws {
        try withStore { (fixture) throws in
            for name in ["role:a", "role:b", "role:c"] { try fixture.commit(.createRole(Name(name))) }
            #expect(try fixture.store.read(at: .time(.newYear)) { $0.revision } == Revision(3))
            #expect(try fixture.store.read(at: .time(Instant.newYear.advanced(byMicroseconds: -1))) { $0.revision } == .genesis)
        }
    }

    @Test("E5: a new store with an imported older history answers about the years of that history and about today")
    func historyOlderThanItsStore() throws {
        try withStore(.open) { (fixture) throws in
            let past = Instant.newYear.later(seconds: -1_000_000)
            let importer = try fixture.store.importer()
            try importer.add(
                Transaction(
                    "user:ann", [.defineClass("doc"), .createObject("doc:1"), .grant("user:ann", on: "doc:1", ["read"])],
                    authority: .importer, time: past))
            try importer.finish()
            #expect(try fixture.may("user:ann", "read", "doc:1"))
            #expect(try fixture.may("user:ann", "read", "doc:1", at: .time(past)))
            #expect(try fixture.may("user:ann", "read", "doc:1", at: .time(.newYear)))
            #expect(try fixture.may("user:ann", "read", "doc:1", at: .time(.newYear.later(seconds: 5))))
            #expect(try !fixture.may("user:ann", "read", "doc:1", at: .time(past.advanced(byMicroseconds: -1))))
        }
    }

    @Test("E5: the history of an object, a subject or a role contains exactly the commits that changed it")
    func histories() throws {
        try withStore(.open) { (fixture) throws in
            try fill(fixture)
            func revisions(_ name: Name) throws -> [UInt64] {
                var revisions: [UInt64] = []
                try fixture.store.history(of: name) { revisions.append($0.commit.revision.rawValue) }
                return revisions
            }
            #expect(try revisions("doc:1") == [2, 3, 5, 9])
            #expect(try revisions("doc:2") == [6, 7])
            #expect(try revisions("role:r") == [1, 3, 4, 8, 9])
            #expect(try revisions("user:ann") == [1, 4, 8])
            #expect(throws: Refusal.self) { try revisions("doc:none") }
        }
    }
}
