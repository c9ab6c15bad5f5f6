import Foundation
import TestSupport
import Testing

@testable import MunimentReplica

@Suite("R17: a replica in random schedules")
struct ScheduleTests {
    static let count = ProcessInfo.processInfo.environment["MUNIMENT_SCHEDULES"].flatMap { Int($0) } ?? 100

    @Test(
        "R17: clients that go offline, are killed, lose messages and lose access always show one revision and the pending transactions, and end as the service"
    )
    func schedulesKeepTheirPromises() throws {
        var counts: [String: Int] = [:]
        // The first one creates a folder again that was deleted with the folder above it.
        for seed in [1_334_799_601] + (0..<ScheduleTests.count).map({ TestSettings.firstSeed &+ UInt64($0) }) {
            do {
                try withTemporaryFolder { folder in
                    let service = try SimulatedService(path: folder)
                    defer { try? service.close() }
                    var schedule = try Schedule(seed: seed, service) { MemoryReplicaStorage() }
                    try schedule.run(steps: 150)
                    counts.merge(schedule.counts, uniquingKeysWith: +)
                }
            } catch {
                Issue.record("MUNIMENT_SEED=\(seed) MUNIMENT_SCHEDULES=1: \(error)")
                return
            }
        }
        print("replica schedules: \(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
        guard ScheduleTests.count >= 1_000 else { return }
        let expected = [
            "committed", "withdrawn", "noPrivilege", TransactionRefusal.accessLost, TransactionRefusal.prerequisiteEnded,
            TransactionRefusal.storeRestored, "lost", "restored", "resumed fill", "late request",
        ]
        for kind in expected { #expect(counts[kind, default: 0] > 0, "no schedule had `\(kind)`") }
    }
}
