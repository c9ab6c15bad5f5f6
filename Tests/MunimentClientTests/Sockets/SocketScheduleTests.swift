import Foundation
import TestSupport
import Testing

@Suite("R17: replicas over sockets that are cut, in processes that are killed", .timeLimit(.minutes(60)))
struct SocketScheduleTests {
    /// A fiftieth of the schedules in memory: each has processes, sockets and a disk.
    static let count = max((ProcessInfo.processInfo.environment["MUNIMENT_SCHEDULES"].flatMap { Int($0) } ?? 100) / 50, 1)

    @Test(
        "R17: clients whose connections are cut, and clients and services that are killed, end with the state of the service, each transaction is committed once or not at all, and no file has a lost value"
    )
    func schedulesKeepTheirPromises() async throws {
        var counts = SocketSchedule.Counts()
        for number in 0..<SocketScheduleTests.count {
            let seed = TestSettings.firstSeed &+ UInt64(number)
            do {
                try await withTemporaryFolder(onDisk: true) { folder in
                    let schedule = try SocketSchedule(seed: seed, folder)
                    defer { schedule.stop() }
                    try await schedule.run(steps: 60)
                    counts.add(schedule.counts)
                }
            } catch {
                Issue.record("MUNIMENT_SEED=\(seed) MUNIMENT_SCHEDULES=50: \(error)")
                return
            }
        }
        print("socket schedules: \(counts)")
        #expect(counts.committed > 0)
        // A few schedules can have no refusal.
        guard SocketScheduleTests.count >= 20 else { return }
        #expect(counts.refused > 0 && counts.cuts > 0 && counts.kills > 0)
    }
}
