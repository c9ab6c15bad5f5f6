import Events
import Muniment
import Permissions

/// Measures checks, present and past, and compares them with a raw `mdb_get` on the same rows.
struct CheckSuite {
    let store: Store
    let data: GeneratedStore
    let calls: Int

    struct Prepared {
        let subject: PrincipalID
        let object: ObjectID
        let wanted: Privileges
        let expected: Bool?
    }

    struct Result {
        var direct: Timing
        var nested: Timing
        var random: Timing
        var nestedPast: Timing
        var byName: Timing
        var raw: Timing
    }

    /// Checks the first entry on an object.
    static func checkFirst(_ store: Store, _ data: GeneratedStore) throws {
        let entry = data.generator.objectEntry(0)
        let isAllowed = try store.read { snapshot in
            try snapshot.check(Name(entry.subject), privileges(ofRank: entry.rank), on: Name(entry.object)).isAllowed
        }
        guard isAllowed else { throw BenchmarkFailure("the first check has the wrong answer") }
    }

    func run() throws -> Result {
        let raw = try RawLMDB.get(data, calls: calls, seed: 3)
        return try store.read { snapshot in
            let direct = try prepare(.direct, snapshot)
            let nested = try prepare(.nested, snapshot)
            let random = try prepare(.random, snapshot)
            let head = snapshot.revision.rawValue
            var revisions = SplitMix64(seed: 11)
            // The later half of the history: everything exists, and many entries have been rewritten since.
            let past = (0..<calls).map { _ in Revision(UInt64.random(in: head / 2...head, using: &revisions)) }
            return Result(
                direct: try measure(direct, snapshot), nested: try measure(nested, snapshot), random: try measure(random, snapshot),
                nestedPast: try Timing.measure(calls: calls) { call in
                    let question = nested[call % nested.count]
                    return try snapshot.check(question.subject, question.wanted, on: question.object, at: past[call % calls])
                        ? 1 : 0
                },
                byName: try measureByName(snapshot), raw: raw)
        }
    }

    func prepare(_ path: Generator.Path, _ snapshot: Snapshot) throws -> [Prepared] {
        try data.generator.questions(path, count: calls).map { question in
            guard let subject = try snapshot.principalID(Name(question.subject)),
                let object = try snapshot.objectID(Name(question.object)),
                let wanted = snapshot.privileges(named: privileges(ofRank: question.rank))
            else { throw BenchmarkFailure("\(question) is not in the store") }
            return Prepared(subject: subject, object: object, wanted: wanted, expected: path == .random ? nil : true)
        }
    }

    private func measure(_ questions: [Prepared], _ snapshot: Snapshot) throws -> Timing {
        for question in questions.prefix(1000) where question.expected != nil {
            guard try snapshot.check(question.subject, question.wanted, on: question.object) == question.expected else {
                throw BenchmarkFailure("a check has the wrong answer")
            }
        }
        // The warm-up computes the roles of each caller once, as in a service that has been running for a while.
        return try Timing.measure(calls: calls, warmUp: calls) { call in
            let question = questions[call % questions.count]
            return try snapshot.check(question.subject, question.wanted, on: question.object) ? 1 : 0
        }
    }

    func measureByName(_ snapshot: Snapshot) throws -> Timing {
        let questions = data.generator.questions(.direct, count: calls).map {
            (subject: Name($0.subject), object: Name($0.object), wanted: privileges(ofRank: $0.rank))
        }
        return try Timing.measure(calls: calls) { call in
            let question = questions[call % questions.count]
            return try snapshot.check(question.subject, question.wanted, on: question.object).isAllowed ? 1 : 0
        }
    }
}

/// A measurement that is not valid.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
