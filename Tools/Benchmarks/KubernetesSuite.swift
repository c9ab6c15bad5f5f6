import Events
import Foundation
import Histories
import Muniment
import Permissions

/// Measures checks on eight years of a real history, and compares them with SQLite on the same history.
struct KubernetesSuite {
    let commands: String
    let folder: String
    let calls: Int

    struct Result {
        var present: Timing
        var past: Timing
        var sqlitePresent: Timing
        var sqlitePast: Timing
    }

    private struct Check {
        let subject: String
        let object: String
        let rank: Int
        let revision: UInt64
    }

    private static let levels = ["read", "triage", "write", "maintain", "admin"]

    func run() throws -> Result {
        let path = folder + "/kubernetes"
        _ = try HistoryImporter(into: path).run(file: commands)
        let transactions = try readOperations()
        let checks = draw(transactions)
        let baseline = try SQLiteBaseline(path: folder + "/kubernetes.sqlite")
        for (index, operations) in transactions.enumerated() { try baseline.apply(operations, revision: Int64(index + 1)) }
        try baseline.finishLoading()
        let store = try Store.open(at: path)
        let levels = try store.levels ?? []
        let mine = try store.read { try measure(checks, $0, levels, baseline) }
        try store.close()
        let numbered = checks.map { (baseline.number($0.subject), baseline.number($0.object), Int64($0.rank), Int64($0.revision)) }
        let present = try Timing.measure(calls: calls) { call in
            let (subject, object, rank, _) = numbered[call % numbered.count]
            return try baseline.check(subject: subject, object: object, rank: rank) ? 1 : 0
        }
        let past = try Timing.measure(calls: calls) { call in
            let (subject, object, rank, revision) = numbered[call % numbered.count]
            return try baseline.check(subject: subject, object: object, rank: rank, at: revision) ? 1 : 0
        }
        return Result(present: mine.present, past: mine.past, sqlitePresent: present, sqlitePast: past)
    }

    private func measure(
        _ checks: [Check], _ snapshot: Snapshot, _ levels: [AccessLevel], _ baseline: SQLiteBaseline
    ) throws -> (present: Timing, past: Timing) {
        let wanted = Self.levels.map { name in
            levels.first { $0.name == name }.flatMap { snapshot.privileges(named: $0.privileges) } ?? []
        }
        let prepared = try checks.map { check in
            (
                subject: try snapshot.principalID(Name(check.subject)) ?? .everyone,
                object: try snapshot.objectID(Name(check.object)) ?? .store, wanted: wanted[check.rank - 1],
                revision: Revision(check.revision)
            )
        }
        // Both must give the same answers before their times are measured.
        for (check, mine) in zip(checks, prepared).prefix(2000) {
            let theirs = try baseline.check(
                subject: baseline.number(check.subject), object: baseline.number(check.object), rank: Int64(check.rank),
                at: Int64(check.revision))
            guard try snapshot.check(mine.subject, mine.wanted, on: mine.object, at: mine.revision) == theirs else {
                throw BenchmarkFailure("Muniment and SQLite disagree about \(check)")
            }
        }
        let present = try Timing.measure(calls: calls * 4) { call in
            let check = prepared[call % prepared.count]
            return try snapshot.check(check.subject, check.wanted, on: check.object) ? 1 : 0
        }
        let past = try Timing.measure(calls: calls * 4) { call in
            let check = prepared[call % prepared.count]
            return try snapshot.check(check.subject, check.wanted, on: check.object, at: check.revision) ? 1 : 0
        }
        return (present, past)
    }

    /// Returns checks of random users, objects, levels and revisions.
    private func draw(_ transactions: [[Operation]]) -> [Check] {
        var users: Set<String> = []
        var objects: Set<String> = []
        for operation in transactions.joined() {
            switch operation {
            case .addMember(let member, _) where member.hasPrefix("user:"): users.insert(member)
            case .createObject(let object, _): objects.insert(object)
            default: break
            }
        }
        let (sortedUsers, sortedObjects) = (users.sorted(), objects.sorted())
        var random = SplitMix64(seed: 5)
        return (0..<calls).map { _ in
            Check(
                subject: sortedUsers[.random(in: 0..<sortedUsers.count, using: &random)],
                object: sortedObjects[.random(in: 0..<sortedObjects.count, using: &random)],
                rank: .random(in: 1...Self.levels.count, using: &random),
                revision: .random(in: 1...UInt64(transactions.count), using: &random))
        }
    }

    private func readOperations() throws -> [[Operation]] {
        let text = try String(contentsOfFile: commands, encoding: .utf8)
        return try text.split(separator: "\n").dropFirst().map { line in
            guard let transaction = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let changes = transaction["changes"] as? [[String: Any]]
            else { throw BenchmarkFailure("a line of the history is not a transaction") }
            return try changes.map(operation)
        }
    }

    private func operation(_ change: [String: Any]) throws -> Operation {
        func text(_ key: String) -> String { change[key] as? String ?? "" }
        let role = "role:" + text("role")
        switch text("op") {
        case "createObject": return .createObject(text("object"), parent: change["parent"] as? String)
        case "deleteObject": return .deleteObject(text("object"))
        case "createRole": return .createRole(role)
        case "deleteRole": return .deleteRole(role)
        case "addMember": return .addMember(text("member"), role: role)
        case "removeMember": return .removeMember(text("member"), role: role)
        case "grant":
            let rank = (Self.levels.firstIndex(of: text("level")) ?? 0) + 1
            return .grant(subject: text("subject"), object: text("object"), rank: rank)
        case "revoke": return .revoke(subject: text("subject"), object: text("object"))
        default: throw BenchmarkFailure("the history has an operation \(text("op"))")
        }
    }
}
