import Events
import Histories
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Exporting and importing a history gives an equal store")
struct RoundTripTests {
    /// Creates a store and fills it with a random history.
    private func fill(_ history: inout RandomHistory, at path: String, steps: Int) throws {
        let clock = ManualClock(history.start)
        let store = try Store.create(
            at: path, preset: history.preset, administrator: history.administrator,
            options: StoreOptions(clock: { clock.now }, expiryRecording: .withCommits))
        for _ in 0..<steps {
            let step = history.next()
            clock.now = step.time
            do { try store.commit(Transaction(step.caller, step.changes)) } catch is Refusal { history.takeBack() }
        }
        try store.close()
    }

    @Test(
        "After export and import, every answer at every revision and time is the same, and so is a second export",
        arguments: UInt64(0)..<12)
    func roundTrip(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 5_000_000 &+ number
        try withTemporaryFolder { (folder) throws in
            var history = RandomHistory(seed: seed)
            let first = HistoryFile(in: folder)
            try fill(&history, at: first.storePath, steps: 100)
            let lines = try first.export()
            try withTemporaryFolder { (folder) throws in
                let second = HistoryFile(in: folder)
                try second.write(lines)
                let failure = complaint { try second.load() }
                #expect(failure == "", "seed \(seed)")
                guard failure.isEmpty else { return }
                #expect(try second.export() == lines, "seed \(seed)")
                try compare(first, second, &history, seed)
            }
        }
    }

    @Test(
        "An export has the corrected times, and an end that a wrong clock recorded too early as a revocation; an import gives equal answers"
    )
    func correctedClock() throws {
        try withTemporaryFolder { (folder) throws in
            let first = HistoryFile(in: folder)
            let clock = ManualClock()
            let right = Instant.newYear.later(seconds: 100)
            let store = try Store.create(
                at: first.storePath, options: StoreOptions(clock: { clock.now }, expiryRecording: .withCommits))
            let end = Instant.newYear.later(seconds: 86_400)
            try store.commit(
                Transaction(
                    "user:root",
                    [
                        .defineClass("doc"), .register("user:ann"), .createObject("doc:1"),
                        .grant("everyone", on: "store", ["read"]),
                        .grant("everyone", on: "class:doc", ["read"]), .grant("user:ann", on: "doc:1", ["read"], until: end),
                    ]))
            clock.advance(seconds: 365 * 86_400)
            try store.commit(Transaction("user:root", [.createRole("role:late")]))
            clock.now = right
            _ = try store.correctClock(as: "user:root")
            clock.advance(seconds: 60)
            try store.commit(Transaction("user:root", [.createRole("role:next")]))
            try store.close()
            let lines = try first.export()
            #expect(lines.filter { $0.contains("revoke") }.count == 1)
            try withTemporaryFolder { (folder) throws in
                let second = HistoryFile(in: folder)
                try second.write(lines)
                try second.load()
                #expect(try second.export() == lines)
                for file in [first, second] {
                    try file.withStore(at: right.later(seconds: 60)) { (store) throws in
                        #expect(try store.head.time == right.later(seconds: 60))
                        for (moment, mayRead) in [
                            (Moment.time(right.advanced(byMicroseconds: -1)), true), (.time(right), false), (.now, false),
                        ] {
                            #expect(try store.read(at: moment) { try $0.may("user:ann", "read", "doc:1") } == mayRead)
                        }
                    }
                }
            }
        }
    }

    private func compare(_ first: HistoryFile, _ second: HistoryFile, _ history: inout RandomHistory, _ seed: UInt64) throws {
        try first.withStore { original in
            try second.withStore { copy in
                // An expiry after the last transaction is recorded with the next transaction, which the file does not contain.
                let head = try min(original.head.revision, copy.head.revision)
                for _ in 0..<120 {
                    let question = history.question()
                    let drawn = history.point(upTo: head)
                    let point = drawn == .head ? .revision(head) : drawn
                    let (expected, found) = (try original.answer(question, at: point), try copy.answer(question, at: point))
                    #expect(found == expected, "seed \(seed), \(question) at \(point)")
                }
            }
        }
    }

    @Test("A creator privilege that its class no longer defines survives export and import")
    func forgottenPrivilege() throws {
        try withTemporaryFolder { (folder) throws in
            let file = HistoryFile(in: folder)
            let store = try Store.create(at: file.storePath, preset: .open, options: StoreOptions { .newYear })
            let settings = [
                ClassSettings(creatorPrivileges: ["approve", "read"], privileges: ["approve"]), ClassSettings(privileges: []),
                ClassSettings(privileges: ["approve"]),
            ]
            try store.commit(Transaction("user:root", [.defineClass("doc", settings[0]), .changeClass("doc", settings[1])]))
            try store.commit(Transaction("user:ann", [.createObject("doc:1")]))
            try store.commit(Transaction("user:root", [.changeClass("doc", settings[2])]))
            #expect(try store.read { try $0.privileges(of: "user:ann", on: "doc:1") } == ["approve", "read"])
            try store.close()
            let lines = try file.export()
            try withTemporaryFolder { (folder) throws in
                let copy = HistoryFile(in: folder)
                try copy.write(lines)
                try copy.load()
                #expect(try copy.export() == lines)
                try copy.withStore { (store) throws in
                    #expect(try store.read { try $0.privileges(of: "user:ann", on: "doc:1") } == ["approve", "read"])
                }
            }
        }
    }

    @Test("Revoking a privilege that its class no longer defines is exported and imported")
    func revokedForgottenPrivilege() throws {
        try withTemporaryFolder { (folder) throws in
            let file = HistoryFile(in: folder)
            let store = try Store.create(at: file.storePath, preset: .open, options: StoreOptions { .newYear })
            let define = Change.defineClass("doc", ClassSettings(privileges: ["approve"]))
            let grant = Change.grant("everyone", on: "doc:1", ["approve", "read"])
            let drop = Change.changeClass("doc", ClassSettings(privileges: []))
            try store.commit(Transaction("user:root", [define, .createObject("doc:1"), grant, drop]))
            try store.commit(Transaction("user:root", [.setAccess("everyone", on: "doc:1", ["read"])]))
            try store.close()
            let lines = try file.export()
            try withTemporaryFolder { (folder) throws in
                let copy = HistoryFile(in: folder)
                try copy.write(lines)
                try copy.load()
                #expect(try copy.export() == lines)
            }
        }
    }

    @Test("Concatenated partial exports equal the whole export")
    func parts() throws {
        var history = RandomHistory(seed: TestSettings.firstSeed &+ 6_000_000)
        try withTemporaryFolder { (folder) throws in
            let file = HistoryFile(in: folder)
            try fill(&history, at: file.storePath, steps: 60)
            let whole = try file.export()
            try file.withStore { (store) throws in
                let head = try store.head.revision.rawValue
                var parts: [String] = []
                var first: UInt64 = 1
                while first <= head {
                    let last = min(first + 6, head)
                    var part: [String] = []
                    try HistoryExporter(store).export(from: Revision(first), to: Revision(last)) { part.append($0) }
                    #expect(part.first == whole.first)
                    parts += part.dropFirst()
                    first = last + 1
                }
                #expect(parts == Array(whole.dropFirst()))
            }
        }
    }
}
