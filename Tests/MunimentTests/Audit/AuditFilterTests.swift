import Dispatch
import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Audit: filters for commands and refusals")
struct AuditFilterTests {
    private static let longSteps = 900

    /// A history that fills several blocks of the index, and some short ones.
    static let histories: [(number: UInt64, steps: Int)] = [(0, longSteps)] + (1...6).map { ($0, 120) }

    @Test("E10: a search for an ill-formed name finds the refused commands that used it, and has no other effect")
    func namesThatAreNone() throws {
        try withStore { fixture in
            for name: Name in ["", Name(String(repeating: "x", count: 600)), "nobody"] {
                _ = try fixture.refusal(.defineClass("doc"), as: name)
                let page = try fixture.store.audit(AuditFilter(actor: name), limit: 10)
                #expect(page.records.map(\.isDone) == [false])
                #expect(page.records.map(\.actor) == [name.text])
            }
        }
    }

    @Test(
        "E10: every combination of filters gives the same records as a scan of the log and of the refusals",
        arguments: histories)
    func filters(history: (number: UInt64, steps: Int)) throws {
        let seed = TestSettings.firstSeed &+ 4_000_000 &+ history.number
        try withStore(.open) { (fixture) throws in
            try fill(fixture, seed: seed, steps: history.steps)
            let naive = try NaiveAudit(fixture.store)
            // Without this many records, the test would not cover the blocks of the index.
            if history.steps == Self.longSteps {
                #expect(naive.rows.count { $0.number == nil } > 4096 && naive.rows.count { $0.number != nil } > 2048)
            }
            var random = SplitMix64(seed: seed)
            for _ in 0..<(history.steps == Self.longSteps ? 60 : 150) {
                let filter = naive.filter(using: &random)
                try compare(fixture.store, naive, filter, limit: random.number(1...400), seed)
            }
            // The content of the index does not depend on when it was folded.
            try fixture.reopenWithoutIndex()
            for _ in 0..<20 { try compare(fixture.store, naive, naive.filter(using: &random), limit: 100, seed) }
            try fixture.whileClosed {
                let report = try Store.verify(at: fixture.path)
                #expect(report.isSound, "seed \(seed): \(report.problems)")
            }
        }
    }

    private func compare(_ store: Store, _ naive: NaiveAudit, _ filter: AuditFilter, limit: Int, _ seed: UInt64) throws {
        let found = try store.records(filter, limit: limit).map { NaiveAudit.Row($0) }
        let expected = naive.rows(filter)
        let isSame = found == expected
        let first = zip(found, expected).first { $0 != $1 }.map { "\($0)" } ?? ""
        #expect(isSame, "\(first) seed \(seed), \(filter): \(found.count) records instead of \(expected.count)")
    }

    /// Imports a random history with request ids.
    private func fill(_ fixture: StoreFixture, seed: UInt64, steps: Int) throws {
        var history = RandomHistory(seed: seed)
        let importer = try fixture.store.importer()
        for number in 0..<steps {
            let step = history.next()
            fixture.clock.now = step.time
            let origin = Origin(
                requestID: number % 3 == 0 ? "request \(number % 50)" : nil, comment: number % 7 == 0 ? "by hand" : nil)
            do { try importer.add(Transaction(step.caller, step.changes, origin: origin)) } catch is Refusal { history.takeBack() }
            // Adds commits with many events, so that blocks begin and end inside commits of all sizes.
            guard steps == Self.longSteps, number % 100 == 99 else { continue }
            let users = (0..<500).map { Change.register(Name("user:\(number)-\($0)")) }
            try importer.add(Transaction("user:root", users, authority: .importer))
        }
        try importer.finish()
        if steps == Self.longSteps { refuseMany(fixture.store) }
    }

    /// Records refusals for two blocks, written to disk in groups.
    private func refuseMany(_ store: Store) {
        DispatchQueue.concurrentPerform(iterations: 64) { thread in
            for number in 0..<66 {
                let object = Name("doc:\((thread + number) % 9)")
                let changes: [Change] =
                    number % 2 == 0 ? [.deleteRole(Name("role:never\(thread)"))] : [.moveObject(object, parent: object)]
                _ = try? store.commit(Transaction(Name("user:refused\(thread % 5)"), changes))
            }
        }
    }
}

extension Store {
    /// Returns all records that match a filter, page by page.
    func records(_ filter: AuditFilter, limit: Int) throws -> [AuditRecord] {
        var records: [AuditRecord] = []
        var cursor: AuditCursor?
        while true {
            let page = try audit(filter, after: cursor, limit: limit)
            records += page.records
            if page.isLast { return records }
            cursor = page.cursor
        }
    }
}

extension NaiveAudit {
    /// Returns a filter with existing names, kinds and times, and sometimes with one that does not exist.
    func filter(using random: inout SplitMix64) -> AuditFilter {
        var filter = AuditFilter()
        let row = random.one(of: rows)
        if random.chance(percent: 35) { filter.actor = random.one(of: [row, random.one(of: rows)]).actor }
        if random.chance(percent: 30) { filter.object = row.objects.min() ?? "doc:never" }
        if random.chance(percent: 30) { filter.subject = row.subjects.min() ?? "user:never" }
        if random.chance(percent: 30) {
            filter.kinds = Array(Set([row, random.one(of: rows), random.one(of: rows)].compactMap(\.kind)).sorted())
        }
        if random.chance(percent: 15) { filter.requestID = row.requestID ?? "request never" }
        if random.chance(percent: 25) { filter.from = moment(random.one(of: rows), using: &random) }
        if random.chance(percent: 25) { filter.to = moment(random.one(of: rows), using: &random) }
        filter.outcome = random.one(of: [.any, .any, .done, .refused])
        filter.order = random.chance(percent: 50) ? .oldestFirst : .newestFirst
        // A list that ends before it begins is refused. This test does not cover that.
        if case (.revision(let from)?, .revision(let to)?) = (filter.from, filter.to), from > to { filter.to = nil }
        if case (.time(let from)?, .time(let to)?) = (filter.from, filter.to), from > to { filter.to = nil }
        return filter
    }

    private func moment(_ row: Row, using random: inout SplitMix64) -> Moment {
        switch random.number(0...3) {
        case 0: .time(row.time)
        case 1: .time(row.time.advanced(byMicroseconds: Int64(random.number(0...2)) - 1))
        default: .revision(row.revision)
        }
    }
}
