import Events
import Foundation
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Expiries that the store records automatically", .timeLimit(.minutes(60)))
struct ExpiryRecordingTests {
    private let end = Instant.newYear.later(seconds: 100)

    /// Creates a store that records expiries automatically, with `doc:1` and users without access to it.
    private func withEnds(
        _ expiryRecording: ExpiryRecording = .byItself, _ body: (StoreFixture) async throws -> Void
    ) async throws {
        try await withStore(.open, expiryRecording: expiryRecording) { (fixture) async throws in
            try fixture.commit(.defineClass("doc"), .register("user:ann"), .register("user:ben"), .createObject("doc:1"))
            try await body(fixture)
        }
    }

    private func grant(_ seconds: Int64, _ privileges: [String] = ["read"], to subject: Name = "user:ann") -> Change {
        .grant(subject, on: "doc:1", privileges, until: .newYear.later(seconds: seconds))
    }

    /// Returns the commits of the store itself.
    private func ends(_ fixture: StoreFixture) throws -> [Commit] {
        try fixture.commits(from: Revision(1)).filter { $0.actor == .system }
    }

    @Test("E13: an expiry is recorded without a commit when the store's clock reaches it, and observers are notified")
    func recordedByItself() async throws {
        try await withEnds { fixture in
            let granted = try fixture.commit(grant(100)).head
            let changes = try fixture.store.observe("doc:1", as: "user:ann", since: granted)
            async let observed = changes.all()
            fixture.clock.now = end
            #expect(await observed.end == .accessEnded(at: granted.next))
            let commits = try fixture.commits(from: granted.next)
            #expect(commits.map(\.time) == [end])
            #expect(commits.map(\.actor) == [.system])
            #expect(commits.first?.events.map(\.kind) == [.accessExpired])
        }
    }

    @Test("E13: with the machine's clock, the recorded expiry has its exact time")
    func machineClock() async throws {
        try await withTemporaryFolder { folder in
            let store = try Store.create(at: folder + "/store", preset: .open)
            let until = systemClock().advanced(byMicroseconds: 5_000_000)
            let granted = try await store.commit(
                Transaction(
                    "user:root",
                    [
                        .defineClass("doc"), .register("user:ann"), .createObject("doc:1"),
                        .grant("user:ann", on: "doc:1", ["read"], until: until),
                    ]))
            let observed = try await store.observe("doc:1", as: "user:ann", since: granted.head).all()
            #expect(observed.end == .accessEnded(at: granted.head.next))
            #expect(try store.time(of: granted.head.next) == until)
            #expect(systemClock() >= until)
            try store.close()
        }
    }

    @Test("E13: nothing is recorded before the expiry, and nothing twice")
    func notBefore() async throws {
        try await withEnds { fixture in
            let granted = try fixture.commit(grant(100)).head
            fixture.clock.now = end.advanced(byMicroseconds: -1)
            fixture.store.recordDueExpiries()
            #expect(try fixture.head == granted)
            fixture.clock.now = end
            for _ in 0..<3 { fixture.store.recordDueExpiries() }
            #expect(try fixture.head == granted.next)
            try fixture.commit(.createRole("role:r"))
            #expect(try ends(fixture).count == 1)
        }
    }

    @Test("E13: expiries are one commit per moment, in order and with exact times, even if the clock jumps past them")
    func manyEnds() async throws {
        try await withEnds { fixture in
            let order = (1...40).map { Int64($0 * 37 % 41) }
            for seconds in order {
                let role = Name("role:r\(seconds)")
                try fixture.commit(.createRole(role), grant(seconds, to: role))
            }
            try fixture.commit(grant(20, to: .everyone))
            fixture.clock.now = .newYear.later(seconds: 1_000_000)
            fixture.store.recordDueExpiries()
            let commits = try ends(fixture)
            #expect(commits.map(\.time) == (1...40).map { Instant.newYear.later(seconds: $0) })
            #expect(commits.map(\.events.count) == (1...40).map { $0 == 20 ? 2 : 1 })
        }
    }

    @Test("E13: an earlier expiry that is granted later comes first, and a revoked one is never recorded")
    func changesOfMind() async throws {
        try await withEnds { fixture in
            try fixture.commit(grant(300), grant(200, to: "user:ben"))
            try fixture.commit(grant(100, to: .everyone))
            try fixture.commit(.revoke("user:ben", on: "doc:1"))
            for seconds in [100, 200, 300] as [Int64] {
                fixture.clock.now = .newYear.later(seconds: seconds)
                fixture.store.recordDueExpiries()
            }
            #expect(try ends(fixture).map(\.time) == [end, .newYear.later(seconds: 300)])
        }
    }

    @Test("E13: a commit at the exact time of an expiry is written after it, and the expiry is recorded once")
    func atTheMoment() async throws {
        try await withEnds { fixture in
            let granted = try fixture.commit(grant(100)).head
            fixture.clock.now = end
            #expect(try fixture.commit(.createRole("role:r")).revision == granted.next.next)
            fixture.store.recordDueExpiries()
            #expect(try ends(fixture).map(\.revision) == [granted.next])
        }
    }

    @Test("E13: an expiry while the store was closed is recorded after it is opened, without another commit")
    func dueWhileClosed() async throws {
        try await withEnds { fixture in
            try fixture.commit(grant(100), grant(300, to: "user:ben"))
            let granted = try fixture.head
            try fixture.whileClosed { fixture.clock.now = .newYear.later(seconds: 200) }
            let changes = try fixture.store.observe("doc:1", as: "user:ann", since: granted)
            async let observed = changes.all()
            #expect(await observed.end == .accessEnded(at: granted.next))
            fixture.clock.now = .newYear.later(seconds: 300)
            fixture.store.recordDueExpiries()
            #expect(try ends(fixture).map(\.time) == [end, .newYear.later(seconds: 300)])
        }
    }

    @Test("E13: with recording by commits, expiries are recorded only with commits")
    func withCommits() async throws {
        try await withEnds(.withCommits) { fixture in
            let granted = try fixture.commit(grant(100)).head
            fixture.clock.now = .newYear.later(seconds: 200)
            fixture.store.recordDueExpiries()
            #expect(try fixture.head == granted)
            try fixture.store.advance(to: fixture.clock.now)
            #expect(try ends(fixture).map(\.time) == [end])
        }
    }

    @Test("E13: an expiry is never recorded during an import, which may have earlier times, but after it has finished")
    func duringImports() async throws {
        try await withEnds { fixture in
            try fixture.commit(grant(100))
            let importer = try fixture.store.importer()
            func add(_ role: Name, at seconds: Int64) throws {
                try importer.add(
                    Transaction("user:root", [.createRole(role)], authority: .importer, time: .newYear.later(seconds: seconds)))
            }
            try add("role:a", at: 10)
            fixture.clock.now = .newYear.later(seconds: 1000)
            fixture.store.recordDueExpiries()
            try add("role:b", at: 20)
            try importer.finish()
            #expect(try ends(fixture).isEmpty)
            fixture.store.recordDueExpiries()
            #expect(try ends(fixture).map(\.time) == [end])
        }
    }

    @Test("E13: setting the clock back afterwards neither restores access in the log nor lets times go back")
    func clockSetBack() async throws {
        try await withEnds { fixture in
            try fixture.commit(grant(100), grant(200, to: "user:ben"))
            fixture.clock.now = .newYear.later(seconds: 150)
            fixture.store.recordDueExpiries()
            fixture.clock.now = .newYear
            fixture.store.recordDueExpiries()
            #expect(try !fixture.may("user:ann", "read", "doc:1"))
            #expect(try fixture.commit(.createRole("role:r")).time == end)
            fixture.clock.now = .newYear.later(seconds: 200)
            fixture.store.recordDueExpiries()
            #expect(try ends(fixture).map(\.time) == [end, .newYear.later(seconds: 200)])
        }
    }
}
