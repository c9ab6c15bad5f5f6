import Dispatch
import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Revisions and their times")
struct RevisionTests {
    @Test("E3: a new store is at revision 0, which describes its creation, and its first commit is revision 1")
    func genesis() throws {
        try withStore(.open) { (fixture) throws in
            #expect(try fixture.head == .genesis)
            #expect(try fixture.commits().first?.events.first == .storeCreated(.open))
            #expect(try fixture.store.time(of: .genesis) == .newYear)
            #expect(try fixture.commit(.createRole("role:r")).revision == Revision(1))
        }
    }

    @Test("E3: revisions are dense, even with refusals, transactions without effect and reopening in between")
    func revisionsAreDense() throws {
        try withStore { (fixture) throws in
            for number in 0..<12 {
                #expect(try fixture.commit(.createRole(Name("role:\(number)"))).revision == Revision(UInt64(number) + 1))
                #expect(try fixture.refusal(.createRole(Name("role:\(number)")))?.code == .alreadyExists)
                #expect(try fixture.commit(.removeMember("user:root", from: Name("role:\(number)"))).revision == nil)
                if number % 5 == 4 { try fixture.reopen() }
            }
            #expect(try fixture.commits().map(\.revision) == (0...12).map { Revision($0) })
        }
    }

    @Test("E3: times never go back, even if the clock does, also across reopening")
    func timesNeverGoBack() throws {
        try withStore { (fixture) throws in
            let offsets: [Int64] = [10, 5, -100_000, 11, 0, 11, 3]
            for (number, offset) in offsets.enumerated() {
                fixture.clock.now = .newYear.later(seconds: offset)
                if number % 2 == 0 { try fixture.reopen() }
                let receipt = try fixture.commit(.createRole(Name("role:\(number)")))
                #expect(try fixture.store.time(of: receipt.head) == receipt.time)
            }
            let times = try fixture.commits().map(\.time)
            #expect(times == [0, 10, 10, 10, 11, 11, 11, 11].map { Instant.newYear.later(seconds: $0) })
        }
    }

    @Test("E3: a query about now never uses a time before the last commit")
    func nowIsNotBeforeTheHead() throws {
        try withStore { (fixture) throws in
            let end = Instant.newYear.later(seconds: 20)
            fixture.clock.now = .newYear.later(seconds: 10)
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"), .grant("user:root", on: "doc:1", ["read"], until: end))
            fixture.clock.now = .newYear.later(seconds: 30)
            try fixture.commit(.createRole("role:r"))
            fixture.clock.now = .newYear
            #expect(try fixture.store.read { $0.instant } == .newYear.later(seconds: 30))
            #expect(try fixture.entries("doc:1").isEmpty)
        }
    }

    @Test("E3: a transaction with an explicit time before the last commit is refused")
    func pastTimesAreRefused() throws {
        try withStore { (fixture) throws in
            fixture.clock.now = .newYear.later(seconds: 10)
            try fixture.commit(.createRole("role:a"))
            let early = Transaction("user:root", [.createRole("role:b")], authority: .importer, time: .newYear)
            #expect(throws: StoreError.timeGoesBackwards(.newYear, head: .newYear.later(seconds: 10))) {
                try fixture.store.commit(early)
            }
            #expect(try fixture.head == Revision(1))
        }
    }

    @Test("E3: a time that an export could not be read with is refused, for a commit, an end of access and a new store")
    func timesWithoutText() throws {
        let first = try Instant("0001-01-01T00:00:00Z").microseconds
        let last = try Instant("9999-12-31T23:59:59.999999Z").microseconds
        for microseconds in [.min, first - 1, last + 1, .max] {
            let time = Instant(microseconds: microseconds)
            try withStore { (fixture) throws in
                // The first commit of an import may be earlier than the store.
                let change = Transaction("user:root", [.createRole("role:a")], authority: .importer, time: time)
                #expect(throws: StoreError.timeOutOfRange(time)) { try fixture.store.commit(change) }
                #expect(try fixture.head == .genesis)
            }
            try withTemporaryFolder { folder throws in
                #expect(throws: StoreError.timeOutOfRange(time)) {
                    try Store.create(at: folder + "/store", options: StoreOptions(clock: { time }))
                }
                #expect(!Store.exists(at: folder + "/store"))
            }
        }
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            let end = Instant(microseconds: .max - 1)
            let refusal = #expect(throws: Refusal.self) {
                try fixture.commit(.grant("user:ann", on: "doc:1", ["read"], until: end))
            }
            #expect(refusal?.code == .malformed)
        }
    }

    @Test("E3: a revision that does not exist yet throws an error that names the last one")
    func unknownRevision() throws {
        try withStore { (fixture) throws in
            #expect(throws: StoreError.noSuchRevision(Revision(1), head: .genesis)) {
                try fixture.store.read(at: .revision(Revision(1))) { _ in }
            }
        }
    }

    @Test("E2, E3: concurrent writers get dense revisions, one each, and all are in the log")
    func concurrentWriters() throws {
        try withStore { (fixture) throws in
            let (writers, each) = (16, 8)
            let store = fixture.store
            DispatchQueue.concurrentPerform(iterations: writers) { writer in
                for number in 0..<each {
                    let role = Name("role:\(writer)-\(number)")
                    let receipt = try? store.commit(Transaction("user:root", [.createRole(role)]))
                    #expect(receipt?.revision != nil)
                }
            }
            #expect(try fixture.commits().map(\.revision) == (0...UInt64(writers * each)).map { Revision($0) })
            try fixture.reopenWithoutIndex()
            for writer in 0..<writers { #expect(try fixture.store.read { try $0.exists(Name("role:\(writer)-\(each - 1)")) }) }
        }
    }
}
