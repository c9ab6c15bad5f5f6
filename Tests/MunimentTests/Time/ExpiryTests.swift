import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Access with an expiry")
struct ExpiryTests {
    private let end = Instant.newYear.later(seconds: 100)

    private func prepare(_ fixture: StoreFixture) throws {
        try fixture.commit(
            .defineClass("doc"), .register("user:ann"), .register("user:ben"), .createObject("doc:1"), .createObject("doc:2"))
    }

    private func grant(_ seconds: Int64, _ privileges: [String] = ["read"], to subject: Name = "user:ann") -> Change {
        .grant(subject, on: "doc:1", privileges, until: .newYear.later(seconds: seconds))
    }

    /// Returns the commits of the store itself.
    private func expiries(_ fixture: StoreFixture) throws -> [Commit] {
        try fixture.commits(from: Revision(1)).filter { $0.actor == .system }
    }

    @Test("E13: access ends exactly at its expiry, even before the log records it")
    func endsAtTheMoment() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(grant(100))
            let head = try fixture.head
            fixture.clock.now = end.advanced(byMicroseconds: -1)
            #expect(try fixture.may("user:ann", "read", "doc:1"))
            fixture.clock.now = end
            #expect(try !fixture.may("user:ann", "read", "doc:1"))
            #expect(try fixture.entries("doc:1").isEmpty)
            #expect(try fixture.store.read { try $0.objects(for: "user:ann", with: ["read"]) }.isEmpty)
            #expect(try fixture.store.read { try $0.subjects(with: ["read"], on: "doc:1") }.isEmpty)
            #expect(try fixture.head == head)
            #expect(try fixture.may("user:ann", "read", "doc:1", at: .time(end.advanced(byMicroseconds: -1))))
            #expect(try !fixture.may("user:ann", "read", "doc:1", at: .time(end)))
            #expect(try fixture.may("user:ann", "read", "doc:1", at: .revision(head)))
        }
    }

    @Test("E13: the next commit first writes the expiry, as a commit of the store at the time of the expiry")
    func theEndReachesTheLog() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            let granted = try fixture.commit(grant(100)).head
            fixture.clock.now = .newYear.later(seconds: 500)
            let receipt = try fixture.commit(.createRole("role:r"))
            let commits = try fixture.commits(from: granted.next)
            #expect(commits.count == 2)
            #expect(commits.first?.revision == granted.next)
            #expect(commits.first?.time == end)
            #expect(commits.first?.actor == .system)
            #expect(commits.first?.events.map(\.kind) == [.accessExpired])
            #expect(commits.last?.time == .newYear.later(seconds: 500))
            #expect(receipt.revision == granted.next.next)
        }
    }

    @Test("E13: each expiry is a commit at its own time, and simultaneous expiries are one commit")
    func severalEnds() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(grant(300, ["read"]), grant(100, ["update"]), grant(200, ["delete"]))
            try fixture.commit(
                grant(200, ["read"], to: "user:ben"), grant(300, ["read"], to: .everyone),
                .grant("user:ann", on: "doc:2", ["query"], until: .newYear.later(seconds: 300)))
            fixture.clock.now = .newYear.later(seconds: 1000)
            try fixture.store.advance(to: fixture.clock.now)
            let commits = try expiries(fixture)
            #expect(commits.map(\.time) == [100, 200, 300].map { Instant.newYear.later(seconds: $0) })
            #expect(commits.map(\.events.count) == [1, 2, 3])
            #expect(commits.allSatisfy { $0.events.allSatisfy { $0.kind == .accessExpired } })
            let expected: [(Int64, [String])] = [
                (99, ["delete", "read", "update"]), (100, ["delete", "read"]), (200, ["read"]), (300, []),
            ]
            for (seconds, held) in expected {
                #expect(try fixture.privileges("user:ann", "doc:1", at: .time(.newYear.later(seconds: seconds))) == held)
            }
        }
    }

    @Test("E13: an expiry while the store is closed is recorded, with its exact time", arguments: [false, true])
    func dueWhileClosed(withoutIndex: Bool) throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(grant(100), grant(200, ["update"]))
            try fixture.whileClosed { fixture.clock.now = .newYear.later(seconds: 150) }
            if withoutIndex { try fixture.reopenWithoutIndex() }
            #expect(try fixture.privileges("user:ann", "doc:1") == ["update"])
            #expect(try expiries(fixture).isEmpty)
            try fixture.commit(.createRole("role:r"))
            #expect(try expiries(fixture).map(\.time) == [end])
            try fixture.reopen()
            fixture.clock.now = .newYear.later(seconds: 250)
            #expect(try fixture.privileges("user:ann", "doc:1").isEmpty)
            try fixture.commit(.createRole("role:s"))
            #expect(try expiries(fixture).map(\.time) == [end, .newYear.later(seconds: 200)])
        }
    }

    @Test("E13: an expiry is recorded once, and removes nothing else of the entry")
    func onlyWhatEnds() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(grant(100, ["read", "update"]), .grant("user:ann", on: "doc:1", ["query"]))
            fixture.clock.now = end
            for role in ["role:a", "role:b", "role:c"] { try fixture.commit(.createRole(Name(role))) }
            #expect(try expiries(fixture).count == 1)
            #expect(try fixture.privileges("user:ann", "doc:1") == ["query"])
        }
    }

    /// Possible changes to a grant until 100 before its expiry, and the remaining expiry, if any.
    private static let laterChanges: [(change: Change, left: Int64?)] = [
        (.grant("user:ann", on: "doc:1", ["read"], until: .newYear.later(seconds: 50)), 100),
        (.grant("user:ann", on: "doc:1", ["read"], until: .newYear.later(seconds: 100)), 100),
        (.grant("user:ann", on: "doc:1", ["read"], until: .newYear.later(seconds: 150)), 150),
        (.grant("user:ann", on: "doc:1", ["read"]), nil),
        (.setAccess("user:ann", on: "doc:1", ["read"]), nil),
        (.revoke("user:ann", on: "doc:1"), nil),
        (.revoke("user:ann", on: "doc:1", ["read"]), nil),
        (.deleteObject("doc:1"), nil),
    ]

    @Test("E13: an expiry can be extended, not shortened, and is gone after a revoke or a permanent grant", arguments: laterChanges)
    func changesOfMind(change: Change, left: Int64?) throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(grant(100))
            try fixture.commit(change)
            fixture.clock.now = .newYear.later(seconds: 1000)
            try fixture.commit(.createRole("role:r"))
            #expect(try expiries(fixture).map(\.time) == (left.map { [.newYear.later(seconds: $0)] } ?? []))
            try fixture.reopenWithoutIndex()
            try fixture.commit(.createRole("role:s"))
            #expect(try expiries(fixture).count == (left == nil ? 0 : 1))
        }
    }

    @Test("E13: a grant at the time of the expiry gives access again, from a commit after the expiry")
    func grantedAnew() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(grant(100))
            fixture.clock.now = end
            let receipt = try fixture.commit(grant(200))
            #expect(try fixture.may("user:ann", "read", "doc:1"))
            #expect(try !fixture.may("user:ann", "read", "doc:1", at: .revision(Revision(receipt.head.rawValue - 1))))
            #expect(try expiries(fixture).map(\.revision) == [Revision(receipt.head.rawValue - 1)])
        }
    }

    @Test("E13: a caller who lost the right to grant at a time cannot grant at that time")
    func authorisationEndsToo() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(grant(100, ["read", "setPermissions"]))
            fixture.clock.now = end.advanced(byMicroseconds: -1)
            #expect(try fixture.refusal(.grant("user:ben", on: "doc:1", ["read"]), as: "user:ann") == nil)
            fixture.clock.now = end
            #expect(try fixture.refusal(.revoke("user:ben", on: "doc:1"), as: "user:ann")?.code == .noPrivilege)
        }
    }

    @Test("E13: access through the store level, a class or a parent also ends exactly at its expiry")
    func upperLevels() throws {
        try withStore { (fixture) throws in
            let all = ["query", "read"]
            try fixture.commit(
                .defineClass("doc", ClassSettings(inherits: .everything)), .createObject("doc:1"),
                .createObject("doc:2", parent: "doc:1"), .grant(.everyone, on: .store, all, until: .newYear.later(seconds: 300)),
                .grant(.everyone, on: .class("doc"), all, until: .newYear.later(seconds: 200)),
                .grant(.everyone, on: "doc:1", ["read"], until: .newYear.later(seconds: 100)),
                .grant(.everyone, on: "doc:2", ["query"]))
            let expected: [(Int64, [String], [String])] = [
                (99, ["read"], all), (100, [], ["query"]), (199, [], ["query"]), (200, [], []), (300, [], []),
            ]
            for (seconds, parent, child) in expected {
                fixture.clock.now = .newYear.later(seconds: seconds)
                #expect(try fixture.privileges("user:ann", "doc:1") == parent)
                #expect(try fixture.privileges("user:ann", "doc:2") == child)
            }
        }
    }

    @Test("E10, E13: A privilege that moves to another existing expiry is in the history of its subject")
    func movedEnd() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(grant(100, ["read", "delete"]), grant(200, ["update"]))
            let moved = try #require(try fixture.commit(grant(200, ["delete"])).revision)
            var revisions: [Revision] = []
            try fixture.store.history(of: "user:ann") { revisions.append($0.commit.revision) }
            #expect(revisions.last == moved)
        }
    }
}
