import Events
import Muniment
import Permissions
import Service
import StoreSupport
import TestSupport
import Testing

@Suite("AuthZEN: random histories")
struct AgreementTests {
    @Test("Single evaluations, batches, searches and the store's own checks agree, for the present and the past")
    func agreement() throws {
        for seed in TestSettings.firstSeed..<TestSettings.firstSeed + UInt64(max(1, TestSettings.historyCount / 100)) {
            let history = RandomHistory(seed: seed)
            let clock = ManualClock(history.start)
            try withStore(history.preset, clock: clock) { fixture in
                try play(history, on: fixture, steps: 90)
                for moment in [Moment.now, .revision(Revision(try fixture.head.rawValue * 2 / 3))] {
                    var world = try World(fixture, moment)
                    try world.check(seed)
                }
            }
        }
    }

    private func play(_ history: RandomHistory, on fixture: StoreFixture, steps: Int) throws {
        var history = history
        for _ in 0..<steps {
            let step = history.next()
            fixture.clock.now = step.time
            if try fixture.refusal(of: step.changes, as: step.caller) != nil { history.takeBack() }
        }
    }
}

/// All names that a request can use, at one moment of a store.
private struct World {
    let fixture: StoreFixture
    let moment: Moment
    let context: String
    let subjects: [Name]
    let objects: [Name]
    let actions: [String]
    /// As names, because texts that look alike are equal and names are not.
    private var decided: Set<Name> = []

    init(_ fixture: StoreFixture, _ moment: Moment) throws {
        (self.fixture, self.moment) = (fixture, moment)
        context = if case .revision(let revision) = moment { "{\"muniment_at\":\(revision)}" } else { "{}" }
        let classes = ["user", "thing", "role", "class", "permission", "doc", "box", "rec"]
        var names: [Name] = [.store]
        // In some histories, the first administrator is dismissed, and does not find every name.
        let administrator = try fixture.store.read(at: moment) { try $0.administrators().first } ?? "user:root"
        for className in classes {
            let body = request(administrator, "read", className, context: context)
            names += try fixture.search("resource", body).results.map { Name($0) }
        }
        objects = names
        subjects = names.filter(\.isSubject) + [.everyone, .anonymous, "user:never-seen", "role:never-made"]
        actions = Privileges.builtInNames + ["approve", "triage", "Ship", "über", "may_see", "may_edit", "may_do"]
    }

    private func typed(_ name: Name) -> String { name.id == nil ? "\(name.text):\(name.text)" : name.text }

    mutating func check(_ seed: UInt64) throws {
        for subject in subjects {
            var items: [String] = []
            var questions: [(Name, String)] = []
            for object in objects {
                for action in actions {
                    items.append(request(nil, action, typed(object)))
                    questions.append((object, action))
                }
            }
            let decisions = try items.indices.reduce(into: [Bool]()) { all, start in
                guard start % 5000 == 0 else { return }
                let some = items[start..<min(start + 5000, items.count)].joined(separator: ",")
                all += try fixture.evaluations(
                    request(typed(subject), nil, nil, context: context, more: "\"evaluations\":[\(some)]")
                ).decisions
            }
            #expect(decisions.count == items.count)
            for ((object, action), decision) in zip(questions, decisions) where decision {
                decided.insert(key(subject, action, object))
            }
        }
        try checkAgainstStore(seed)
        try checkSearches(seed)
    }

    private func key(_ subject: Name, _ action: String, _ object: Name) -> Name { Name("\(subject) \(action) \(object)") }

    private func checkAgainstStore(_ seed: UInt64) throws {
        try fixture.store.read(at: moment) { snapshot in
            for subject in subjects {
                for object in objects {
                    for action in actions.prefix(12) {
                        // An alias of the class can have the name of a privilege of another class.
                        let required = try snapshot.action(action, onClass: String(typed(object).prefix { $0 != ":" }))
                        guard required == snapshot.privileges(named: [action]) else { continue }
                        let may = try snapshot.check(subject, [action], on: object).isAllowed
                        #expect(
                            may == decided.contains(key(subject, action, object)),
                            "seed \(seed), \(context): \(key(subject, action, object))")
                    }
                }
            }
        }
        for (index, subject) in subjects.enumerated() {
            let (object, action) = (objects[index * 7 % objects.count], actions[index * 5 % actions.count])
            let may = try fixture.decides(typed(subject), action, typed(object), context: context)
            #expect(may == decided.contains(key(subject, action, object)), "seed \(seed): \(key(subject, action, object))")
        }
    }

    private func checkSearches(_ seed: UInt64) throws {
        let existing = Set(objects.map { Name(typed($0)) })
        for object in objects {
            for action in actions {
                for type in ["user", "thing", "role", "everyone", "anonymous"] {
                    let found = try fixture.search("subject", request(type, action, typed(object), context: context)).results
                    let expected = subjects.filter {
                        typed($0).hasPrefix(type + ":") && (existing.contains(Name(typed($0))) || $0.id == nil)
                            && decided.contains(key($0, action, object))
                    }
                    #expect(
                        Set(found.map { Name($0) }) == Set(expected.map { Name(typed($0)) }),
                        "seed \(seed), \(context): subjects \(type) \(action) \(object)")
                    #expect(found.count == expected.count)
                }
            }
        }
        for subject in subjects {
            for action in actions {
                for type in ["store", "user", "thing", "role", "class", "permission", "doc", "box", "rec"] {
                    let found = try fixture.search("resource", request(typed(subject), action, type, context: context)).results
                    let expected = objects.filter { typed($0).hasPrefix(type + ":") && decided.contains(key(subject, action, $0)) }
                    #expect(
                        Set(found.map { Name($0) }) == Set(expected.map { Name(typed($0)) }),
                        "seed \(seed), \(context): resources \(subject) \(action) \(type)")
                }
            }
            for object in objects {
                let found = try fixture.search("action", request(typed(subject), nil, typed(object), context: context)).results
                let expected = actions.filter { decided.contains(key(subject, $0, object)) }
                #expect(
                    Set(found.map { Name($0) }) == Set(expected.map { Name($0) }),
                    "seed \(seed), \(context): actions \(subject) \(object)")
            }
        }
    }
}
