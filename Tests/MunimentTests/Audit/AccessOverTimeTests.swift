import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Audit: access over time, compared with the naive model at every revision")
struct AccessOverTimeTests {
    @Test(
        "E10: the subjects with access during a span, and their times, match a check at every revision of the span",
        arguments: UInt64(0)..<12)
    func spans(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 5_000_000 &+ number
        try withStore(.open) { fixture in
            let run = try Run(seed: seed, fixture)
            var random = SplitMix64(seed: seed)
            for _ in 0..<10 {
                let object = random.one(of: run.objects)
                let privileges =
                    random.chance(percent: 70) ? ["read"] : random.some(1...2, of: ["update", "delete", "query", "setPermissions"])
                let bounds = [random.number(0...run.last), random.number(0...run.last)].sorted()
                let window = random.chance(percent: 50) ? 0...run.last : bounds[0]...bounds[1]
                try check(run, privileges, object, window)
            }
        }
    }

    private func check(_ run: Run, _ privileges: [String], _ object: Name, _ window: ClosedRange<Int>) throws {
        let found = try run.store.accessSpans(
            with: privileges, on: object, from: .revision(Revision(UInt64(window.lowerBound))),
            to: .revision(Revision(UInt64(window.upperBound))))
        let listed = Dictionary(uniqueKeysWithValues: found.map { (Name($0.subject), $0.spans) })
        #expect(found.map(\.subject) == listed.keys.sorted().map(\.text), "sorted, and nobody twice")
        for subject in run.people + ["user:never-seen", .anonymous] {
            let spans = listed[subject] ?? (subject == .anonymous ? [] : listed[.everyone] ?? [])
            let expected = window.filter { run.may(subject, privileges, object, at: $0) }
            let context = "\(run.context): \(subject) \(privileges) \(object) in \(window)"
            #expect(run.revisions(spans, in: window) == expected, "\(context)")
            for span in spans {
                #expect(try span.from == run.store.time(of: span.begin), "\(context)")
                let first = window.lowerBound
                let existed = first > 0 && span.begin.rawValue == first && run.may(subject, privileges, object, at: first - 1)
                #expect(span.existedBefore == existed, "\(context)")
                #expect(try span.until == span.end.map { try run.store.time(of: $0) }, "\(context)")
            }
        }
        for subject in listed.keys where subject != .everyone && subject != .anonymous { #expect(run.people.contains(subject)) }
    }

    @Test(
        "E10: the times of a subject's access changes match a check at every revision, each with its commit",
        arguments: UInt64(0)..<12)
    func turns(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 6_000_000 &+ number
        try withStore(.locked) { fixture in
            let run = try Run(seed: seed, fixture)
            var random = SplitMix64(seed: seed)
            for _ in 0..<15 {
                let (subject, object) = (
                    random.one(of: run.people + ["user:never-seen", .everyone, "role:r1"]), random.one(of: run.objects)
                )
                let turns = try run.store.accessTransitions(of: subject, with: ["read"], on: object)
                var expected: [String] = []
                for revision in 0...run.last {
                    let (before, after) = (
                        revision > 0 && run.may(subject, ["read"], object, at: revision - 1),
                        run.may(subject, ["read"], object, at: revision)
                    )
                    if before != after { expected.append("\(after ? "in" : "out") \(revision)") }
                }
                let found = turns.map { "\($0.isGained ? "in" : "out") \($0.revision?.description ?? "–")" }
                #expect(found == expected, "\(run.context): \(subject) \(object)")
                for turn in turns {
                    #expect(!turn.events.isEmpty)
                    for event in turn.events {
                        guard case .event(_, let revision, _) = event.source else { continue }
                        #expect(revision == turn.revision && event.time == turn.time && event.actor == turn.actor)
                    }
                }
            }
        }
    }

    @Test("E10: the access of a subject at one time matches separate checks of each privilege", arguments: UInt64(0)..<12)
    func reports(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 7_000_000 &+ number
        try withStore(.open) { fixture in
            let run = try Run(seed: seed, fixture)
            var random = SplitMix64(seed: seed)
            for _ in 0..<10 {
                let subject = random.one(of: run.people + ["user:never-seen", .everyone, .anonymous, "role:r0"])
                let revision = random.number(0...run.last)
                try run.store.read(at: .revision(Revision(UInt64(revision)))) { snapshot in
                    let report = try snapshot.accessReport(of: subject)
                    let context = "\(run.context): \(subject) at \(revision)"
                    #expect(try report.isAdministrator == snapshot.administrators().contains(subject.text), "\(context)")
                    for object in run.objects where object.kind == .object {
                        let held = report.objects.first { Name($0.name) == object }?.privileges ?? []
                        #expect(
                            .privileges(held) == run.answer(.privileges(subject, on: object), at: revision), "\(context), \(object)"
                        )
                    }
                    let roles = Set(report.roles.map(\.role))
                    for role in report.roles {
                        let nearest = role.through.last ?? (role.isThroughEveryone ? "everyone" : subject.text)
                        #expect(try snapshot.members(of: Name(role.role)).contains(nearest), "\(context), \(role)")
                    }
                    // The report of a role does not list the role, although it can be above a role that everyone is in.
                    for role in (0...4).map({ "role:r\($0)" }) where !roles.contains(role) && role != subject.text {
                        let members = try snapshot.members(of: Name(role))
                        #expect(!members.contains(subject.text) && roles.isDisjoint(with: members), "\(context), \(role)")
                    }
                }
            }
        }
    }
}

/// A random history in a store, with the naive model of its log.
private struct Run {
    let store: Store
    let context: String
    /// Every user and thing that occurs in the log.
    let people: [Name]
    let objects: [Name]
    let last: Int
    private let model: NaiveModel

    init(seed: UInt64, _ fixture: StoreFixture) throws {
        store = fixture.store
        context = "seed \(seed)"
        var history = RandomHistory(seed: seed)
        let importer = try store.importer()
        for _ in 0..<130 {
            let step = history.next()
            fixture.clock.now = step.time
            do { try importer.add(Transaction(step.caller, step.changes)) } catch is Refusal { history.takeBack() }
        }
        try importer.finish()
        model = try NaiveModel(fixture.commits())
        last = Int(model.head.rawValue)
        let records = try store.records(AuditFilter(outcome: .done), limit: 1000)
        let names = Set(records.flatMap { $0.objects + $0.subjects + [$0.actor] }.map { Name($0) })
        people = names.filter { $0.kind == .caller }.sorted()
        objects = (names.filter { $0.kind == .object || $0.kind == .role } + [.store, "doc:never"]).sorted()
    }

    func answer(_ question: Question, at revision: Int) -> Answer {
        model.view(.revision(Revision(UInt64(revision))), now: .forever).answer(question)
    }

    func may(_ subject: Name, _ privileges: [String], _ object: Name, at revision: Int) -> Bool {
        answer(.check(subject, privileges, on: object), at: revision) == .verdict(true)
    }

    /// Returns the revisions of a window that the spans cover.
    func revisions(_ spans: [AccessSpan], in window: ClosedRange<Int>) -> [Int] {
        spans.flatMap { span in
            Array(Int(span.begin.rawValue)..<(span.end.map { Int($0.rawValue) } ?? window.upperBound + 1))
        }
    }
}
