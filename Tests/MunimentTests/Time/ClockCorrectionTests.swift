import Events
import Muniment
import Permissions
import RandomHistories
import StoreSupport
import TestSupport
import Testing

@Suite("Correcting a clock that was ahead")
struct ClockCorrectionTests {
    private static let year: Int64 = 365 * 86_400
    private let right = Instant.newYear.later(seconds: 100)

    /// Commits with a correct clock, then with a clock one year ahead, and corrects the clock.
    private func poison(_ fixture: StoreFixture) throws -> (last: Revision, poisoned: Revision) {
        try fixture.commit(
            .defineClass("doc"), .register("user:ann"), .createObject("doc:1"),
            .grant("user:ann", on: "doc:1", ["read"], until: .newYear.later(seconds: 86_400)))
        let last = try fixture.head
        fixture.clock.now = .newYear.later(seconds: Self.year)
        try fixture.commit(.createRole("role:late"))
        #expect(try fixture.refusal(.grant("user:ann", on: "doc:1", ["none"])) != nil)
        try fixture.commit(.grant("user:ann", on: "doc:1", ["update"]))
        fixture.clock.now = right
        return (last, try fixture.head)
    }

    @Test(
        "E3: later commits continue from the corrected time, earlier expiries are accepted again, and the log keeps each time"
    )
    func goesOn() throws {
        try withStore(.open) { (fixture) throws in
            let (_, poisoned) = try poison(fixture)
            let soon = Change.grant("user:ann", on: "doc:1", ["delete"], until: right.later(seconds: 60))
            #expect(try fixture.refusal(soon) != nil)
            let corrected = try fixture.store.correctClock(as: "user:root", comment: "a flat battery")
            #expect(corrected.revision == poisoned.next)
            #expect(corrected.time == right)
            #expect(corrected.before == .newYear.later(seconds: Self.year))
            #expect(try fixture.refusal(soon) == nil)
            #expect(try fixture.store.head.time == right)
            let commits = try fixture.commits(from: poisoned)
            #expect(commits.map(\.time) == [.newYear.later(seconds: Self.year), right, right])
            #expect(commits[1].events == [.clockCorrected])
            #expect(commits[1].origin.comment == "a flat battery")
            fixture.clock.advance(seconds: 60)
            #expect(try !fixture.may("user:ann", "delete", "doc:1"))
            #expect(try fixture.commit(.createRole("role:next")).time == right.later(seconds: 60))
        }
    }

    @Test("CONFORMANCE E5: queries by time and by revision use the corrected times, even after a rebuild of the index")
    func questions() throws {
        try withStore(.open) { (fixture) throws in
            let (last, poisoned) = try poison(fixture)
            let corrected = try fixture.store.correctClock(as: "user:root").revision
            func check() throws {
                for (time, revision) in [
                    (right.advanced(byMicroseconds: -1), last), (right, corrected),
                    (Instant.newYear.later(seconds: Self.year), corrected),
                ] {
                    #expect(try fixture.store.read(at: .time(time)) { $0.revision } == revision)
                }
                #expect(try !fixture.may("user:ann", "update", "doc:1", at: .time(right.advanced(byMicroseconds: -1))))
                #expect(try fixture.may("user:ann", "update", "doc:1", at: .time(right)))
                #expect(try fixture.store.time(of: poisoned) == right)
                // The expiry that the wrong clock recorded stays recorded.
                #expect(try fixture.may("user:ann", "read", "doc:1", at: .revision(last)))
                #expect(try !fixture.may("user:ann", "read", "doc:1"))
                let spans = try fixture.store.accessSpans(with: ["update"], on: "doc:1").filter { $0.subject == "user:ann" }
                #expect(spans.flatMap(\.spans).map(\.from) == [right])
                var filter = AuditFilter()
                filter.from = .time(right)
                filter.to = .time(right)
                let kinds = try fixture.store.audit(filter, limit: 100).records.compactMap(\.kind)
                #expect(kinds.contains("ClockCorrected") && kinds.contains("RoleCreated") && kinds.contains("AccessExpired"))
            }
            try check()
            try fixture.reopen()
            try check()
            try fixture.reopenWithoutIndex()
            try check()
            try fixture.whileClosed { () throws in #expect(try Store.verify(at: fixture.path).problems == []) }
        }
    }

    @Test("Only an administrator can correct the clock, and only if the clock is before the newest commit")
    func refused() throws {
        try withStore(.open) { (fixture) throws in
            _ = try poison(fixture)
            let head = try fixture.store.head
            for caller in ["user:ann", "user:nobody", "anonymous"] as [Name] {
                let refusal = #expect(throws: Refusal.self) { try fixture.store.correctClock(as: caller) }
                #expect(refusal?.code == .notAdministrator)
            }
            let long = String(repeating: "x", count: Limits.originBytes + 1)
            #expect(throws: Refusal.self) { try fixture.store.correctClock(as: "user:root", comment: long) }
            fixture.clock.now = head.time
            #expect(throws: StoreError.clockNeedsNoCorrection(head.time, head: head.time)) {
                try fixture.store.correctClock(as: "user:root")
            }
            #expect(try fixture.store.head == head)
            fixture.clock.now = right
            _ = try fixture.store.correctClock(as: "user:root")
            #expect(throws: StoreError.clockNeedsNoCorrection(right, head: right)) {
                try fixture.store.correctClock(as: "user:root")
            }
        }
    }

    @Test("A backup of a store with a corrected clock is valid and is restored with the corrected times")
    func backup() throws {
        try withStore(.open) { (fixture) throws in
            let (last, _) = try poison(fixture)
            let corrected = try fixture.store.correctClock(as: "user:root").revision
            let backup = fixture.path + "-backup"
            _ = try fixture.store.backup(to: backup)
            #expect(try Store.verify(at: backup).problems == [])
            let store = try Store.open(at: backup)
            defer { try? store.close() }
            #expect(try store.read(at: .time(right)) { $0.revision } == corrected)
            #expect(try store.read(at: .time(right.advanced(byMicroseconds: -1))) { $0.revision } == last)
        }
    }

    @Test(
        "CONFORMANCE E4: for any times and corrections, each moment has the revision of a simple calculation",
        arguments: UInt64(0)..<6)
    func anyTimes(number: UInt64) throws {
        var random = SplitMix64(seed: TestSettings.firstSeed &+ 8_300_000 &+ number)
        try withStore(.open) { (fixture) throws in
            var moments: Set<Instant> = []
            for step in 0..<60 {
                fixture.clock.now = .newYear.later(seconds: Int64.random(in: 1...1000, using: &random))
                moments.insert(fixture.clock.now)
                if try fixture.clock.now < fixture.store.head.time, Bool.random(using: &random) {
                    _ = try fixture.store.correctClock(as: "user:root")
                } else {
                    try fixture.commit(.createRole(Name("role:r\(step)")))
                }
                if step % 20 == 19 { try fixture.reopen() }
            }
            var made: [(revision: Revision, time: Instant)] = []
            for commit in try fixture.commits() {
                if commit.correctsClock { made = made.map { ($0.revision, min($0.time, commit.time)) } }
                made.append((commit.revision, commit.time))
            }
            func check() throws {
                for moment in moments {
                    let expected = made.dropFirst().last { $0.time <= moment }?.revision ?? .genesis
                    #expect(try fixture.store.read(at: .time(moment)) { $0.revision } == expected)
                }
                for (revision, time) in made { #expect(try fixture.store.time(of: revision) == time) }
            }
            try check()
            try fixture.reopenWithoutIndex()
            try check()
            try fixture.whileClosed { () throws in #expect(try Store.verify(at: fixture.path).problems == []) }
        }
    }
}
