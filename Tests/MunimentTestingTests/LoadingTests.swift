import Events
import Histories
import Muniment
import MunimentTesting
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Loading histories")
struct LoadingTests {
    @Test("E12: A history file run in memory gives the same state as its import, at each revision")
    func historyFile() throws {
        let file = TestSettings.package + "/Docs/Examples/history.jsonl"
        try withTemporaryFolder { folder in
            _ = try HistoryImporter(into: folder + "/store").run(file: file)
            let store = try Store.open(at: folder + "/store")
            defer { try? store.close() }
            let history = try History(file: file)
            var count = 0
            try history.replay { step in
                count += 1
                try store.read(at: .revision(step.revision)) { imported in
                    for subject in ["user:ann", "user:ben", "user:fay", "user:gus"] as [Name] {
                        let objects = try imported.objects(for: subject, with: ["read"])
                        try step.expect(
                            try step.snapshot.objects(for: subject, with: ["read"]) == objects, "\(subject) reads \(objects)")
                    }
                }
                try step.expect(try store.time(of: step.revision) == step.time, "the time is equal to the time in the file")
            }
            #expect(try store.head.revision == Revision(UInt64(count)))
        }
    }

    @Test("E12: The history of a live store up to a revision gives the state of that revision")
    func liveStore() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"), .register("user:ann"), .createObject("doc:1"))
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"], until: fixture.clock.now.later(seconds: 60)))
            fixture.clock.advance(seconds: 60)
            try fixture.store.advance(to: fixture.clock.now)
            try fixture.commit(.grant("user:ann", on: "doc:1", ["update"]))
            let history = try History(of: fixture.store)
            var held: [[String]] = []
            try history.replay { step in held.append(try step.snapshot.privileges(of: "user:ann", on: "doc:1")) }
            #expect(held == [[], ["read"], [], ["update"]])
            try History(of: fixture.store, through: Revision(2)).replayToEnd { step in
                #expect(step.revision == Revision(2))
                try step.expectPrivileges(of: "user:ann", on: "doc:1", ["read"])
                try step.expectSubjects(with: "read", on: "doc:1", ["user:ann"])
            }
        }
    }

    @Test("E12: Scenario files are loaded with their expectations, and pass again after they are written")
    func scenarios() throws {
        let files = try ScenarioFiles.all()
        #expect(files.count > 10)
        for file in files {
            let history = try History(file: file)
            try history.replay()
            let result = try ScenarioRunner().run(text: history.scenarioText, named: file)
            #expect(result.failures.isEmpty, "\(file)")
            #expect(result.passed == history.transactions.count, "\(file)")
        }
    }

    @Test("E12: An imported history becomes a scenario that an administrator can run, with the same access at the end")
    func historyAsScenario() throws {
        let history = try History(file: TestSettings.package + "/Docs/Examples/history.jsonl")
        let again = try History(text: history.scenarioText)
        #expect(try ScenarioRunner().run(text: history.scenarioText, named: "history").failures.isEmpty)
        #expect(try history.whatIf(again).isEmpty)
    }

    @Test("E12: A time earlier than the one before it throws an error")
    func timeGoesBack() throws {
        var history = History(preset: .open)
        history.append(Transaction("user:root", [.defineClass("doc")], time: History.newYear.later(seconds: 5)))
        history.append(Transaction("user:root", [.defineClass("box")], time: History.newYear.later(seconds: 4)))
        #expect(throws: HistoryError.timeGoesBack(to: History.newYear.later(seconds: 4), from: History.newYear.later(seconds: 5))) {
            try history.replay()
        }
    }
}
