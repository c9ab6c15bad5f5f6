import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Expiries with several processes", .timeLimit(.minutes(60)))
struct MultiProcessExpiryTests {
    /// A closed store with `doc:1` and `user:ann`.
    private func withClosedStore(_ body: (_ path: String) async throws -> Void) async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        let store = try Store.create(at: path, preset: .open)
        try await store.commit(
            Transaction("user:root", [.defineClass("doc"), .register("user:ann"), .createObject("doc:1")]))
        try store.close()
        try await body(path)
    }

    /// Starts another process that grants access for some microseconds, and keeps the store open for writing.
    private func granting(
        for microseconds: Int64, at path: String, _ body: (Helper, _ granted: Revision, _ until: Instant) async throws -> Void
    ) async throws {
        let helper = try Helper.start(["grant-for", path, String(microseconds)])
        defer { helper.kill() }
        let words = try #require(try helper.line()).split(separator: " ").compactMap { Int64($0) }
        try #require(words.count == 2)
        try await body(helper, Revision(UInt64(words[0])), Instant(microseconds: words[1]))
    }

    @Test("E13: a reading process sees the expiry that the writing process records")
    func readElsewhere() async throws {
        try await withClosedStore { path in
            try await granting(for: 5_000_000, at: path) { _, granted, until in
                let store = try Store.open(at: path, .reading)
                let observed = try await store.observe("doc:1", as: "user:ann", since: granted).all()
                #expect(observed.end == .accessEnded(at: granted.next))
                #expect(try store.time(of: granted.next) == until)
                try store.close()
            }
        }
    }

    @Test("E13: an expiry after its process was killed is recorded by the next process, with its exact time")
    func killedBefore() async throws {
        try await withClosedStore { path in
            try await granting(for: 3_600_000_000, at: path) { helper, granted, until in
                helper.kill()
                let clock = ManualClock(until.advanced(byMicroseconds: 7_200_000_000))
                let store = try Store.open(at: path, .writing, options: StoreOptions { clock.now })
                store.recordDueExpiries()
                #expect(try store.head.revision == granted.next)
                #expect(try store.time(of: granted.next) == until)
                try store.close()
            }
        }
    }

    @Test("E13: expiries are recorded once each between commits of many writers, and revisions and times stay in order")
    func whileOthersWrite() async throws {
        try await withStore(.open, expiryRecording: .byItself) { (fixture) async throws in
            let count = 200
            try fixture.commit(.defineClass("doc"), .register("user:ann"))
            let start = fixture.clock.now
            for number in 1...count {
                let object = Name("doc:\(number)")
                let until = start.later(seconds: Int64(number))
                try fixture.commit(.createObject(object), .grant("user:ann", on: object, ["read"], until: until))
            }
            let (store, clock) = (fixture.store, fixture.clock)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0..<50 {
                            clock.advance(seconds: 1)
                            try await store.commit(Transaction("user:root", [.createRole(Name("role:r\(writer)-\(number)"))]))
                        }
                    }
                }
                group.addTask { for _ in 0..<50 { store.recordDueExpiries() } }
                try await group.waitForAll()
            }
            store.recordDueExpiries()
            let commits = try fixture.commits(from: Revision(1))
            #expect(commits.map(\.revision.rawValue) == Array(1...UInt64(commits.count)))
            #expect(zip(commits, commits.dropFirst()).allSatisfy { $0.time <= $1.time })
            let ends = commits.filter { $0.actor == .system }
            #expect(ends.map(\.time) == (1...count).map { start.later(seconds: Int64($0)) })
            #expect(try fixture.whileClosed { try Store.verify(at: fixture.path).isSound })
        }
    }

    @Test("E13: a store can be closed at any time during an expiry check, and its records are complete")
    func closedMeanwhile() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store"
            let clock = ManualClock()
            let options = StoreOptions(clock: { clock.now })
            let seconds = (1...40).map { Int64($0) }
            let store = try Store.create(at: path, preset: .open, options: options)
            try store.commit(Transaction("user:root", [.defineClass("doc"), .createObject("doc:1")]))
            for second in seconds {
                let role = Name("role:r\(second)")
                let grant = Change.grant(role, on: "doc:1", ["read"], until: .newYear.later(seconds: second))
                try store.commit(Transaction("user:root", [.createRole(role), grant]))
            }
            try store.close()
            // Opening checks for expiries at once, so that closing happens before, during or after the recording of an expiry.
            for second in seconds {
                clock.now = .newYear.later(seconds: second)
                try Store.open(at: path, .writing, options: options).close()
            }
            let again = try Store.open(at: path, .writing, options: options)
            again.recordDueExpiries()
            var ends: [Instant] = []
            try again.log(from: Revision(1), to: again.head.revision) {
                if $0.commit.actor == .system { ends.append($0.commit.time) }
            }
            #expect(ends == seconds.map { .newYear.later(seconds: $0) })
            try again.close()
            #expect(try Store.verify(at: path).isSound)
        }
    }
}
